"""Do-not-call numbers and deletion lists that came after a backup are kept by its restore."""

import hashlib

import pytest
from installation import Installation

from firmograph.database.connection import RECORDS
from firmograph.directory.records import Phone
from firmograph.ingest.deletion_lists.service import DeletionLists
from firmograph.ingest.do_not_call.service import DoNotCall
from firmograph.privacy.deletion_lists.list_file import open_lists
from firmograph.privacy.deletion_lists.listed_hashes import add_missing, address_digests
from firmograph.privacy.suppression import Suppression
from installation_factory import installation_of
from record_factory import DIGESTS, contact, load_contacts
from stored_records import stored_contacts

NUMBER = "+14155559317"


@pytest.fixture
def backed_up(tmp_path):
    """Return an installation with two people, and a backup of it."""
    own = Installation(tmp_path / "own")
    ann = contact("Ann", "Lee", emails=["ann@a.example"], phones=[Phone(NUMBER)])
    load_contacts(own.database, "crm", [ann, contact("Zoe", "Roe", emails=["zoe@a.example"])])
    return own, own.back_up(tmp_path / "backup")


def people(own):
    return {record.first_name: record for record, _ in stored_contacts(own.database).values()}


def test_numbers_added_since_mark_the_people_of_the_backup(backed_up):
    own, file = backed_up
    registry = installation_of(own.database, own.clock).get(DoNotCall)
    registry.add([NUMBER, "+12025550199"], "privacy dnc import")
    assert own.restore(file).listed == 2
    assert people(own)["Ann"].phones[0].do_not_call
    assert sum(each.numbers for each in registry.counts()) == 2


def test_people_on_a_list_that_came_since_stay_out_of_the_backup(backed_up):
    own, file = backed_up
    installation = installation_of(own.database, own.clock)
    installation.get(Suppression).suppress_records([1])
    own.folder.joinpath("list.csv").write_text(f"{hashlib.sha256(b'zoe@a.example').hexdigest()}\n")
    applied = installation.get(DeletionLists).apply(open_lists(own.folder / "list.csv"), shared=False)
    assert applied.records == 1
    assert own.restore(file).listed == 1
    assert people(own) == {}


def test_a_hash_that_matched_nobody_then_keeps_people_of_the_backup_out(backed_up):
    own, file = backed_up
    with own.database.write(RECORDS) as session:
        add_missing(session, address_digests(DIGESTS, "zoe@a.example"), 20_000)
    assert own.restore(file).listed == 1
    assert people(own).keys() == {"Ann"}
    again = load_contacts(own.database, "crm", [contact("Zoe", "Roe", emails=["zoe@a.example"])])
    assert again.suppressed == 1
