"""Placeholders, shared hosts and role mailboxes as keys: two strangers never share a record.

See docs/reference/records.md#shared-hosts.

The rows take the whole way of an import, from JSON to records. Their values come from the tables themselves.
"""

import csv
import json
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from emptied_database import empty_tables
from firmograph.ingest.reading.readers import RawRow
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.service import Importer
from firmograph.ingest.summary import Summary
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS, KEYRING
from stored_records import head, stored_companies

pytestmark = pytest.mark.any_database

DATA = files("firmograph.directory")
COLUMNS = ("value", "linkedin", "email", "phone", "host", "source")


def lines(path):
    text = DATA.joinpath(path).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


TABLE = list(
    csv.DictReader(
        lines("normalise/data/placeholders.tsv"), COLUMNS, restval="", delimiter="\t", quoting=csv.QUOTE_NONE
    )
)


def marked(column, *marks):
    return [entry["value"] for entry in TABLE if entry[column] in marks]


PAGES = [
    *marked("linkedin", "x", "cell"),
    *(f"https://www.linkedin.com/in/{name}" for name in marked("linkedin", "x")),
]
COMPANY_PAGES = [page.replace("/in/", "/company/") for page in PAGES]
IDS = marked("source", "x")
EMAILS = [
    *(word.replace(" ", "") + "@acme.example" for word in marked("email", "x") if "@" not in word),
    *(word for word in marked("email", "x") if "@" in word.strip("@")),
    *(f"{word}@{word}.com".replace(" ", "") for word in marked("email", "weak")),
]
PHONES = [*marked("phone", "x"), *(digit * 10 for digit in "0123456789")]
HOSTS = [line.partition("\t")[0].lstrip("*.") for line in lines("data/shared_hosts.tsv")] + [
    "gmail.com", "0-mail.com", "hotmail.fr",
]  # fmt: skip
WEBSITES = [*HOSTS, *(f"https://www.{host}/annas" for host in HOSTS), *marked("host", "x")]
ROLES = [f"{word}@acme.example" for word in lines("normalise/data/role_mailboxes.txt")]

PEOPLE = [("Ada", "Quill"), ("Boris", "Vance"), ("Chiara", "Moss"), ("Dmitri", "Lark"), ("Elif", "Stone")]
SOURCES = ("a", "b", "c")


def test_the_tables_are_large_enough():
    assert len({*PAGES, *IDS, *EMAILS, *PHONES}) >= 60
    assert len(HOSTS) >= 100


def maybe(values):
    return st.none() | st.sampled_from(values)


@st.composite
def people(draw):
    """Generate a stranger's row: the source, and fields without a key except perhaps the name and employer."""
    person = draw(st.integers(0, len(PEOPLE) - 1))
    first, last = PEOPLE[person]
    emails = draw(st.lists(st.sampled_from([*EMAILS, *ROLES]), max_size=3))
    row = {
        "firstName": first,
        "lastName": last,
        "company": {
            "name": f"{last} Works",
            "domain": draw(maybe(WEBSITES)),
            "linkedinUrl": draw(maybe(COMPANY_PAGES)),
        },
        "sourceId": draw(maybe(IDS)),
        "linkedinUrl": draw(maybe(PAGES) | st.just("https://www.linkedin.com/in/one-page-of-all")),
        "emails": emails,
        "phones": draw(st.lists(st.sampled_from(PHONES), max_size=1)),
        "jobTitle": draw(maybe(["Chair", "Clerk"])),
    }
    return draw(st.sampled_from(SOURCES)), row


@st.composite
def firms(draw):
    _, last = draw(st.sampled_from(PEOPLE))
    row = {
        "name": f"{last} Works",
        "domain": draw(maybe(WEBSITES)),
        "homepageUrl": draw(maybe(WEBSITES)),
        "linkedinUrl": draw(maybe(COMPANY_PAGES)),
        "sourceId": draw(maybe(IDS)),
        "location": draw(maybe(["Germany", "France"])),
        "alternativeDomains": draw(st.lists(st.sampled_from(WEBSITES), max_size=2)),
        "yearFounded": draw(maybe([1999, 2001])),
    }
    return draw(st.sampled_from(SOURCES)), row


def imported(database, entity, rows):
    """Import rows, a file for each source, and return the summaries."""
    summary = Summary()
    for source in SOURCES:
        raw = [RawRow(n, json.dumps(row).encode()) for n, (of, row) in enumerate(rows, 1) if of == source]
        preparer, importer = (
            Preparer(entity, DIGESTS, source, None),
            Importer(database, KEYRING, SetClock(), source),
        )
        prepared, rejects = (
            preparer.prepare_contacts(raw) if entity is Entity.CONTACT else preparer.prepare_companies(raw)
        )
        assert rejects == []
        commits = (
            importer.import_contacts(prepared)
            if entity is Entity.CONTACT
            else importer.import_companies(prepared)
        )
        for outcome in (outcome for outcomes in commits for outcome in outcomes):
            summary.read += 1
            summary.count(outcome)
    return summary


def names_by_record(database, table, of):
    """Return the names of all rows and of the record itself, for each record."""
    bodies = database.session().raw.execute(
        f'SELECT r.{of}_id, r."row", p.profile FROM {of}_rows r JOIN {table} p ON p.id = r.{of}_id'
    )
    found = {}
    for number, row, profile in bodies:
        names = found.setdefault(number, set())
        names.update(
            json.loads(body).get("lastName" if of == "contact" else "name") for body in (row, profile) if body
        )
    return found


@settings(max_examples=examples(100))
@given(rows=st.lists(people(), min_size=2, max_size=12))
def test_no_two_people_share_a_record_and_a_second_import_changes_nothing(database, rows):
    empty_tables(database)
    first = imported(database, Entity.CONTACT, rows)
    assert {len(names - {None}) for names in names_by_record(database, "contacts", "contact").values()} == {1}
    employers = stored_companies(database)
    at = database.session().raw.execute("SELECT company_id, profile FROM contacts")
    assert all(
        employers[company].name == f"{json.loads(profile)['lastName']} Works" for company, profile in at
    )
    before = head(database)
    again = imported(database, Entity.CONTACT, rows)
    assert (again.unchanged, again.read, head(database)) == (first.read, first.read, before)


@settings(max_examples=examples(100))
@given(rows=st.lists(firms(), min_size=2, max_size=12))
def test_no_two_companies_share_a_record_and_a_second_import_changes_nothing(database, rows):
    empty_tables(database)
    first = imported(database, Entity.COMPANY, rows)
    assert {len(names - {None}) for names in names_by_record(database, "companies", "company").values()} == {
        1
    }
    before = head(database)
    again = imported(database, Entity.COMPANY, rows)
    assert (again.unchanged, again.read, head(database)) == (first.read, first.read, before)
