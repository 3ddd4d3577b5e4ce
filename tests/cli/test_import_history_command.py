"""`firmograph import list`, `show` and `undo`."""

import json

import pytest

PEOPLE = {"sourceId": "1", "fullName": "Jane Doe", "emails": ["jane@acme.example"], "company": "Acme"}


@pytest.fixture
def imported(in_process, tmp_path):
    """Return a function that imports rows and returns the completed command."""

    def imported(*rows, source="crm", kind="contacts", name="people.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return in_process("import", kind, str(path), "--source", source)

    return imported


def test_an_import_names_its_undo_and_is_listed_shown_and_undone(in_process, imported):
    done = imported(PEOPLE)
    assert "This was import 1; to take it back: firmograph import undo 1" in done.stderr
    (listed,) = in_process.json("import", "list")
    assert {
        name: listed[name] for name in ("id", "source", "kind", "file", "state", "created", "canBeUndone")
    } == {
        "id": 1,
        "source": "crm",
        "kind": "contacts",
        "file": "people.jsonl",
        "state": "done",
        "created": 1,
        "canBeUndone": True,
    }
    assert in_process.json("import", "show", "1") == listed
    assert "people.jsonl" in in_process("import", "list").stdout
    preview = in_process.json("import", "undo", "1", "--dry-run")
    assert (preview["imports"], preview["paidRecords"]) == ([1], 0)
    undone = in_process.json("import", "undo", "1")
    assert undone["imports"] == [
        {"id": 1, "contactsRemoved": 1, "companiesRemoved": 1, "changed": 0, "signals": 0, "marks": 0}
    ]
    assert undone["imports"][0].items() - {"id": 1}.items() <= preview.items()
    assert [each["state"] for each in in_process.json("import", "list")] == ["undone"]
    (action,) = in_process.json("audit")["actions"]
    assert (action["action"], action["object"]) == ("import undo", "import 1")


def test_an_undo_says_what_it_took_and_what_stays(in_process, imported):
    imported(PEOPLE)
    done = in_process("import", "undo", "1")
    assert done.stdout == (
        "Import 1 was taken back: 1 contact and 1 company removed, 0 records changed, 0 signals deleted\n"
    )
    assert "What was delivered, charged or exported stays" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["9"], 1, "Error: There is no import 9; `firmograph import list` shows all"),
        (
            ["1"],
            1,
            "Error: Import 1 cannot be taken back alone: later imports of 'crm' met the same records (2).",
        ),
        (["3"], 1, "Error: Import 3 is of headcounts, which are not taken back"),
        (["0"], 2, "'0' is no number of an import"),
        (["one"], 2, "'one' is no number of an import"),
    ],
)
def test_an_undo_that_cannot_be_is_refused_in_one_line(in_process, imported, words, code, message):
    imported(PEOPLE)
    imported(PEOPLE | {"jobTitle": "CEO"})
    imported({"company": "Acme", "date": "2026-01-01", "count": 7}, kind="headcounts", name="heads.jsonl")
    done = in_process("import", "undo", *words)
    assert done.returncode == code
    assert message in done.stderr
    assert code == 2 or done.stderr.count("\n") == 1
    assert [each["state"] for each in in_process.json("import", "list")] == ["done"] * 3


@pytest.mark.parametrize("words", [("list",), ("show", "1"), ("undo", "1")])
def test_without_a_database_none_is_created(in_process, tmp_path, words):
    done = in_process("import", *words, FIRMOGRAPH_DATABASE_URL=f"sqlite:///{tmp_path / 'none.db'}")
    assert (done.returncode, "There is no database at" in done.stderr) == (1, True)
    assert not (tmp_path / "none.db").exists()


def test_a_dry_run_of_an_import_is_not_listed(in_process, tmp_path):
    in_process("account", "list")
    path = tmp_path / "people.jsonl"
    path.write_text(json.dumps(PEOPLE))
    assert "import" not in in_process.json("import", "contacts", str(path), "--dry-run")
    assert in_process.json("import", "list") == []
