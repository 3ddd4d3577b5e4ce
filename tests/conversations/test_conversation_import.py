"""The command `import conversations`, from files to answers."""

import json

import pytest
from transcript_files import FILES, START

VTT = FILES["WebVTT with voices"][0]


@pytest.fixture
def imported(in_process):
    """Return a function that imports files into the account Acme."""
    assert in_process("account", "create", "Acme", "--plan", "unlimited").returncode == 0

    def run(*arguments, code=0):
        done = in_process("import", "conversations", "--account", "Acme", *arguments)
        assert done.returncode == code, done.stderr
        return done

    return run


def counts(done):
    report = json.loads(done.stdout)
    return [report[name] for name in ("read", "created", "updated", "unchanged", "rejected")]


def native(key, *texts, **given):
    segments = [{"speaker": "Ann", "text": text} for text in texts]
    return json.dumps({"sourceId": key, "startedAt": START, "segments": segments, **given})


def test_a_file_is_imported_once_and_changed_content_replaces_it(imported, in_process):
    (in_process.folder / "call.vtt").write_text(VTT)
    arguments = ["call.vtt", "--title", "Demo", "--started-at", START, "--json"]
    assert counts(imported(*arguments)) == [1, 1, 0, 0, 0]
    assert counts(imported(*arguments)) == [1, 0, 0, 1, 0]
    (in_process.folder / "call.vtt").write_text(VTT.replace("Hello", "Goodbye"))
    assert counts(imported(*arguments)) == [1, 0, 1, 0, 0]
    assert counts(imported(*arguments, "--source", "other")) == [1, 1, 0, 0, 0]


def test_unusable_conversations_are_rejected_by_name_and_the_rest_goes_in(imported, in_process):
    lines = [native("a", "hi"), "{", native("b", "yo", startedAt=None)]
    (in_process.folder / "calls.jsonl").write_text("\n".join(lines))
    assert counts(imported("calls.jsonl", "--json", code=3)) == [3, 1, 0, 0, 2]
    rejects = (in_process.folder / "calls.jsonl.rejects.jsonl").read_text().splitlines()
    assert [json.loads(one)["line"] for one in rejects] == [2, 3]


def test_an_import_is_a_row_that_undo_refuses(imported, in_process):
    (in_process.folder / "calls.jsonl").write_text(native("a", "hi"))
    imported("calls.jsonl")
    (row,) = json.loads(in_process("import", "list", "--json").stdout)
    assert (row["kind"], row["created"], row["state"]) == ("conversations", 1, "done")
    refused = in_process("import", "undo", str(row["id"]))
    assert refused.returncode == 1
    assert "firmograph conversations delete" in refused.stderr


def test_a_dry_run_changes_nothing(imported, in_process):
    (in_process.folder / "calls.jsonl").write_text(native("a", "hi"))
    assert counts(imported("calls.jsonl", "--dry-run", "--json")) == [1, 1, 0, 0, 0]
    assert counts(imported("calls.jsonl", "--json")) == [1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.vtt"], "missing.vtt is no file"),
        (["call.vtt", "call.vtt", "--title", "x"], "are for a single conversation"),
        (["call.vtt", "--started-at", "soon"], "'soon' is no date and time"),
        (["call.vtt", "--company-domain", "acme"], "'acme' is no domain"),
        (["call.vtt"], "Nothing was imported"),
    ],
)
def test_invalid_options_are_refused(imported, in_process, arguments, message):
    (in_process.folder / "call.vtt").write_text(VTT)
    assert message in imported(*arguments, code=1).stderr


def test_an_unknown_account_is_refused(in_process):
    in_process("account", "create", "Acme", "--plan", "unlimited")
    (in_process.folder / "call.vtt").write_text(VTT)
    done = in_process("import", "conversations", "--account", "Other", "call.vtt")
    assert done.returncode == 1
    assert "Other" in done.stderr
