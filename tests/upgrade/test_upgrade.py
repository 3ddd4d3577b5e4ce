"""A database of the version before, opened by this one: its records follow today's rules without a new import."""

import signal
import subprocess
import sys

import pytest

from firmograph.ingest import upgrade_store
from firmograph.schema import RULES, held_rules
from held import held_companies, held_contacts

CHANGED = "SELECT count(*) FROM changes"


def names(codes):
    return [(code.code, code.description) for code in codes]


def company(release, name):
    (found,) = (one for one in held_companies(release.database).values() if one.name == name)
    return found


def test_a_command_brings_the_records_under_todays_rules_and_says_how_far_it_is(release):
    assert held_rules(release.database.session()) == ""
    assert "Records are brought under the rules of this release: 32 of 32" in release.upgrade()
    assert held_rules(release.database.session()) == RULES
    assert release.upgrade() == ""


def test_what_does_not_differ_is_not_written_again(release):
    count = release.database.session().raw.execute
    contacts, companies = held_contacts(release.database), held_companies(release.database)
    before = count(CHANGED).fetchone()[0]
    release.upgrade()
    differ = sum(one != contacts[number] for number, one in held_contacts(release.database).items())
    differ += sum(one != companies[number] for number, one in held_companies(release.database).items())
    assert 0 < count(CHANGED).fetchone()[0] - before == differ < 10


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
from firmograph.ingest import commits, upgrade_store

commits._FIRST = commits._FEWEST = 5
put_place, calls = upgrade_store.put_place, iter(range(int(sys.argv.pop())))

def put(session, reached):
    put_place(session, reached)
    if next(calls, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)

upgrade_store.put_place = put
run()
"""
"""The command line, killed inside the commit after so many."""


@pytest.mark.parametrize("commits", [0, 2, 5])
def test_an_upgrade_that_is_killed_goes_on_where_it_stopped(release, commits):
    command = [sys.executable, "-c", KILLED, "account", "list", f"{commits}"]
    killed = subprocess.run(command, cwd=release.folder, env=release.command.environment, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with release.database.read() as session:
        reached = upgrade_store.place(session)
    assert (reached.number > 0) == (commits > 0)
    assert "32 of 32" not in release.upgrade() or commits == 0
    assert held_rules(release.database.session()) == RULES
    assert names(company(release, "Juniper Mills").naics_codes) == [(31, ""), (32, ""), (33, "")]


def test_processes_that_upgrade_at_the_same_time_share_the_work(release):
    run = release.database.session().raw.execute
    (last,) = run("SELECT max(sequence) FROM changes").fetchone()
    commands = [release.command.start("account", "list") for _ in range(3)]
    told = [command.communicate(timeout=120)[1] for command in commands]
    assert [command.returncode for command in commands] == [0, 0, 0], told
    assert held_rules(release.database.session()) == RULES
    written = run(
        f"SELECT count(*) FROM changes WHERE sequence > {last} GROUP BY entity, entity_id"
    ).fetchall()
    assert {times for (times,) in written} == {1}
