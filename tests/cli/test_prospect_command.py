"""`firmograph prospect` as a process of its own, and the index that it reads and updates."""

import json
import re

import pytest
from prospect_command import SALES, names, person, runner
from typer.testing import CliRunner

from firmograph.cli import ingest
from firmograph.cli.privacy import suppression
from firmograph.indexing import checkpoints

pytestmark = pytest.mark.any_database


def test_the_index_is_built_once_and_then_read_from_its_checkpoint(own):
    run = runner(own)
    first = run(*SALES, "--json")
    (checkpoint,) = own.folder.glob("*.search")
    built = checkpoint.stat().st_mtime_ns
    second = run(*SALES, "--json")
    assert checkpoint.stat().st_mtime_ns == built
    assert first.stdout == second.stdout


def test_changes_since_the_checkpoint_are_found_without_suppressed_people(own, tmp_path):
    run = runner(own)
    assert names(run(*SALES, "--json")) == {"Ann", "Dee"}
    (tmp_path / "more.jsonl").write_text(json.dumps(person("Eli", "Sales Director", "acme")))
    CliRunner().invoke(ingest.app, ["contacts", str(tmp_path / "more.jsonl")], env=own.environment)
    out = CliRunner().invoke(
        suppression.app, ["suppress", "--email", "ann@acme.example.com"], env=own.environment
    )
    assert out.exit_code == 0
    assert names(run(*SALES, "--json")) == {"Dee", "Eli"}


@pytest.mark.any_database
def test_a_checkpoint_far_behind_is_updated(own, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "MAX_FOLLOWED", 1)
    run, more = runner(own), tmp_path / "more.jsonl"
    run(*SALES)
    more.write_text(
        "".join(json.dumps(person(name, "Sales Clerk", "acme")) + "\n" for name in ("Eli", "Flo"))
    )
    CliRunner().invoke(ingest.app, ["contacts", str(more)], env=own.environment)
    (checkpoint,) = own.folder.glob("*.search")
    before = checkpoint.read_bytes()
    run(*SALES)
    after = checkpoint.read_bytes()
    assert after != before
    run(*SALES)
    assert checkpoint.read_bytes() == after


# --- the command itself ---


@pytest.mark.any_database
def test_a_damaged_checkpoint_is_rebuilt_and_reported_on_stderr(own, tmp_path):
    runner(own)(*SALES)
    (checkpoint,) = tmp_path.glob("*.search")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    done = own.forked("prospect", *SALES, "--json")
    assert json.loads(done.stdout)["total"] == 2
    assert "it is damaged" in done.stderr
    assert names(runner(own)(*SALES, "--json")) == {"Ann", "Dee"}


@pytest.mark.any_database
def test_the_command_prints_json_alone_and_a_refusal_as_one_line(own):
    command = own.forked
    done = own.command("prospect", *SALES, "--json")
    assert (done.returncode, json.loads(done.stdout)["total"]) == (0, 2)
    failed = command("prospect", "contacts", "--department", "Sails")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert re.fullmatch(r"Error: filters\.contacts\.include\.departments\.0 must be [^\n]+\n", failed.stderr)
    assert command("prospect", "contacts", "--size", "many").returncode == 2


@pytest.mark.any_database
def test_an_output_that_accepts_no_more_is_reported_in_one_line(own):
    with open("/dev/full", "wb") as full:
        done = own.forked("prospect", *SALES, "--format", "csv", stdout=full)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "Error: The output cannot be written: No space left on device"
