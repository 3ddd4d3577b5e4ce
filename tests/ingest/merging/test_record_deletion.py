"""Deletion of records that no source states any more."""

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import database_fixtures
from effort import examples
from firmograph.bootstrap.packages import registrations
from firmograph.database.connection import RECORDS, Database
from firmograph.directory.records import Company, CompanyRef
from firmograph.indexing import store as index_store
from firmograph.ingest.merging.company_mentions import CompanyMentions
from firmograph.ingest.merging.record_deletion import RecordDeletion
from firmograph.privacy.erasing import Erasers
from record_factory import DIGESTS, contact, load_companies, load_contacts
from stored_records import employers, parents, stored_companies, stored_contacts

AT = 1_800_000_000.0
ACME = Company(name="Acme", domain="acme.example", technologies=["Python"])
DELETION = RecordDeletion(
    DIGESTS, Erasers(each for one in registrations().values() for each in one.personal_data())
)


def mentions_of(database, numbers):
    with database.read() as session:
        return CompanyMentions(session, numbers)


def delete_companies(database, *numbers, mentions=None):
    mentions = mentions or mentions_of(database, numbers)
    with database.write(RECORDS) as session:
        return DELETION.delete_companies(session, mentions, numbers, AT)


def delete_contacts(database, *numbers):
    with database.write(RECORDS) as session:
        return DELETION.delete_contacts(session, numbers, AT)


def delete_stubs(database, *numbers):
    mentions = mentions_of(database, numbers)
    with database.write(RECORDS) as session:
        return DELETION.delete_unnamed_stubs(session, mentions, numbers, AT).deleted


def count(database, table):
    return database.session().raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def names(database):
    return {number: record.name for number, record in stored_companies(database).items()}


def test_a_company_goes_with_rows_keys_owners_and_splits(database):
    load_companies(database, "crm", [("1", ACME)])
    with database.write(RECORDS) as session:
        session.raw.execute("INSERT INTO record_splits SELECT digest, 2, company_id FROM company_keys")
        session.raw.execute("INSERT INTO company_parents VALUES (1, 7, 0)")
    assert delete_companies(database, 1) == ({1}, set(), {7})
    tables = ("companies", "company_rows", "company_keys", "company_parents", "record_splits")
    assert [count(database, table) for table in tables] == [0] * 5


def test_its_number_twin_among_the_contacts_stays_and_is_hidden_nowhere(database):
    load_companies(database, "crm", [("1", ACME)])
    load_contacts(database, "crm", [("1", contact(emails=["jane@people.example"]))])
    position = index_store.head(database.session())
    delete_companies(database, 1)
    removed = index_store.removed_since(database.session(), position)
    assert (removed.companies, removed.contacts) == ({1}, set())
    assert stored_contacts(database).keys() == {1}


def test_a_company_that_comes_back_is_a_new_record(database):
    load_companies(database, "crm", [("1", ACME)])
    delete_companies(database, 1)
    load_companies(database, "crm", [("1", ACME)])
    assert names(database) == {2: "Acme"}


def test_a_company_that_a_contact_names_stays_as_what_the_contact_says(database):
    load_companies(database, "crm", [("1", ACME)])
    ref = CompanyRef(name="ACME Inc", domain="acme.example")
    load_contacts(database, "web", [("1", contact(emails=["jane@acme.example"], company=ref))])
    assert delete_companies(database, 1) == (set(), {1}, set())
    (record,) = stored_companies(database).values()
    assert (record.name, record.domain, record.technologies, record.stub) == (
        "ACME Inc", "acme.example", [], True,
    )  # fmt: skip
    assert employers(database) == [("Doe", "ACME Inc")]
    load_companies(database, "crm", [("1", ACME)])
    assert stored_companies(database)[1].technologies == ["Python"]


def test_the_stub_is_what_an_import_of_the_contact_alone_creates(database, tmp_path):
    rows = [("1", contact(emails=["jane@acme.example"], company="Acme"))]
    load_companies(database, "crm", [("1", ACME)])
    load_contacts(database, "web", rows)
    delete_companies(database, 1)
    (tmp_path / "fresh").mkdir()
    fresh = Database(database_fixtures.fresh(tmp_path / "fresh"))
    load_contacts(fresh, "web", rows)
    for table in ("companies", "company_rows", "company_keys"):
        stored = [
            sorted(map(str, each.session().raw.execute(f"SELECT * FROM {table}").fetchall()))
            for each in (database, fresh)
        ]
        assert stored[0] == stored[1], table
    fresh.close()
    database_fixtures.drop(fresh.url)


def test_daughters_and_competitors_of_a_deleted_company_are_linked_again(database):
    load_companies(database, "crm", [("1", ACME)])
    owner, rival = CompanyRef(name="Acme"), CompanyRef(name="Acme", domain="acme.example")
    load_companies(
        database, "web", [Company(name="Daughter", parents=[owner]), Company(name="Foe", competitors=[rival])]
    )
    assert parents(database) == [(2, 1)]
    assert delete_companies(database, 1).deleted == {1}
    found = stored_companies(database)
    ((daughter, stub),) = parents(database)
    assert (daughter, found[stub].name, found[stub].stub) == (2, "Acme", True)
    with database.read() as session:
        related = CompanyMentions(session, found).related(session, found)
    assert set().union(*related.values()) == {2, 3}
    assert {found[number].name for number in related} == {"Acme"}


def test_a_stub_that_nobody_names_any_more_goes_and_one_that_is_named_stays(database):
    load_contacts(
        database, "crm",
        [("1", contact(emails=["a@x.example"], company="Left")), ("2", contact("Bo", company="Both")),
         ("3", contact("Cy", company="Both"))],
    )  # fmt: skip
    load_companies(database, "crm", [Company(name="Owned", parents=[CompanyRef(name="Left")])])
    assert set(names(database).values()) == {"Left", "Both", "Owned"}
    employed = delete_contacts(database, 1, 2)
    assert delete_stubs(database, *employed) == set()
    employed = delete_contacts(database, 3)
    assert {*delete_stubs(database, *employed)} == employed
    owned = next(number for number, name in names(database).items() if name == "Owned")
    named = delete_companies(database, owned).named
    assert {*delete_stubs(database, *named)} == named
    assert names(database) == {}


def test_a_stub_keeps_no_words_of_a_contact_that_goes(database):
    said = [CompanyRef(name=name, domain="acme.example") for name in ("ACME Secret", "Acme")]
    load_contacts(
        database, "crm",
        [(str(number), contact(f"P{number}", company=ref)) for number, ref in enumerate(said)],
    )  # fmt: skip
    assert names(database) == {1: "ACME Secret"}
    assert delete_stubs(database, *delete_contacts(database, 1)) == set()
    assert names(database) == {1: "Acme"}
    assert (
        b"Secret" not in repr(database.session().raw.execute("SELECT * FROM companies").fetchall()).encode()
    )


def test_a_stub_keeps_no_words_of_a_contact_for_the_sake_of_other_companies(database):
    owner = CompanyRef(name="Acme", domain="acme.example")
    load_contacts(database, "crm", [contact(company=CompanyRef(name="ACME Secret", domain="acme.example"))])
    load_companies(database, "crm", [Company(name="Daughter", parents=[owner])])
    assert delete_stubs(database, *delete_contacts(database, 1)) == {1}
    assert names(database) == {2: "Daughter", 3: "Acme"}
    assert parents(database) == [(2, 3)]


def test_only_companies_whose_mentions_were_read_are_deleted(database):
    load_companies(database, "crm", [("1", ACME)])
    with pytest.raises(ValueError, match="not read"):
        delete_companies(database, 1, mentions=mentions_of(database, [2]))


def test_only_stubs_are_deleted_for_want_of_mentions(database):
    load_companies(database, "crm", [("1", ACME)])
    assert delete_stubs(database, 1) == set()
    assert names(database) == {1: "Acme"}


def test_who_names_a_company_since_the_mentions_were_read_counts(database):
    load_companies(database, "crm", [("1", ACME), ("2", Company(name="Globex"))])
    mentions = mentions_of(database, [1, 2])
    load_contacts(database, "web", [("1", contact(emails=["jane@acme.example"], company="Acme"))])
    load_companies(database, "web", [Company(name="Daughter", parents=[CompanyRef(name="Globex")])])
    assert delete_companies(database, 1, 2, mentions=mentions)[:2] == ({2}, {1})
    assert len(parents(database)) == 1


def test_what_a_deletion_that_was_rolled_back_has_read_is_read_again(database):
    load_companies(database, "crm", [("1", ACME), ("2", Company(name="Globex"))])
    mentions = mentions_of(database, [1, 2])
    with suppress(ZeroDivisionError), database.write(RECORDS) as session:
        DELETION.delete_companies(session, mentions, [2], AT)
        mentions.add_changes(session)
        raise ZeroDivisionError
    load_contacts(database, "web", [("1", contact(emails=["jane@acme.example"], company="Acme"))])
    assert delete_companies(database, 1, mentions=mentions).stubs == {1}


def test_mentions_that_follow_have_what_changed_until_then(database):
    load_companies(database, "crm", [("1", ACME)])
    mentions = mentions_of(database, [1])
    load_contacts(database, "web", [("1", contact(emails=["jane@acme.example"], company="Acme"))])
    with database.read() as session:
        mentions.follow(session)
    assert delete_companies(database, 1, mentions=mentions).stubs == {1}


def test_who_left_since_the_mentions_were_read_does_not_count(database):
    load_companies(database, "crm", [("1", ACME)])
    load_contacts(
        database, "web", [("1", contact(emails=["jane@acme.example"], company="Acme", day="2024-01-01"))]
    )
    mentions = mentions_of(database, [1])
    load_contacts(
        database, "web", [("1", contact(emails=["jane@acme.example"], company="Else", day="2024-02-01"))]
    )
    assert delete_companies(database, 1, mentions=mentions).deleted == {1}


def test_contacts_go_without_hashes_and_come_back_as_new_records(database):
    row = (
        "1",
        contact(emails=["jane@acme.example"], linkedin="https://www.linkedin.com/in/jane", company="Acme"),
    )
    load_contacts(database, "crm", [row])
    assert delete_contacts(database, 1) == {1}
    tables = ("contacts", "contact_rows", "contact_keys", "suppressions")
    assert [count(database, table) for table in tables] == [0] * 4
    load_contacts(database, "crm", [row])
    assert stored_contacts(database).keys() == {2}


def test_a_page_refused_to_another_name_is_forgotten_with_that_record(database):
    page = "https://www.linkedin.com/in/front-desk"
    load_contacts(
        database, "crm", [("1", contact(linkedin=page)), ("2", contact("Zoe", "Orr", linkedin=page))]
    )
    delete_contacts(database, 2)
    delete_contacts(database, 1)
    assert count(database, "contact_keys") == 0


NAMES = st.sampled_from(["Acme", "Globex", "Initech", "Umbrella"])
PEOPLE = st.lists(st.tuples(st.integers(0, 9), st.none() | NAMES), max_size=5, unique_by=lambda one: one[0])
FIRMS = st.lists(st.tuples(NAMES, st.none() | NAMES), max_size=4, unique_by=lambda one: one[0])


def load(database, source, people, firms):
    load_companies(
        database, source,
        [(name, Company(name=name, domain=f"{name.lower()}.example", parents=[CompanyRef(name=owner)] if owner else []))
         for name, owner in firms],
    )  # fmt: skip
    load_contacts(
        database, source,
        [(str(n), contact(f"P{source}{n}", emails=[f"p{n}@{source}.example"], company=firm)) for n, firm in people],
    )  # fmt: skip


def whole(database):
    """Return companies, employers of contacts and owners of companies, without numbers."""
    found = stored_companies(database)
    return (
        sorted((record.name, record.domain or "", record.stub) for record in found.values()),
        sorted(
            (one.first_name, found[firm].name if firm else "")
            for one, firm in stored_contacts(database).values()
        ),
        sorted((found[daughter].name, found[owner].name) for daughter, owner in parents(database)),
    )


@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PEOPLE, PEOPLE, FIRMS)
def test_what_remains_is_a_database_into_which_only_the_rest_came(tmp_path_factory, people, others, firms):
    folders = [tmp_path_factory.mktemp("whole") for _ in range(2)]
    database, fresh = (Database(database_fixtures.fresh(folder)) for folder in folders)
    load(database, "kept", others, [])
    load(database, "gone", people, firms)
    load(fresh, "kept", others, [])
    rows = "SELECT contact_id FROM contact_rows JOIN sources ON id = source WHERE name = 'gone'"
    contacts = [row[0] for row in database.session().raw.execute(rows)]
    companies = [row[0] for row in database.session().raw.execute(rows.replace("contact", "company"))]
    candidates = delete_contacts(database, *contacts)
    candidates |= delete_companies(database, *companies).named
    while gone := delete_stubs(database, *candidates):
        candidates -= gone
    assert whole(database) == whole(fresh)
    for each in (database, fresh):
        each.close()
        database_fixtures.drop(each.url)
