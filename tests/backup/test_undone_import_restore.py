"""Imports that were taken back after a backup are taken back in its restore too."""

import pytest
from installation import Installation

from firmograph.ingest.imports.undo import ImportUndo
from installation_factory import installation_of

HEAD = "Id,First Name,Last Name,Email,Job Title\n"
ANN = "1,Ann,Lee,ann@a.example,"


@pytest.fixture
def own(tmp_path):
    """Return an installation with two imports, of which the second changed a contact and created another."""
    own = Installation(tmp_path / "own")
    load(own, "first", ANN + "Clerk\n")
    load(own, "second", ANN + "Chief\n2,Zoe,Roe,zoe@a.example,Clerk\n")
    return own


def load(own, name, rows):
    (own.folder / f"{name}.csv").write_text(HEAD + rows)
    own.command.json("import", "contacts", f"{name}.csv", "--source", "crm")


def undo(own, number):
    installation_of(own.database, own.clock).get(ImportUndo).undo(number, and_later=False)


def states(own):
    return [row[0] for row in own.rows("SELECT state FROM imports ORDER BY id")]


def titles(own):
    return [bytes(row[0]) for row in own.rows("SELECT preview FROM contacts ORDER BY id")]


def test_an_import_that_was_taken_back_since_is_taken_back_in_the_copy(own, tmp_path):
    file = own.back_up(tmp_path / "backup")
    undo(own, 2)
    preserved = own.restore(file)
    assert (preserved.imports, states(own)) == (1, ["done", "undone"])
    (ann,) = titles(own)
    assert b"Clerk" in ann


def test_an_import_that_has_the_number_of_one_taken_back_stays(own, tmp_path):
    before = own.back_up(tmp_path / "before")
    load(own, "third", "3,Max,Poe,max@a.example,Clerk\n")
    undo(own, 3)
    own.restore(before)
    load(own, "fourth", "4,Kim,Poe,kim@a.example,Clerk\n")
    file = own.back_up(tmp_path / "backup")
    assert own.restore(file).imports == 0
    assert states(own)[-1] == "done"


def test_a_source_that_was_removed_and_imported_again_keeps_its_older_imports(own, tmp_path):
    file = own.back_up(tmp_path / "backup")
    own.command.json("source", "remove", "crm")
    load(own, "third", "3,Max,Poe,max@a.example,Clerk\n")
    assert own.restore(file).imports == 0
    assert states(own) == ["done", "done"]
