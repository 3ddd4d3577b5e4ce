"""Real processes killed while they import, follow or write the checkpoint, and the search results afterwards."""

import json
import signal
from random import Random

import pytest
from engine_state import fresh, head, state_of
from people_fixtures import total

from checkpoint_writers import exit_codes, write_and_die
from effort import THOROUGH
from firmograph.database.connection import RECORDS
from index_fixtures import search_checkpoints
from record_factory import contact, load_contacts
from server_fixtures import eventually

BLOCKS = Random(4).sample(range(1, 120), 4 if THOROUGH else 2)


@pytest.mark.any_database
@pytest.mark.parametrize(
    "moment", [*map(str, BLOCKS), "before it is flushed", "before it is renamed", "once it is there"]
)
def test_a_process_killed_while_it_writes_leaves_the_old_checkpoint_or_the_new(database, moment):
    load_contacts(database, "test", [(f"p{n}", contact(f"Given{n}", f"Family{n}")) for n in range(20)])
    checkpoints = search_checkpoints(database)
    checkpoints.renew()
    before = head(database)
    load_contacts(database, "other", [(f"q{n}", contact(f"Given{n}", f"Other{n}")) for n in range(20)])
    assert exit_codes(write_and_die, (database.url, moment)) == [-signal.SIGKILL]
    engine = checkpoints.load()
    assert engine is not None
    assert engine.applied == (head(database) if moment == "once it is there" else before)
    renewed = checkpoints.renew()
    assert (renewed.rebuilt, renewed.built.applied) == (engine.dead_share > 0.3, head(database))
    assert state_of(renewed.built) == state_of(checkpoints.load()) == fresh(database)


PEOPLE = 1_200
EVERYONE = {"filters": {"contacts": {"include": {"countries": ["US"]}}}, "pagination": {"size": 10}}


def people(path):
    """Write an import file; every fifth person works at a company that no other row names."""
    with path.open("w") as file:
        for n in range(PEOPLE):
            employer = {"name": f"Corp {n if n % 5 == 0 else n % 40}"}
            row = {
                "sourceId": f"p{n}",
                "firstName": f"Given{n}",
                "lastName": f"Family{n}",
                "company": employer,
            }
            file.write(json.dumps(row | {"location": {"country": "US"}}) + "\n")
    return str(path)


@pytest.mark.slow("killed server and import", "prospecting", "indexing", "ingest")
@pytest.mark.parametrize("victim", ["both", "import", "server"])
def test_after_a_kill_during_an_import_a_server_answers_exactly(
    command, database, start_servers, key, import_people, tmp_path, victim
):
    path = people(tmp_path / "people.jsonl")
    (server,) = start_servers(1)
    importing = command.start("import", "contacts", path)
    some = Random(victim).randrange(1, PEOPLE)
    eventually(lambda: importing.poll() is not None or head(database) >= some, "nothing is imported")
    processes = {"import": [importing], "server": [server.process], "both": [importing, server.process]}
    for process in processes[victim]:
        process.send_signal(signal.SIGKILL)
    importing.communicate()
    if victim != "import":
        server.process.communicate()
        (server,) = start_servers(1)
    with database.write(RECORDS):
        pass  # killed processes have ended by now: no commit comes late

    for imported_again in (False, True):
        if imported_again:
            import_people(path)
        server.wait_until_searchable(head(database))
        stored = database.session().raw.execute("SELECT count(*) FROM contacts").fetchone()[0]
        assert total(server, EVERYONE, key) == stored
    server.stop()
    assert stored == PEOPLE
    checkpoint = search_checkpoints(database).load()
    assert checkpoint is not None
    assert state_of(checkpoint) == fresh(database)
