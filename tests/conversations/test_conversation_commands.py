"""Commands `firmograph conversations`."""

import json

import pytest
from transcript_files import START


@pytest.fixture
def held(in_process):
    """Return the command line with an account that has one conversation, and its id."""
    assert in_process("account", "create", "Acme", "--plan", "unlimited").returncode == 0
    segments = [
        {"speaker": "Speaker 1", "text": "Hello & <welcome>", "startSeconds": 0, "endSeconds": 2},
        {"speaker": "Ann", "text": "Hi", "startSeconds": 2, "endSeconds": 3661.5},
    ]
    content = {"sourceId": "a", "title": "Demo", "startedAt": START, "segments": segments}
    (in_process.folder / "call.json").write_text(json.dumps(content))
    load(in_process)
    return in_process, listed(in_process)["conversations"][0]["id"]


def load(in_process):
    done = in_process("import", "conversations", "--account", "Acme", "--source", "crm", "call.json")
    assert done.returncode == 0, done.stderr


def run(in_process, *arguments, code=0):
    done = in_process("conversations", *arguments, "--account", "Acme")
    assert done.returncode == code, done.stderr
    return done


def listed(in_process):
    return json.loads(run(in_process, "list", "--json").stdout)


def test_list_and_show_tell_the_state(held):
    in_process, conversation_id = held
    shown = listed(in_process)
    assert shown["total"] == 1
    assert shown["conversations"][0] | {"nextAnalysisAt": None} == {
        "id": conversation_id,
        "title": "Demo",
        "startedAt": "2026-03-31T14:00:00.000Z",
        "durationSeconds": 3662,
        "source": "crm",
        "state": "ready",
        "failures": 0,
        "failure": None,
        "nextAnalysisAt": None,
    }
    assert "ready" in run(in_process, "list").stdout
    assert "Demo" in run(in_process, "show", conversation_id).stdout
    assert json.loads(run(in_process, "show", conversation_id, "--json").stdout)["analysis"] is None


@pytest.mark.parametrize("name", ["copy.vtt", "copy.srt"])
def test_an_exported_transcript_is_imported_as_the_same(held, name):
    in_process, conversation_id = held
    run(in_process, "export", conversation_id, name)
    arguments = ["--account", "Acme", "--source", "copy", "--started-at", START, name]
    assert in_process("import", "conversations", *arguments).returncode == 0
    other = next(one for one in listed(in_process)["conversations"] if one["id"] != conversation_id)
    texts = [run(in_process, "export", one).stdout for one in (conversation_id, other["id"])]
    assert texts[0] == texts[1]
    assert texts[0] == "[00:00:00] Speaker 1: Hello & <welcome>\n[00:00:02] Ann: Hi\n"


def test_names_given_to_speakers_stay_through_another_import(held):
    in_process, conversation_id = held
    run(in_process, "speakers", conversation_id, "--name", "Speaker 1=Jane Doe")
    run(in_process, "speakers", conversation_id, "--name", "Jane Doe=Jane Roe")
    changed = (in_process.folder / "call.json").read_text().replace("Hi", "Good day")
    (in_process.folder / "call.json").write_text(changed)
    load(in_process)
    text = run(in_process, "export", conversation_id).stdout
    assert "Jane Roe: Hello" in text
    assert "Ann: Good day" in text


def test_competitors_are_added_and_removed(held):
    in_process, _ = held
    run(in_process, "competitors", "--add", "Initech=ITech, Ini", "--add", "Hooli")
    done = run(in_process, "competitors", "--remove", "Hooli", "--json")
    assert json.loads(done.stdout) == {"competitors": {"Initech": ["ITech", "Ini"]}}


def test_analyse_makes_conversations_wait_again(held):
    in_process, conversation_id = held
    assert "1 conversation will be" in run(in_process, "analyse", conversation_id).stderr
    assert "0 conversations will be" in run(in_process, "analyse", "--failed").stderr


def test_delete_removes_all_that_is_stored(held):
    in_process, conversation_id = held
    run(in_process, "delete", conversation_id)
    assert listed(in_process) == {"conversations": [], "total": 0}
    load(in_process)
    run(in_process, "delete", "--all", "--source", "other")
    assert listed(in_process)["total"] == 1
    run(in_process, "delete", "--all", "--source", "crm")
    assert listed(in_process)["total"] == 0


def test_the_model_needs_a_setting(held):
    in_process, _ = held
    assert "FIRMOGRAPH_MODEL_URL" in run(in_process, "analyser", "model", code=1).stderr
    run(in_process, "analyser", "local")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "nonsense"], 1, "no conversation 'nonsense'"),
        (["speakers", "{id}", "--name", "Bob=Jane"], 1, "'Bob' is no speaker"),
        (["speakers", "{id}", "--name", "Bob"], 2, "SPEAKER=NAME"),
        (["competitors", "--remove", "Nobody"], 1, "'Nobody' is no competitor"),
        (["delete"], 2, "either ids or --all"),
        (["analyse"], 2, "either ids or --failed"),
        (["delete", "{id}", "--source", "x"], 2, "--source goes with --all"),
    ],
)
def test_invalid_commands_say_what_to_do(held, arguments, code, message):
    in_process, conversation_id = held
    done = run(in_process, *(one.format(id=conversation_id) for one in arguments), code=code)
    assert message in done.stderr
