"""`firmograph lookalike contacts|companies`: seeds, results, explanations and what is refused."""

import csv
import json
import re
import shutil
from io import StringIO
from pathlib import Path

import pytest
import typer
from lookalike_command import (
    SIZE,
    Run,
    as_options,
    companies,
    domain,
    domains,
    email,
    found,
    import_records,
    people,
    runner,
    write_lines,
)
from prospect_command import Stocked, misused, refusal
from typer.testing import CliRunner

import database_fixtures
from firmograph.cli.lookalike.commands import app
from firmograph.cli.privacy import suppression
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.lookalikes import explanation
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.security.keyring import load_keyring
from firmograph.settings import Settings
from index_fixtures import is_applied
from server_fixtures import Service

pytestmark = pytest.mark.any_database

BAKERIES = as_options("domain", domains("bakery", 0, 1, 2, 3, 4))
BAKERS = as_options("email", [email("bakery", number) for number in range(5)])


@pytest.fixture(scope="module")
def trades(tmp_path_factory):
    """Return a database with companies and people of three trades, without a checkpoint or a model."""
    folder = tmp_path_factory.mktemp("trades")
    trades = Stocked(database_fixtures.fresh(folder), folder)
    import_records(trades, "companies", companies())
    import_records(trades, "contacts", people())
    yield trades
    database_fixtures.drop(trades.url)


@pytest.fixture(scope="module")
def run(trades) -> Run:
    return runner(trades)


@pytest.fixture
def own(trades, run, tmp_path):
    """Return a copy of the database with its model, for changes."""
    run("companies", *BAKERIES)
    shutil.copy(trades.folder / "keys", tmp_path)
    own = Stocked(database_fixtures.copy(trades.url, tmp_path), tmp_path)
    yield own
    database_fixtures.drop(own.url)


@pytest.mark.any_database
def test_the_companies_most_like_the_seeds_come_first_and_no_seed_is_one(run):
    results = found(run("companies", *BAKERIES, "--limit", 10, "--json"))
    assert {one["domain"] for one in results[: SIZE - 5]} == set(domains("bakery", *range(5, SIZE)))
    similarities = [one["similarity"] for one in results]
    assert similarities == sorted(similarities, reverse=True)
    assert 0 < similarities[-1] <= similarities[0] <= 1


def test_people_are_found_by_their_own_and_their_employers_attributes(run):
    results = found(run("contacts", *BAKERS, "--limit", SIZE - 5, "--json"))
    assert {one["company"]["domain"] for one in results} == set(domains("bakery", *range(5, SIZE)))
    assert "emails" not in results[0]


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("kind", "seeds", "holders"),
    [("companies", BAKERIES, {"company"}), ("contacts", BAKERS, {"contact", "employer"})],
)
def test_the_shares_of_an_explanation_add_up_to_the_similarity(run, kind, seeds, holders):
    results = found(run(kind, *seeds, "--limit", 100, "--explain", "--json"))
    assert results
    for one in results:
        assert sum(share["share"] for share in one["explanation"]) == pytest.approx(
            one["similarity"], abs=1e-4
        )
    strongest = results[0]["explanation"]
    assert {share["of"] for share in strongest} == holders
    assert strongest == sorted(strongest, key=lambda share: -share["share"])
    assert strongest[0]["seeds"] >= 3


@pytest.mark.any_database
@pytest.mark.parametrize("kind", ["companies", "contacts"])
def test_shares_are_what_attributes_add_and_only_rounding_is_spread(run, monkeypatch, kind):
    # seeds of two trades make several queries, and each result is explained by its own
    monkeypatch.setattr(explanation, "_adjusted", lambda shares, similarity: shares.tolist())
    mixed = [(trade, number) for trade in ("bakery", "shipyard") for number in range(5)]
    seeds = {
        "companies": as_options("domain", [domain(*each) for each in mixed]),
        "contacts": as_options("email", [email(*each) for each in mixed]),
    }[kind]
    for one in found(run(kind, *seeds, "--limit", 100, "--explain", "--json")):
        added = sum(share["share"] for share in one["explanation"])
        assert added == pytest.approx(one["similarity"], abs=0.05)


@pytest.mark.any_database
def test_a_table_names_the_attributes_that_carried_a_result(run):
    done = run("companies", *BAKERIES, "--limit", 1, "--explain")
    head, row = (line.split("\t") for line in done.stdout.splitlines())
    assert head[-2:] == ["SIMILARITY", "BECAUSE OF"]
    assert done.stderr.endswith("1 company like 5 of 5 seeds\n")
    *_, similarity, reasons = row
    shares = [
        float(re.fullmatch(r"(-?\d\.\d{4}) (\d+ others?|[a-z ]+: .+)", reason)[1])
        for reason in reasons.split("; ")
    ]
    assert len(shares) == 6
    assert sum(shares) == pytest.approx(float(similarity), abs=1e-6)


@pytest.mark.any_database
def test_seeds_of_lines_of_csv_and_of_json_lines_are_the_same_records(run, tmp_path):
    by_options = found(run("companies", *BAKERIES, "--json"))
    names = domains("bakery", 0, 1, 2, 3)
    page = "https://www.linkedin.com/company/bakery-4"
    lines = write_lines(tmp_path / "seeds.txt", ["# customers", "", *names, page])
    table = write_lines(
        tmp_path / "seeds.csv",
        ["Name;Domain;LinkedIn URL", *(f'"Bakery; {name}";{name};' for name in names), f"Bakery 4;;{page}"],
    )
    objects = write_lines(
        tmp_path / "seeds.jsonl",
        [*(json.dumps({"domain": name, "id": None}) for name in names), json.dumps({"linkedinUrl": page})],
    )
    for file in (lines, table, objects):
        assert found(run("companies", "--seeds", file, "--json")) == by_options
    assert found(run("companies", "--seeds", "-", "--json", given=lines.read_text())) == by_options


@pytest.mark.any_database
def test_earlier_results_as_exclusions_lead_to_the_next_ones(run, tmp_path):
    file = tmp_path / "found.csv"
    every = found(run("companies", *BAKERIES, "--limit", 8, "--json"))
    assert run("companies", *BAKERIES, "--limit", 3, "--output", file).stdout == ""
    rows = list(csv.DictReader(StringIO(file.read_text())))
    assert [row["id"] for row in rows] == [one["id"] for one in every[:3]]
    assert [float(row["similarity"]) for row in rows] == [one["similarity"] for one in every[:3]]
    assert found(run("companies", *BAKERIES, "--exclude", file, "--limit", 5, "--json")) == every[3:]


@pytest.mark.any_database
def test_seeds_that_were_not_found_are_listed_with_their_place(run, tmp_path):
    names = [*domains("bakery", 0, 1, 2, 3, 4), "nobody.example.net"]
    file = write_lines(tmp_path / "seeds.csv", ["name,domain", *(f"x,{name}" for name in names), "Nameless,"])
    done = run("companies", "--seeds", file, "--limit", 2, "--format", "jsonl")
    assert done.stderr.splitlines() == [
        "Not found: nothing (seeds.csv line 8: has no id, domain or linkedin)",
        "Not found: nobody.example.net (seeds.csv line 7: no such record)",
        "2 companies like 5 of 6 seeds",
    ]
    printed = json.loads(run("companies", *BAKERIES, "--domain", "nobody.example.net", "--json").stdout)
    assert printed["seeds"] == 5
    assert printed["notFound"] == [
        {"seed": "nobody.example.net", "given": "--domain", "reason": "no such record"}
    ]


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a.example.com", "not a domain"], "seeds line 2: 'not a domain' must be a domain such as example.com"),
        (
            ["name,url", "Acme,acme.example.com"],
            "seeds line 1 is more than one identifier; a CSV file begins with a line of column names, some of:"
            " id, domain, linkedin",
        ),
        (["domain,id", "a.example.com,v1"], "seeds line 2: 'v1' must be a record id"),
        (['{"domain": "a.example.com"}', "{"], "seeds line 2 is not a JSON object"),
        (['{"domain": ["a.example.com"]}'], "seeds line 1: domain must be text"),
        (
            ['{"seeds": {"domains": ["a.example.com"]}}'],
            "Give 5 to 100 different seeds; these are 0: seeds line 1 has no id, domain or linkedin",
        ),
        (["a.example.com", "https://www.a.example.com"], "Give 5 to 100 different seeds; these are 1"),
        ([f"s{n}.example.com" for n in range(101)], "Give 5 to 100 different seeds; these are 101"),
        ([f"s{n}.example.com" for n in range(5)], "None of the 5 seeds is a known company"),
        ([f"github.com/s{n}" for n in range(5)], "None of the 5 seeds is a known company"),
    ],
)  # fmt: skip
def test_a_file_of_seeds_that_cannot_be_used_is_refused_with_the_line(run, tmp_path, lines, expected):
    assert refusal(run("companies", "--seeds", write_lines(tmp_path / "seeds", lines))).startswith(expected)


@pytest.mark.any_database
def test_what_is_missing_or_of_the_other_kind_is_wrong_usage(run, tmp_path):
    assert "give seeds with --seeds FILE, or one by one with --id, --domain, --linkedin" in misused(
        run("companies")
    )
    assert "No such option: --email" in misused(run("companies", *BAKERS))
    assert "cannot be read: No such file" in refusal(run("companies", "--seeds", tmp_path / "none.txt"))
    for nothing in (["# none"], ["name,domain"]):
        done = run("companies", "--seeds", write_lines(tmp_path / "none.txt", nothing))
        assert refusal(done).endswith("none.txt names no records")
    people_as_seeds = write_lines(tmp_path / "names.txt", ["Ann Roe"])
    assert refusal(run("contacts", "--seeds", people_as_seeds)) == (
        "names.txt line 1: 'Ann Roe' is no id, LinkedIn URL or e-mail address"
    )


def test_a_suppressed_person_is_neither_a_result_nor_a_seed(own):
    run = runner(own)
    before = found(run("contacts", *BAKERS, "--json"))
    (gone,) = [one for one in before if one["company"]["domain"] == domain("bakery", 7)]
    for number in (0, 7):
        out = CliRunner().invoke(
            suppression.app, ["suppress", "--email", email("bakery", number)], env=own.environment
        )
        assert out.exit_code == 0
    after = run("contacts", *BAKERS, "--json", "--limit", 100)
    assert gone["id"] not in {one["id"] for one in found(after)}
    assert [each["seed"] for each in json.loads(after.stdout)["notFound"]] == [email("bakery", 0)]


@pytest.mark.any_database
def test_an_installation_without_records_says_what_to_load(tmp_path):
    empty = Stocked(database_fixtures.fresh(tmp_path), tmp_path)
    assert refusal(runner(empty)("companies", *BAKERIES)) == (
        "There are no companies yet; load some with: firmograph import companies FILE"
    )
    database_fixtures.drop(empty.url)


@pytest.mark.any_database
def test_a_server_answers_the_same_records_in_the_same_order(own):
    database, keyring = Database(own.url), load_keyring(own.folder / "keys")
    service = Service(database, keyring, SetClock(), Settings(search_folder=str(own.folder)))
    with service.client:
        active = service.installation.get(ServedSimilarity).active
        head = service.client.get("/health").json()["similarity"]["head"]
        assert is_applied(active, head, 60)
        body = {"seeds": {"domains": domains("bakery", 0, 1, 2, 3, 4)}, "limit": 20}
        answer = service.post("/v3/companies/lookalike", body).json()["results"]
        body = {"seeds": {"emails": [email("bakery", number) for number in range(5)]}, "limit": 20}
        people_answer = service.post("/v3/contacts/lookalike", body).json()["results"]
    database.close()
    run = runner(own)
    for results, kind, seeds in ((answer, "companies", BAKERIES), (people_answer, "contacts", BAKERS)):
        same = found(run(kind, *seeds, "--limit", 20, "--json"))
        assert [one["id"] for one in same] == [one["id"] for one in results]
        assert results


@pytest.mark.any_database
def test_the_guide_documents_every_option():
    guide = (Path(__file__).parents[2] / "docs" / "lookalikes.md").read_text()
    section = guide.partition("## `firmograph lookalike`\n")[2].partition("\n## ")[0]
    documented = set(re.findall(r"`(--[a-z]+)`", section))
    group = typer.main.get_command(app)
    options = {
        option
        for name in ("contacts", "companies")
        for parameter in group.commands[name].params
        for option in parameter.opts
    }
    assert documented == options - {"--help"}


@pytest.mark.any_database
def test_the_index_is_made_once_and_the_command_prints_json_alone(own):
    words = ("companies", *BAKERIES, "--explain", "--json")
    first, second = runner(own)(*words), own.command("lookalike", *words)
    assert first.stderr == ""
    assert (second.returncode, second.stderr) == (0, "")
    assert first.stdout == second.stdout
    assert json.loads(second.stdout)["seeds"] == 5
