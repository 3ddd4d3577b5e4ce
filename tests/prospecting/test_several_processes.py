"""Several server processes on one database: each follows by itself, and one at a time writes the checkpoint."""

import json

from engine_state import head
from people_fixtures import total

from checkpoint_writers import exit_codes, renew
from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.kit.clock import SystemClock
from firmograph.settings import Settings
from installation_factory import make_suppression
from record_factory import contact, load_contacts

ENGINEERS = {"filters": {"contacts": {"include": {"jobTitles": ["engineer"]}}}}


def test_a_change_is_found_by_all_and_a_suppressed_person_by_none(
    start_servers, database, key, import_people, tmp_path
):
    servers = start_servers(2)

    def totals():
        return [total(server, ENGINEERS, key) for server in servers]

    path = tmp_path / "people.jsonl"
    for titles in (["Engineer", "Lead Engineer", "Owner"], ["Engineer", "Owner", "Owner"]):
        rows = [
            {"sourceId": str(n), "firstName": "Ann", "lastName": f"Doe{n}", "jobTitle": title}
            | {"emails": [f"ann{n}@example.com"]}
            for n, title in enumerate(titles)
        ]
        path.write_text("\n".join(map(json.dumps, rows)))
        import_people(str(path))
        for server in servers:
            server.wait_until_searchable(head(database))
        count = sum("Engineer" in title for title in titles)
        assert totals() == [count, count]
    suppression = make_suppression(
        database, ensure_keyring(Settings(database_url=database.url), database), SystemClock()
    )
    assert suppression.suppress(suppression.person(email="ann0@example.com"))
    assert totals() == [0, 0]


def test_processes_that_start_without_a_checkpoint_write_one_together(database, tmp_path):
    load_contacts(database, "test", [(f"p{n}", contact(f"Given{n}", f"Family{n}")) for n in range(20)])
    reports = [tmp_path / f"report-{n}" for n in range(3)]
    assert exit_codes(renew, *((database.url, path) for path in reports)) == [0, 0, 0]
    assert sorted(path.read_text() for path in reports) == ["False", "False", "True"]
