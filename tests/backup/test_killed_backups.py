"""Real processes that are killed at any line of a backup or a restore, and what is found afterwards."""

import signal
import subprocess
import sys
from random import Random

import pytest
from installation import unwatched

from firmograph.backup import archive
from rows import contact, load_contacts

CHILD = """
import os, signal, sys

seen, deadly = 0, int(sys.argv[1])

def on_line(frame, event, argument):
    global seen
    if event == "line":
        seen += 1
        if seen == deadly:
            os.kill(os.getpid(), signal.SIGKILL)
    return on_line

def on_call(frame, event, argument):
    name = frame.f_code.co_filename
    return on_line if "/firmograph/backup/" in name or name.endswith("/kit/aside.py") else None

from firmograph.backup import sqlite
from firmograph.cli.main import run
sqlite._STEP = 4
sys.argv = ["firmograph", *sys.argv[2:]]
sys.settrace(on_call)
try:
    run()
except SystemExit as ended:
    assert not ended.code, ended.code
print("lines:", seen)
"""
KILLS = 4


@pytest.fixture
def filled(here):
    load(here, "ann", "bob", "cid")
    here.accounts.create("acme", "unlimited", 0)
    here.accounts.create_key("acme")
    return here


def load(installation, *names):
    people = [(name, contact(name.title(), "Example", emails=[f"{name}@example.com"])) for name in names]
    load_contacts(installation.database, "test", people, installation.clock)


def run(installation, deadly, *arguments):
    """Run a command that is killed at one of its lines, or, at line 0, to its end."""
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(deadly), *arguments],
        cwd=installation.folder,
        env=installation.command.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def moments(installation, *arguments):
    """Some lines of a command, of which it is run once for that."""
    done = run(installation, 0, *arguments)
    assert done.returncode == 0, done.stderr
    lines = int(done.stdout.rsplit(" ", 1)[1])
    return sorted(Random(lines).sample(range(1, lines + 1), KILLS))


def killed(done):
    assert done.returncode == -signal.SIGKILL


def is_whole(file):
    with archive.opened(file) as backup:
        backup.check(unwatched(""))
    return True


def test_a_killed_backup_leaves_no_file_or_a_whole_one(filled, file):
    command = ("backup", str(file), "--force")
    deadly = moments(filled, *command)
    before = file.read_bytes()
    for moment in deadly[::2]:
        killed(run(filled, moment, *command))
        assert file.read_bytes() == before or is_whole(file)
    for moment in deadly[1::2]:
        file.unlink(missing_ok=True)
        killed(run(filled, moment, *command))
        assert not file.exists() or is_whole(file)
    filled.command.json(*command)
    assert is_whole(file)
    assert list(file.parent.glob(".*.part")) == []


def test_a_killed_restore_has_happened_or_not_and_whoever_was_kept_out_stays_out(filled, file):
    restore = ("restore", str(filled.back_up(file)), "--force")
    outcomes = set()
    for moment in [*moments(filled, *restore), 0]:
        load(filled, "eve")
        filled.suppress(email="ann@example.com")
        if filled.rows("SELECT 1 FROM api_keys WHERE revoked_at IS NULL"):
            filled.accounts.revoke_key("acme")
        before = filled.identity()
        done = run(filled, moment, *restore)
        assert done.returncode == (-signal.SIGKILL if moment else 0)
        # one snapshot: a program that the killed process had started may just be ending
        with filled.database.read():
            happened = filled.identity() != before
            assert filled.emails() == {"bob@example.com", "cid@example.com"} | (
                set() if happened else {"eve@example.com"}
            )
            assert filled.rows("SELECT 1 FROM api_keys WHERE revoked_at IS NULL") == []
            assert len(filled.rows("SELECT 1 FROM suppressions")) == 3
        outcomes.add(happened)
    assert outcomes == {True, False}
    assert list(filled.folder.glob(".*.part")) == []
