"""Splits of records whose rows belong to different people or companies."""

import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.records import Company, CompanyLinks
from firmograph.ingest.merging.split import RecordSplitter
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts
from stored_records import change_count, stored_companies, stored_contacts
from suppression_factory import suppression_of

TOKENS = RecordIds(KEYRING)
SHARED = "https://www.linkedin.com/in/front-desk"
JANE = contact(emails=["jane@acme.example"], linkedin=SHARED, title="Clerk", day="2024-01-02")
JOAN = contact("J.", emails=["joan@acme.example"], linkedin=SHARED, day="2024-01-01")
DESK = contact("J.", emails=["desk@acme.example"], linkedin=SHARED, day="2023-01-01")


@pytest.fixture
def records(database):
    return RecordSplitter(database, Digests(KEYRING), RecordIds(KEYRING), SetClock())


def token(number, entity=Entity.CONTACT):
    return TOKENS.seal(entity, number)


def load_all(database, order=("crm", "web", "fair")):
    rows = {"crm": ("1", JANE), "web": ("", JOAN), "fair": ("9", DESK)}
    return [load_contacts(database, source, [rows[source]]) for source in order]


@pytest.fixture
def merged(database):
    load_all(database)
    assert list(stored_contacts(database)) == [1]


def emails(database):
    return {
        number: sorted(email.email for email in record.emails)
        for number, (record, _) in stored_contacts(database).items()
    }


def holders(database, digest):
    found = database.session().raw.execute("SELECT digest, contact_id FROM contact_keys ORDER BY contact_id")
    return [number for key, number in found if bytes(key) == digest]


def test_the_rows_of_a_record_are_shown_with_their_keys(records, merged):
    view = records.show(token(1))
    assert [(row.name(), row.day, row.versions) for row in view.rows] == [
        ("crm/1", "2024-01-02", 1),
        ("web/", "2024-01-01", 1),
        ("fair/9", "2023-01-01", 1),
    ]
    assert [tuple(key) for key in view.rows[0].keys] == [
        ("sourceId", "1"),
        ("linkedin", SHARED),
        ("email", "jane@acme.example"),
        ("name", "Jane Doe"),
    ]


def test_a_record_of_one_row_is_shown_too(database, records):
    load_contacts(database, "crm", [("1", JANE)])
    (row,) = records.show(str(TOKENS.legacy(Entity.CONTACT, 1))).rows
    assert ("email", "jane@acme.example") in row.keys


def test_the_named_rows_get_a_new_record_with_their_keys(database, records, merged):
    done = records.split(token(1), ["crm/1"])
    assert done[1:] == (token(1), token(2), ["crm/1"], ["web/", "fair/9"], 0)
    assert emails(database) == {1: ["desk@acme.example", "joan@acme.example"], 2: ["jane@acme.example"]}
    assert holders(database, DIGESTS.contact_email("jane@acme.example")) == [2]
    assert holders(database, DIGESTS.contact_linkedin("in/front-desk")) == [1]
    assert stored_contacts(database)[1][0].job_title is None
    last = database.session().raw.execute("SELECT entity_id FROM changes ORDER BY sequence DESC LIMIT 2")
    assert {number for (number,) in last} == {1, 2}


@pytest.mark.parametrize("moved", [["crm/1"], ["web/"], ["web/", "crm/1"], ["fair/9"]])
@pytest.mark.parametrize("order", [("crm", "web", "fair"), ("fair", "web", "crm")])
def test_importing_the_same_files_again_leaves_them_separate(database, records, merged, moved, order):
    records.split(token(1), moved)
    before = emails(database), change_count(database)
    assert [summary.unchanged for summary in load_all(database, order)] == [1, 1, 1]
    assert (emails(database), change_count(database)) == before


def test_former_versions_of_rows_without_ids_stay_in_their_record(database, records):
    first = contact("J.", emails=["old@acme.example"], linkedin=SHARED, day="2023-01-01")
    load_contacts(database, "web", [first])
    load_all(database)
    records.split(token(1), ["web/"])
    before = emails(database)
    assert load_contacts(database, "web", [first]).unchanged == 1
    assert emails(database) == before


def test_a_newer_version_of_a_moved_row_changes_the_new_record(database, records, merged):
    records.split(token(1), ["crm/1"])
    newer = contact(emails=["jane.doe@acme.example"], linkedin=SHARED, title="Chair", day="2025-01-01")
    load_contacts(database, "crm", [("1", newer)])
    assert emails(database)[2] == ["jane.doe@acme.example"]
    assert stored_contacts(database)[1][0].job_title is None
    assert holders(database, DIGESTS.contact_linkedin("in/front-desk")) == [1]


def test_a_moved_row_can_be_split_again_and_numbers_are_never_reused(database, records, merged):
    records.split(token(1), ["crm/1", "fair/9"])
    assert records.split(token(2), ["fair/9"]).new_id == token(3)
    before = emails(database), change_count(database)
    load_all(database, ("web", "fair", "crm"))
    assert (emails(database), change_count(database)) == before
    load_contacts(database, "crm", [("77", contact("Zoe", "Orr"))])
    assert list(emails(database)) == [1, 2, 3, 4]


def test_suppression_removes_only_the_person_and_the_data_that_the_split_keeps_of_them(
    database, records, merged
):
    records.split(token(1), ["crm/1"])
    suppression = suppression_of(database, SetClock())
    assert suppression.suppress(suppression.person(email="jane@acme.example")) == 1
    assert list(emails(database)) == [1]
    splits = database.session().raw.execute("SELECT DISTINCT record_id FROM record_splits").fetchall()
    assert splits == [(1,)]
    assert load_contacts(database, "crm", [("1", JANE)]).suppressed == 1


def test_an_address_in_both_records_is_suppressed_for_both(database, records):
    load_contacts(database, "crm", [("1", contact(emails=["d@acme.example"]))])
    load_contacts(database, "fair", [("9", contact("J.", emails=["d@acme.example"]))])
    records.split(token(1), ["crm/1"])
    suppression = suppression_of(database, SetClock())
    assert suppression.suppress(suppression.person(email="d@acme.example")) == 2


def test_an_impossible_split_is_refused_and_changes_nothing(database, records, merged):
    before = emails(database), change_count(database)
    for id, rows, why in (
        ("nobody", ["crm/1"], "There is no contact or company of that id"),
        (token(5), ["crm/1"], "There is no contact or company of that id"),
        (token(1), ["crm/2"], "The record has no row crm/2. Its rows are crm/1, web/, fair/9"),
        (token(1), ["crm/1", "web/", "fair/9"], "At least one row has to stay"),
        (token(1), [], "Name at least one row"),
    ):
        with pytest.raises(Refused, match=why):
            records.split(id, rows)
    assert (emails(database), change_count(database)) == before


def companies_of(database):
    return {number: (record.name, record.domain) for number, record in stored_companies(database).items()}


def load_both(database, order=(0, 1)):
    page = CompanyLinks(linkedin="https://www.linkedin.com/company/acme")
    rows = [
        ("a", "1", Company(name="Acme", domain="acme.example", social_links=page)),
        ("b", "", Company(name="Acme Tools", domain="tools.example", social_links=page)),
    ]
    return [load_companies(database, rows[n][0], [(rows[n][1], rows[n][2])]).unchanged for n in order]


def test_split_companies_stay_separate(database, records):
    load_both(database)
    assert len(companies_of(database)) == 1
    records.split(token(1, Entity.COMPANY), ["b/"])
    assert companies_of(database) == {1: ("Acme", "acme.example"), 2: ("Acme Tools", "tools.example")}
    before = change_count(database)
    assert load_both(database, (1, 0)) == [1, 1]
    assert (change_count(database), len(companies_of(database))) == (before, 2)


def test_names_that_others_use_for_a_company_stay_with_it(database, records):
    load_contacts(database, "crm", [contact(company="Acme")])
    load_both(database)
    named = next(n for n, name in companies_of(database).items() if name[0])
    with pytest.raises(Refused, match="only the name of this company in other records"):
        records.split(token(named, Entity.COMPANY), ["/acme"])


def test_suppressing_the_old_record_leaves_the_new_one(database, records, merged):
    records.split(token(1), ["crm/1"])
    suppression = suppression_of(database, SetClock())
    assert suppression.suppress(suppression.person(id=token(1))) == 1
    assert list(emails(database)) == [2]
