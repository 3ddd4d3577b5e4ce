"""Real processes that are killed at any line of a backup or a restore, and what is found afterwards."""

import signal
import subprocess
import sys
from random import Random

import pytest
from installation import unwatched

import database_fixtures
from firmograph.backup import archive
from record_factory import contact, load_contacts
from server_fixtures import eventually

PARENT = """
import os, signal, sys

seen = 0

def on_line(frame, event, argument):
    global seen
    if event == "line":
        seen += 1
        if seen == deadly:
            os.kill(os.getpid(), signal.SIGKILL)
    return on_line

def on_call(frame, event, argument):
    name = frame.f_code.co_filename
    return on_line if "/firmograph/backup/" in name or name.endswith("/kit/atomic_files.py") else None

from firmograph.backup import postgresql, service, sqlite
from firmograph.cli.main import load, run
sqlite._STEP = 4
load("backup")

for line in sys.stdin:
    number, *words = line.split()
    deadly = int(number)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    sys.argv, sys.stdout = ["firmograph", *words], sys.stderr
    sys.settrace(on_call)
    try:
        run()
    except SystemExit as ended:
        assert not ended.code, ended.code
    print("lines:", seen, file=sys.__stdout__, flush=True)
    break
"""
PARTS = 4
OTHERS = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)


class Deadly:
    """Commands of an installation, each in a process of its own that is killed at one of its lines.

    They are forked by one that has loaded the program, as that takes longer than what they do.
    """

    def __init__(self, installation):
        self.parent = subprocess.Popen(
            [sys.executable, "-c", PARENT],
            cwd=installation.folder,
            env=installation.command.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, line, *words):
        """How many lines it had if it ended before that one; None when it was killed."""
        print(line, *words, file=self.parent.stdin, flush=True)
        said, lines = self.parent.stdout.readline(), None
        if said.startswith("lines:"):
            lines, said = int(said.split()[1]), self.parent.stdout.readline()
        assert int(said) in ((-signal.SIGKILL,) if lines is None else (0,)), said
        return lines

    def moments(self, *words):
        """A line of each part of a command, of which it is run once for that."""
        lines, draws = self.run(0, *words), Random(1)
        return [
            draws.randint(part * lines // PARTS + 1, (part + 1) * lines // PARTS) for part in range(PARTS)
        ]


@pytest.fixture
def deadly(filled):
    deadly = Deadly(filled)
    yield deadly
    deadly.parent.communicate(timeout=60)


@pytest.fixture
def filled(here):
    load(here, "ann", "bob", "cid")
    here.accounts.create("acme", "unlimited", 0)
    here.accounts.create_key("acme")
    return here


def load(installation, *names):
    people = [(name, contact(name.title(), "Example", emails=[f"{name}@example.com"])) for name in names]
    load_contacts(installation.database, "test", people, installation.clock)


def is_whole(file):
    with archive.open_archive(file) as backup:
        backup.check(unwatched(""))
    return True


def test_a_killed_backup_leaves_no_file_or_a_whole_one(filled, deadly, file):
    command = ("backup", str(file), "--force")
    moments = deadly.moments(*command)
    before = file.read_bytes()
    for moment in moments[::2]:
        deadly.run(moment, *command)
        assert file.read_bytes() == before or is_whole(file)
    for moment in moments[1::2]:
        file.unlink(missing_ok=True)
        deadly.run(moment, *command)
        assert not file.exists() or is_whole(file)
    filled.command.json(*command)
    assert is_whole(file)
    assert list(file.parent.glob(".*.part")) == []


def test_a_killed_restore_has_happened_or_not_and_whoever_was_kept_out_stays_out(filled, deadly, file):
    restore = ("restore", str(filled.back_up(file)), "--force")
    outcomes = set()
    for moment in [*deadly.moments(*restore), 0]:
        load(filled, "eve")
        filled.suppress(email="ann@example.com")
        if filled.rows("SELECT 1 FROM api_keys WHERE revoked_at IS NULL"):
            filled.accounts.revoke_key("acme")
        before = filled.identity()
        deadly.run(moment, *restore)
        # one snapshot: a program that the killed process had started may just be ending
        with filled.database.read():
            happened = filled.identity() != before
            assert filled.emails() == {"bob@example.com", "cid@example.com"} | (
                set() if happened else {"eve@example.com"}
            )
            assert filled.rows("SELECT 1 FROM api_keys WHERE revoked_at IS NULL") == []
            assert len(filled.rows("SELECT 1 FROM suppressions")) == 3
        outcomes.add(happened)
        if not database_fixtures.EMBEDDED:
            eventually(lambda: not filled.rows(OTHERS), "what the killed process had started does not end")
    assert outcomes == {True, False}
    assert list(filled.folder.glob(".*.part")) == []
