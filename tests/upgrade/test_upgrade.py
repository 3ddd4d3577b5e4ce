"""A database of the previous version, opened by this one: records follow current rules without a new import."""

import signal

import httpx
import pytest

from firmograph.database.schema import RULES, held_rules
from firmograph.ingest.merging import upgrade_store
from stored_records import stored_companies


def names(codes):
    return [(code.code, code.description) for code in codes]


def company(release, name):
    (found,) = (one for one in stored_companies(release.database).values() if one.name == name)
    return found


def test_a_command_upgrades_the_records_and_shows_its_progress(release):
    assert held_rules(release.database.session()) == ""
    assert "Upgrading records to this release: 32 of 32" in release.upgrade()
    assert held_rules(release.database.session()) == RULES
    assert release.upgrade() == ""


def test_unchanged_records_are_not_rewritten(release):
    run = release.database.session().raw.execute
    tables = ("contacts", "companies")
    before = {row for table in tables for row in run(f"SELECT * FROM {table}")}
    (last,) = run("SELECT max(sequence) FROM changes").fetchone()
    release.upgrade()
    differ = {row for table in tables for row in run(f"SELECT * FROM {table}")} - before
    written = run(f"SELECT count(*) FROM changes WHERE sequence > {last}").fetchone()[0]
    assert 0 < written == len(differ) < len(before) / 2


def test_naics_ranges_stand_for_each_of_their_codes(release):
    release.upgrade()
    assert names(company(release, "Juniper Mills").naics_codes) == [(31, ""), (32, ""), (33, "")]
    assert names(company(release, "Kapok Trade").naics_codes)[1:] == [
        (48, "Transportation and Warehousing"),
        (49, "Transportation and Warehousing"),
        (541511, "Custom Computer Programming Services"),
    ]


KILLED = """
import os, signal, sys
from firmograph.cli.main import run
from firmograph.ingest import commits
from firmograph.ingest.merging import upgrade_store

commits._START_ROWS = commits._MIN_ROWS = 5
write_upgrade_position, calls = upgrade_store.write_upgrade_position, iter(range(int(sys.argv.pop())))

def put(session, reached):
    write_upgrade_position(session, reached)
    if next(calls, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)

upgrade_store.write_upgrade_position = put
run()
"""
"""The command line, killed inside the commit after so many."""


@pytest.mark.parametrize("commits", [0, 2, 5])
def test_a_killed_upgrade_continues_where_it_stopped(release, commits):
    assert release.run(KILLED, "account", "list", f"{commits}") == -signal.SIGKILL
    with release.database.read() as session:
        reached = upgrade_store.read_upgrade_position(session)
    assert (reached.number > 0) == (commits > 0)
    assert "32 of 32" not in release.upgrade() or commits == 0
    assert held_rules(release.database.session()) == RULES
    assert names(company(release, "Juniper Mills").naics_codes) == [(31, ""), (32, ""), (33, "")]


def test_simultaneous_processes_share_an_upgrade(release):
    run = release.database.session().raw.execute
    (last,) = run("SELECT max(sequence) FROM changes").fetchone()
    commands = [release.command.start("account", "list") for _ in range(3)]
    done = [command.communicate(timeout=120)[1] for command in commands]
    assert [command.returncode for command in commands] == [0, 0, 0], done
    assert held_rules(release.database.session()) == RULES
    written = run(
        f"SELECT count(*) FROM changes WHERE sequence > {last} GROUP BY entity, entity_id"
    ).fetchall()
    assert {times for (times,) in written} == {1}


def test_whole_numbers_lose_their_decimal_point(release):
    release.upgrade()
    request = next(call for call in release.calls if call["path"] == "/v3/companies/search-and-enrich")
    answer = release.service.post(request["path"], request["body"], key=release.keys["acme"])
    company = next(one for one in answer.json()["results"] if one.get("name") == "Hazel Robotics")
    assert company["funding"]["totalRoundsAmount"] == 3_000_000
    assert b"000.0" not in answer.content


def test_paid_units_stay_paid_and_cached_answers_are_repeated(release):
    release.upgrade()
    service = release.service
    for call in (one for one in release.calls if "prospecting" not in one["path"]):
        key = release.keys["acme"]
        body = httpx.Request("POST", service.client.base_url, json=call["body"]).content
        again = service.post(call["path"], body, key=key, **call["headers"]).json()
        if call["headers"]:
            assert again["requestId"] == call["answer"]["requestId"]
        assert service.post(call["path"], body, key=key).json()["billing"]["creditsCharged"] == 0


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Brønlund Æbler", "Brønlund Æbler"),
        ("Bronlund Aebler AS", "Brønlund Æbler"),
        ("Jager & Oehlmann", None),
    ],
)
def test_names_are_found_in_every_spelling(release, query, name):
    release.upgrade()
    answer = release.service.post(
        "/v3/companies/search", {"companies": [{"name": query}]}, key=release.keys["acme"]
    )
    assert answer.json()["results"][0].get("name") == name
