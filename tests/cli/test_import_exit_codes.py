"""Exit code of commands that read files: 3 where a row or a value is lost, and only there."""

import json

import pytest

from command_fixtures import InProcess

pytestmark = pytest.mark.any_database

HEADER = "First Name,Last Name,Email,Company,Last Updated,Is Deleted"
ADA = "Ada,Lowe,ada@nordhafen.example,Nordhafen,2025-01-02,"
LOST_LINES = {
    "a name alone": "Bo,Hart,,,,",
    "too many cells": "Bo,Hart,bo@nordhafen.example,,,,x,y",
    "a day that is none": "Bo,Hart,bo@nordhafen.example,,2025-02-30,",
    "an address that is none": "Bo,Hart,bo at nordhafen,Nordhafen,,",
    "a mark that is none": "Bo,Hart,bo@nordhafen.example,Nordhafen,,perhaps",
}
OTHER_LINES = {
    "a sign before the address": "Bo,Hart,-bo@nordhafen.example,,,",
    "a quotation mark": '"Bo,Hart,bo@nordhafen.example,,,',
    "a footer": "\nTotal: 1",
    "a repeated header": HEADER,
    "a row that counts as deleted": "Bo,Hart,bo@nordhafen.example,Nordhafen,,yes",
    "placeholders": "Bo,Hart,bo@nordhafen.example,N/A,-,",
}


def run(in_process: InProcess, kind: str, path: object, *words: str) -> int:
    return in_process("import", kind, str(path), *words).returncode


@pytest.fixture
def people(tmp_path):
    def people(line: str):
        path = tmp_path / "people.csv"
        path.write_text(f"{HEADER}\n{ADA}\n{line}\n")
        return path

    return people


@pytest.mark.parametrize("line", LOST_LINES.values(), ids=LOST_LINES)
@pytest.mark.parametrize("words", [(), ("--preview",), ("--dry-run",)], ids=["import", "preview", "dry run"])
def test_a_lost_row_or_value_ends_with_3(in_process, people, line, words):
    assert run(in_process, "contacts", people(line), *words) == 3


@pytest.mark.parametrize("line", OTHER_LINES.values(), ids=OTHER_LINES)
@pytest.mark.parametrize("words", [(), ("--preview",)], ids=["import", "preview"])
def test_what_is_repaired_skipped_or_deleted_ends_with_0(in_process, people, line, words):
    assert run(in_process, "contacts", people(line), *words) == 0


def test_an_unknown_column_ends_with_0(in_process, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("Full Name,Email,Shoe Size\nAda Lowe,ada@nordhafen.example,7\n")
    assert run(in_process, "contacts", path) == 0


def test_a_suppressed_person_is_not_lost(in_process, people):
    path = people("Bo,Hart,bo@nordhafen.example,,,")
    assert run(in_process, "contacts", path) == 0
    assert in_process("suppress", "--email", "bo@nordhafen.example").returncode == 0
    assert run(in_process, "contacts", path) == 0


def test_an_import_that_loses_something_says_how_much(in_process, people):
    done = in_process("import", "contacts", str(people(LOST_LINES["a day that is none"])))
    assert done.stderr.endswith("so the exit code is 3: 1 value\n")


def test_an_import_of_which_nothing_is_stored_ends_with_1(in_process, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("Full Name,Email\nAda Lowe,\n")
    assert run(in_process, "contacts", path) == 1


def test_companies_lose_rows_and_values_alike(in_process, tmp_path):
    path = tmp_path / "companies.jsonl"
    for row in (
        {"industry": "Anvils"},
        {"name": "Bolt", "yearFounded": "soon"},
        {"name": "Bolt", "domain": 1.5},
    ):
        path.write_text('{"name": "Acme", "domain": "acme.example"}\n' + json.dumps(row) + "\n")
        assert run(in_process, "companies", path) == 3, row


FACTS = {
    "headcounts": (
        {"company": "acme.example", "date": "2025-01-01", "count": 5},
        {"company": "nobody.example", "date": "2025-01-01", "count": 5},
    ),
    "traffic": (
        {"company": "acme.example", "month": "2025-01", "visits": 5},
        {"company": "acme.example", "month": "2025-02", "visits": -5},
    ),
    "it-spend": (
        {"company": "acme.example", "date": "2025-01-01", "value": 5},
        {"company": "acme.example", "date": "2025-02-01", "value": 5, "currency": True},
    ),
    "jobs": (
        {"company": "acme.example", "postingId": "1", "title": "CFO", "openDate": "2025-01-01"},
        {"company": "acme.example", "postingId": "2", "title": "CFO", "openDate": "soon"},
    ),
    "news": (
        {"url": "https://paper.example/1", "date": "2025-01-01", "title": "Acme opens a plant"},
        {"url": "https://paper.example/2", "date": "soon", "title": "Acme opens a plant"},
    ),
    "posts": (
        {"url": "https://linkedin.com/posts/1", "date": "2025-01-01", "author": "Acme", "text": "CRM"},
        {"url": "https://linkedin.com/posts/2", "date": "2025-01-01", "author": "Acme"},
    ),
}
"""Of each kind a row that is read and one that is not, or of which a value is not."""


@pytest.mark.parametrize("kind", FACTS)
def test_facts_lose_rows_and_values_alike(in_process, tmp_path, kind):
    companies, path = tmp_path / "companies.jsonl", tmp_path / "facts.jsonl"
    companies.write_text('{"name": "Acme", "domain": "acme.example"}\n')
    assert run(in_process, "companies", companies) == 0
    good, bad = map(json.dumps, FACTS[kind])
    path.write_text(f"{good}\n")
    assert run(in_process, kind, path) == 0
    path.write_text(f"{good}\n{bad}\n")
    assert run(in_process, kind, path) == 3
