"""Real processes that are killed while they import, follow or write the checkpoint, and what is found afterwards."""

import json
import signal
import subprocess
import sys
from random import Random

import httpx
import pytest
from engine_state import fresh, head, state_of

from firmograph.prospecting.keeper import Keeper
from rows import contact, load_contacts
from running import Server, free_port

WRITER = """
import hashlib, os, signal, sys
from firmograph.kit.database import Database
from firmograph.prospecting.keeper import Keeper
from firmograph.prospecting.memory import checkpoint

def die():
    os.kill(os.getpid(), signal.SIGKILL)

class Counted:
    def __init__(self, **size):
        self.made = hashlib.blake2b(**size)
        self.left = int(sys.argv[2])
    def update(self, block):
        self.left -= 1
        if not self.left:
            die()
        self.made.update(block)
    def digest(self):
        return self.made.digest()

class Hashlib:
    blake2b = Counted

moment = sys.argv[2]
if moment.isdigit():
    checkpoint.hashlib = Hashlib
elif moment == "before it is flushed":
    checkpoint.os.fsync = lambda handle: die()
elif moment == "before it is renamed":
    checkpoint.Path.replace = lambda draft, path: die()
Keeper(Database(sys.argv[1])).renew(anew=True)
die()
"""
BLOCKS = Random(4).sample(range(1, 120), 4)


@pytest.mark.parametrize(
    "moment", [*map(str, BLOCKS), "before it is flushed", "before it is renamed", "once it is there"]
)
def test_a_process_killed_while_it_writes_leaves_the_old_checkpoint_or_the_new(database, moment):
    load_contacts(database, "test", [(f"p{n}", contact(f"Given{n}", f"Family{n}")) for n in range(20)])
    keeper = Keeper(database)
    keeper.renew()
    before = head(database)
    load_contacts(database, "other", [(f"q{n}", contact(f"Given{n}", f"Other{n}")) for n in range(20)])
    killed = subprocess.run([sys.executable, "-c", WRITER, database.url, moment], check=False)
    assert killed.returncode == -signal.SIGKILL
    left = keeper.load()
    assert left is not None
    assert left.applied == (head(database) if moment == "once it is there" else before)
    renewed = keeper.renew()
    assert (renewed.rebuilt, renewed.engine.applied) == (left.dead_share > 0.3, head(database))
    assert state_of(renewed.engine) == state_of(keeper.load()) == fresh(database)


PEOPLE = 3_000
EVERYONE = {"filters": {"contacts": {"include": {"countries": ["US"]}}}, "pagination": {"size": 10}}


def people(path):
    """An import file; every fifth person works at a company that no other row names."""
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


@pytest.mark.parametrize("victim", ["import", "server", "both"])
def test_after_a_kill_in_the_middle_of_an_import_a_server_answers_exactly(
    command, database, tmp_path, victim
):
    command.json("account", "create", "acme")
    key = command.json("key", "create", "--account", "acme")["apiKey"]
    path, port = people(tmp_path / "people.jsonl"), free_port()
    server = Server(command, port)
    server.wait_until_ready()
    importing = command.start("import", "contacts", path)
    some = Random(victim).randrange(1, PEOPLE)
    while importing.poll() is None and head(database) < some:
        pass
    processes = {"import": [importing], "server": [server.process], "both": [importing, server.process]}
    for process in processes[victim]:
        process.send_signal(signal.SIGKILL)
    importing.communicate()
    if server.process.poll() is not None or victim != "import":
        server.process.communicate()
        server = Server(command, port)
        server.wait_until_ready()

    for imported_again in (False, True):
        if imported_again:
            command.json("import", "contacts", path)
        server.wait_until_searchable(head(database))
        answer = httpx.post(f"{server.url}/v3/contacts/prospecting", json=EVERYONE, headers={"api_key": key})
        held = database.session().raw.execute("SELECT count(*) FROM contacts").fetchone()[0]
        assert answer.json()["pagination"]["total"] == held
    server.stop()
    assert held == PEOPLE
    kept = Keeper(database).load()
    assert kept is not None
    assert state_of(kept) == fresh(database)
