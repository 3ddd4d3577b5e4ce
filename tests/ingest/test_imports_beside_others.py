"""Imports beside other writers: another import of the same people, and suppression (decisions A, D)."""

import json

import pytest

from firmograph.kit.clock import SystemClock
from firmograph.kit.keyring import load_keyring
from firmograph.webhooks.erase import suppression_of
from held import change_count, held_companies, held_contacts

PEOPLE = 5000


def email(n: int) -> str:
    return f"person{n}@corp{n % 50}.example.com"


@pytest.fixture
def file(tmp_path):
    """Large enough to be prepared by a process of its own and written in many commits."""
    path = tmp_path / "people.jsonl"
    rows = (
        {
            "sourceId": f"p{n}",
            "firstName": f"Given{n}",
            "lastName": f"Family{n}",
            "jobTitle": "VP of Sales",
            "emails": [email(n)],
            "phones": ["+1 202 555 0101"],
            "company": {"name": f"Corp {n % 50}", "domain": f"corp{n % 50}.example.com"},
            "location": {"country": "US", "state": "CA"},
        }
        for n in range(PEOPLE)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def addresses(database) -> list[str]:
    return sorted(each.email for record, _ in held_contacts(database).values() for each in record.emails)


def test_the_same_file_by_two_imports_at_once_makes_each_record_once(command, database, file):
    command.json("account", "list")  # the keyring is made by one of them
    both = [command.start("import", "contacts", file, "--json") for _ in range(2)]
    told = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    assert sum(summary["created"] for summary in told) == PEOPLE
    assert sum(summary["unchanged"] for summary in told) == PEOPLE
    assert addresses(database) == sorted(map(email, range(PEOPLE)))
    assert len(held_companies(database)) == 50
    assert change_count(database) == PEOPLE + 50


def test_nobody_who_is_suppressed_while_an_import_runs_is_held_at_its_end(command, database, file, tmp_path):
    importing = command.start("import", "contacts", file, "--json")
    first = database.session().raw.execute
    while importing.poll() is None and not first("SELECT 1 FROM contacts LIMIT 1").fetchone():
        pass
    keyring = load_keyring(tmp_path / f"{database.companion.name}.keys")
    suppression = suppression_of(database, keyring, SystemClock())
    gone = [n * 97 % PEOPLE for n in range(60)]
    removed = [suppression.suppress(suppression.person(email=email(n))) for n in gone]
    assert importing.poll() is None, "the import was over before it was disturbed"
    out, err = importing.communicate(timeout=120)
    assert importing.returncode == 0, err
    assert json.loads(out)["suppressed"] == len(gone) - sum(removed)
    assert addresses(database) == sorted({email(n) for n in range(PEOPLE)} - {email(n) for n in gone})
