"""Command `firmograph demo`, on a part of its data."""

import json
import lzma
import signal
import sys
from importlib.resources import files

import pytest

from command_fixtures import InProcess
from firmograph import cli
from firmograph.cli.demo import data_files
from server_fixtures import Command, free_port

pytestmark = pytest.mark.any_database

EVERY = 100
RECORDS = ("companies", "contacts", "job-changes")
NAMED = (
    "siemens.com", "amd.com", "intel.com", "nvidia.com", "qualcomm.com", "broadcom.com", "noaa.gov", "made-up:",
    "Justice Statistics", "Schumer", "Velázquez", "alyse.galvin", "Ohio Senate", "Texas Senate", "Virginia Senate",
    "Idaho Senate", "Nevada Senate", "Iowa Senate", "example.com", "IS1001a",
)  # fmt: skip
"""Texts in the rows that the demonstration asks for."""


def small_part(name: str, packed: bytes) -> bytes:
    if not name.endswith(".jsonl.xz"):
        return packed
    texts = [text.encode() for text in NAMED]
    rows = lzma.decompress(packed).splitlines(keepends=True)
    # facts are rejected without their companies
    every = EVERY if name.partition(".")[0] in RECORDS else len(rows) + 1
    kept = [row for at, row in enumerate(rows, 1) if at % every == 0 or any(text in row for text in texts)]
    return lzma.compress(b"".join(kept), preset=0)


@pytest.fixture
def small_data(tmp_path, monkeypatch):
    """Let this process take the demonstration's data from a folder with a part of them."""
    folder = tmp_path / "packaged"
    folder.mkdir()
    for file in (files("firmograph.cli.demo") / "data").iterdir():
        content = file.read_bytes()
        (folder / file.name).write_bytes(content if file.name == "NOTICE" else small_part(file.name, content))
    packaged = data_files.version()
    monkeypatch.setattr(data_files, "_DATA", folder)
    return packaged


@pytest.mark.slow("demonstration", "cli", "api")
def test_the_demonstration_answers_and_starts_again_with_what_is_there(small_data, tmp_path):
    in_process = InProcess(tmp_path, f"sqlite:///{tmp_path}/own.db")
    before = signal.getsignal(signal.SIGTERM)
    try:
        done = in_process("demo", "--folder", "shown", "--port", str(free_port()))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "decision_maker" in done.stdout
    assert "senate" in done.stdout.lower()
    assert "page views, new" in done.stdout
    assert "visitors" in done.stdout
    assert "credits used" in done.stdout
    assert "segments" in done.stdout
    assert "from the provider first for 8 credits" in done.stdout
    assert "Erased Jane Example" in done.stdout
    assert not (tmp_path / "own.db").exists()

    # the next process has all of the packaged data
    folder = tmp_path / "shown"
    (folder / "loaded").write_text(small_data)
    process = Command(tmp_path, in_process.database_url).start(
        "demo", "--stay", "--folder", "shown", "--port", str(free_port())
    )
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "KEY=" in line:
            break
    process.send_signal(signal.SIGTERM)
    rest, errors = process.communicate()
    assert process.returncode == 0, errors
    assert json.loads((folder / "access.json").read_text())["key"] in lines[-1]
    assert [line for line in (*lines, rest) if "import" in line or "account create" in line] == []


@pytest.fixture
def demo(in_process):
    """Run the command, which ends before it serves."""
    before = signal.getsignal(signal.SIGTERM)
    yield lambda *options: in_process("demo", *options)
    signal.signal(signal.SIGTERM, before)


def test_a_folder_that_cannot_be_made_is_refused_in_one_line(demo, tmp_path):
    (tmp_path / "taken").write_text("")
    done = demo("--folder", "taken")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Error: The folder taken cannot be made: File exists; choose another with --folder"
    ]


def test_a_folder_with_a_database_of_its_own_is_refused_and_left_as_it_is(demo, tmp_path):
    (tmp_path / "own").mkdir()
    database = tmp_path / "own" / "firmograph.db"
    database.write_bytes(b"own")
    done = demo("--folder", "own")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Error: own/firmograph.db was not made by the demonstration; choose another folder with --folder"
    ]
    assert [file.name for file in database.parent.iterdir()] == ["firmograph.db"]
    assert database.read_bytes() == b"own"


def test_a_start_on_windows_names_wsl(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit, match="run it in WSL"):
        cli.run()
