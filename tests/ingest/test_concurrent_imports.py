"""Imports at the same time as other writers: another import of the same people, and suppression.

See docs/reference/import.md#commits.
"""

import json

import pytest

from firmograph.kit.clock import SystemClock
from firmograph.security.keyring import load_keyring
from import_processes import Halting
from installation_factory import make_suppression
from stored_records import change_count, stored_companies, stored_contacts

PEOPLE = 600


def email(n: int) -> str:
    return f"person{n}@corp{n % 50}.example.com"


@pytest.fixture
def file(tmp_path):
    """Write a file large enough for many commits."""
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
    return sorted(each.email for record, _ in stored_contacts(database).values() for each in record.emails)


def test_two_simultaneous_imports_of_a_file_create_each_record_once(command, database, file):
    command.json("account", "list")  # creates the keyring, which both need
    with Halting(command, file, 2) as one, Halting(command, file, 2) as other:
        for importing in (one, other):
            importing.go_on()
        summaries = [json.loads(importing.end()) for importing in (one, other)]
    assert sum(summary["created"] for summary in summaries) == PEOPLE
    assert sum(summary["unchanged"] for summary in summaries) == PEOPLE
    assert addresses(database) == sorted(map(email, range(PEOPLE)))
    assert len(stored_companies(database)) == 50
    assert change_count(database) == PEOPLE + 50


def test_people_suppressed_during_an_import_are_missing_at_its_end(command, database, file, tmp_path):
    suppressed = [n * 97 % PEOPLE for n in range(60)]
    with Halting(command, file, 2, own_process=True) as importing:
        keyring = load_keyring(tmp_path / f"{database.companion.name}.keys")
        suppression = make_suppression(database, keyring, SystemClock())
        between = [suppression.suppress(suppression.person(email=email(n))) for n in suppressed[:30]]
        assert 0 < sum(between) < 30, "some are stored by then, and most are not"
        importing.go_on()
        during = [suppression.suppress(suppression.person(email=email(n))) for n in suppressed[30:]]
        summary = json.loads(importing.end())
    assert summary["suppressed"] == len(suppressed) - sum(between) - sum(during)
    assert addresses(database) == sorted({email(n) for n in range(PEOPLE)} - {email(n) for n in suppressed})
