"""Sources that were removed after a backup stay out of its restore."""

import pytest
from installation import Installation

from firmograph.ingest.imports.removal import SourceRemoval
from firmograph.ingest.imports.sources import Sources
from installation_factory import installation_of
from record_factory import contact, load_contacts


@pytest.fixture
def backed_up(tmp_path):
    """Return an installation with two sources, and a backup of it."""
    own = Installation(tmp_path / "own")
    load_contacts(own.database, "crm", [contact("Ann", "Lee", emails=["ann@a.example"])])
    other = [contact("Ann", "Lee", emails=["ann@a.example", "odd@a.example"]), contact("Zoe", "Roe")]
    load_contacts(own.database, "fair", other)
    return own, own.back_up(tmp_path / "backup")


def remove(own, name):
    installation_of(own.database, own.clock).get(SourceRemoval).remove(name)


def state(own, name):
    return installation_of(own.database, own.clock).get(Sources).find(name).state


def names(own):
    return own.rows("SELECT id FROM contacts ORDER BY id")


def test_a_source_that_was_removed_since_is_taken_out_of_the_backup(backed_up):
    own, file = backed_up
    remove(own, "fair")
    preserved = own.restore(file)
    assert (preserved.sources, names(own), state(own, "fair")) == (1, [(1,)], "removed")
    assert own.rows("SELECT count(*) FROM contact_rows") == [(1,)]


def test_a_source_that_was_imported_again_comes_back(backed_up):
    own, file = backed_up
    remove(own, "fair")
    (own.folder / "fair.csv").write_text("First Name,Last Name,Email\nZoe,Roe,zoe@a.example\n")
    own.command.json("import", "contacts", "fair.csv", "--source", "fair")
    assert own.restore(file).sources == 0
    # records that were removed stay out, as after any restore
    assert own.rows("SELECT contact_id FROM contact_rows") == [(1,), (1,)]


def test_a_removed_source_that_the_backup_lacks_stays_known_as_removed(backed_up):
    own, file = backed_up
    load_contacts(own.database, "late", [contact("Sam", "Poe")])
    remove(own, "late")
    own.restore(file)
    assert (state(own, "late"), names(own)) == ("removed", [(1,), (2,)])


def test_another_installation_removes_nothing_from_the_backup(backed_up, tmp_path):
    _, file = backed_up
    other = Installation(tmp_path / "other")
    load_contacts(other.database, "fair", [contact("Sam", "Poe")])
    remove(other, "fair")
    assert other.restore(file).sources == 0
    assert names(other) == [(1,), (2,)]
