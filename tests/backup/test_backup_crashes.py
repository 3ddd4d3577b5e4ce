"""Processes killed at any line of a backup or a restore."""

import signal
import subprocess
from random import Random

import pytest
from installation import no_progress

import database_fixtures
from firmograph.backup import archive
from process_server import LoadedProcess
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
for command in ("backup", "restore"):
    load(command)

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


class KilledCommands:
    """Commands of an installation in processes that are killed at one of their lines.

    They are forked from a process that has loaded the program: loading takes longer than the commands.
    """

    def __init__(self, installation):
        self.parent = LoadedProcess(
            ["-c", PARENT],
            cwd=installation.folder,
            env=installation.command.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, line, *words):
        """Run a command; return its number of lines, or None if it was killed."""
        print(line, *words, file=self.parent.stdin, flush=True)
        answer, lines = self.parent.stdout.readline(), None
        if answer.startswith("lines:"):
            lines, answer = int(answer.split()[1]), self.parent.stdout.readline()
        assert int(answer) in ((-signal.SIGKILL,) if lines is None else (0,)), answer
        return lines

    def moments(self, *words):
        """Run a command once and return a line of each of its parts."""
        lines, draws = self.run(0, *words), Random(1)
        return [
            draws.randint(part * lines // PARTS + 1, (part + 1) * lines // PARTS) for part in range(PARTS)
        ]


@pytest.fixture
def killed_commands(filled):
    commands = KilledCommands(filled)
    yield commands
    commands.parent.communicate(timeout=60)


def fill(installation):
    load(installation, "ann", "bob", "cid")
    installation.accounts.create("acme", "unlimited", 0)
    installation.accounts.create_key("acme")


def load(installation, *names):
    people = [(name, contact(name.title(), "Example", emails=[f"{name}@example.com"])) for name in names]
    load_contacts(installation.database, "test", people, installation.clock)


def is_complete(file):
    with archive.open_archive(file) as backup:
        backup.check(no_progress(""))
    return True


@pytest.mark.slow("killed backup")
def test_a_killed_backup_leaves_no_file_or_a_complete_one(filled, killed_commands, file):
    command = ("backup", str(file), "--force")
    moments = killed_commands.moments(*command)
    before = file.read_bytes()
    for moment in moments[::2]:
        killed_commands.run(moment, *command)
        assert file.read_bytes() == before or is_complete(file)
    for moment in moments[1::2]:
        file.unlink(missing_ok=True)
        killed_commands.run(moment, *command)
        assert not file.exists() or is_complete(file)
    filled.command.json(*command)
    assert is_complete(file)
    assert list(file.parent.glob(".*.part")) == []


@pytest.mark.slow("killed restore")
def test_a_killed_restore_is_atomic_and_preserves_suppressions_and_revocations(filled, killed_commands, file):
    restore = ("restore", str(filled.back_up(file)), "--force")
    results = set()
    for moment in [*killed_commands.moments(*restore), 0]:
        load(filled, "eve")
        filled.suppress(email="ann@example.com")
        if filled.rows("SELECT 1 FROM api_keys WHERE revoked_at IS NULL"):
            filled.accounts.revoke_key("acme")
        before = filled.identity()
        suppressions = sorted(filled.rows("SELECT digest, person FROM suppressions"))
        killed_commands.run(moment, *restore)
        # one snapshot: a child of the killed process may still be finishing
        with filled.database.read():
            happened = filled.identity() != before
            assert filled.emails() == {"bob@example.com", "cid@example.com"} | (
                set() if happened else {"eve@example.com"}
            )
            assert filled.rows("SELECT 1 FROM api_keys WHERE revoked_at IS NULL") == []
            assert sorted(filled.rows("SELECT digest, person FROM suppressions")) == suppressions
        results.add(happened)
        if not database_fixtures.EMBEDDED:
            eventually(lambda: not filled.rows(OTHERS), "a child of the killed process does not end")
    assert results == {True, False}
    assert list(filled.folder.glob(".*.part")) == []
