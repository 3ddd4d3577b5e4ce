"""Mailboxes of suppressed people: every address of one is kept out.

See docs/reference/records.md#suppression.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.database.connection import RECORDS
from firmograph.privacy import store, suppression_file
from firmograph.security.record_ids import Entity
from installation_factory import make_suppression
from record_factory import DIGESTS, KEYRING, contact, load_contacts
from stored_records import stored_contacts

VARIANTS = [
    ("jane@acme.example", "jane+news@acme.example"),
    ("jane+crm@acme.example", "jane@acme.example"),
    ("jane+a@acme.example", "jane+b+c@acme.example"),
    ("jane.doe@gmail.com", "janedoe@gmail.com"),
    ("janedoe@gmail.com", "j.a.n.e.doe+x@googlemail.com"),
    ("jane.doe@googlemail.com", "jane.doe@gmail.com"),
]
"""Two addresses of one mailbox."""
OTHERS = [
    ("jane.doe@acme.example", "janedoe@acme.example"),
    ("jane@acme.example", "jane@eu.acme.example"),
    ("jane@acme.example", "jane-news@acme.example"),
    ("info+jane@acme.example", "info@acme.example"),
    ("info@acme.example", "info+jane@acme.example"),
    ("s.a.l.e.s@gmail.com", "sales@gmail.com"),
]
"""Two addresses of no or of different people's mailboxes."""


@pytest.fixture
def suppression(database, clock):
    return make_suppression(database, KEYRING, clock)


def suppress(suppression, **by):
    return suppression.suppress(suppression.person(**by))


def load(database, *records, source="test"):
    return load_contacts(database, source, list(records))


def names(database):
    return sorted(record.first_name for record, _ in stored_contacts(database).values())


# --- records held ---


@pytest.mark.parametrize(("held", "given"), VARIANTS)
def test_any_address_of_a_mailbox_removes_the_record(database, suppression, held, given):
    load(database, contact(emails=[held]))
    assert suppress(suppression, email=given) == 1
    assert names(database) == []


@pytest.mark.parametrize(("held", "given"), OTHERS)
def test_an_address_of_another_mailbox_removes_nothing(database, suppression, held, given):
    load(database, contact(emails=[held]))
    assert suppress(suppression, email=given) == 0


def test_every_record_of_the_mailbox_is_removed(database, suppression):
    load(database, contact("Jane", "Doe", emails=["jane@acme.example"]))
    load(database, contact("Jane", "Roe", emails=["jane+a@acme.example"]))
    load(database, contact("J.", "Doe", emails=["jane+b@acme.example"]))
    assert suppress(suppression, email="jane@acme.example") == 3


def test_a_holder_whose_both_names_contradict_stays(database, suppression):
    jane, bob = contact(emails=["jane@acme.example"]), contact("Bob", "Smith", emails=["jane+b@acme.example"])
    load(database, jane, bob)
    assert suppress(suppression, email="jane@acme.example") == 1
    assert names(database) == ["Bob"]


def test_a_mailbox_reached_through_a_record_takes_the_same_person_alone(database, suppression):
    page = "https://www.linkedin.com/in/eve-desk"
    load(database, contact("Eve", "Desk", linkedin=page, emails=["desk7@acme.example"]))
    load(database, contact("Eve", "Desk", emails=["desk7+old@acme.example"]))
    load(database, contact("Max", "Desk", emails=["desk7+max@acme.example"]))
    assert suppress(suppression, linkedin=page) == 2
    assert names(database) == ["Max"]


def test_records_that_were_split_are_different_people(database, suppression):
    load(database, contact(emails=["jane@acme.example"]), contact(emails=["jane+b@acme.example"]))
    with database.write(RECORDS) as session:
        session.raw.execute(
            "INSERT INTO record_splits (digest, entity, record_id)"
            f" SELECT digest, {int(Entity.CONTACT)}, contact_id FROM contact_keys k WHERE NOT EXISTS"
            " (SELECT 1 FROM contact_keys o WHERE o.digest = k.digest AND o.contact_id <> k.contact_id)"
        )
    assert suppress(suppression, email="jane@acme.example") == 1


# --- imports ---


@pytest.mark.parametrize(("suppressed", "imported"), VARIANTS)
@pytest.mark.parametrize("held", [True, False])
def test_a_row_with_any_address_of_the_mailbox_is_left_out(database, suppression, suppressed, imported, held):
    if held:
        load(database, contact(emails=[suppressed]))
    suppress(suppression, email=suppressed)
    assert load(database, contact(emails=[imported]), source="later").suppressed == 1


def test_the_exact_address_of_a_role_mailbox_is_kept_out(database, suppression):
    suppress(suppression, email="info@acme.example")
    assert load(database, contact(emails=["info@acme.example"])).suppressed == 1


@pytest.mark.parametrize(("suppressed", "imported"), OTHERS)
def test_a_row_with_another_mailbox_is_stored(database, suppression, suppressed, imported):
    suppress(suppression, email=suppressed)
    assert load(database, contact(emails=[imported])).created == 1


def test_a_row_whose_both_names_contradict_is_stored(database, suppression):
    load(database, contact(emails=["jane@acme.example"]))
    suppress(suppression, email="jane@acme.example")
    rows = [
        contact("Bob", "Smith", emails=["jane+bob@acme.example"]),
        contact("Jane", "Smith", emails=["jane+married@acme.example"]),
        contact("", "", emails=["jane+nameless@acme.example"]),
    ]
    assert load(database, *rows, source="later").suppressed == 2
    assert names(database) == ["Bob"]


def test_a_contradicting_row_at_the_bare_address_of_a_suppressed_variant_is_stored(database, suppression):
    load(database, contact(emails=["jane+x@acme.example"]))
    suppress(suppression, email="jane+x@acme.example")
    assert load(database, contact("Bob", "Smith", emails=["jane@acme.example"])).created == 1


def test_a_mailbox_of_two_suppressed_people_takes_the_names_of_both(database, suppression):
    load(
        database,
        contact(emails=["pair7@acme.example"]),
        contact("Bob", "Smith", emails=["pair7+b@acme.example"]),
    )
    for email in ("pair7@acme.example", "pair7+b@acme.example"):
        suppress(suppression, email=email)
    rows = [contact(*name, emails=["pair7+c@acme.example"]) for name in (("Bob", "Smith"), ("Jane", "Doe"))]
    assert load(database, *rows, source="later").suppressed == 2
    assert load(database, contact("Max", "Kern", emails=["pair7+d@acme.example"])).created == 1


def test_a_hash_of_an_earlier_release_keeps_variants_of_its_address_out(database, suppression):
    older = DIGESTS.contact_email("jane@acme.example")
    with database.write(RECORDS) as session:
        store.insert_suppression(session, older, [older], [], 0)
    rows = [contact(emails=["jane+new@acme.example"]), contact("Ann", "Lee", emails=["ann@acme.example"])]
    summary = load(database, *rows)
    assert (summary.suppressed, summary.created) == (1, 1)


def test_mailboxes_never_merge_rows(database):
    load(database, contact(emails=["jane@acme.example"]))
    assert load(database, contact(emails=["jane+b@acme.example"]), source="other").created == 1


# --- lifting ---


def test_a_suppression_is_lifted_by_any_address_of_the_mailbox(database, suppression):
    load(database, contact(emails=["jane@acme.example"]))
    suppress(suppression, email="jane@acme.example")
    assert suppression.unsuppress(suppression.person(email="jane+x@acme.example"))
    assert load(database, contact(emails=["jane@acme.example"])).created == 1


def test_the_address_of_somebody_else_in_the_mailbox_lifts_nothing(database, suppression):
    bob = contact("Bob", "Smith", emails=["jane+bob@acme.example"])
    load(database, contact(emails=["jane@acme.example"]), bob)
    suppress(suppression, email="jane@acme.example")
    assert not suppression.unsuppress(suppression.person(email="jane+bob@acme.example"))


# --- other machines ---


def transfer(database, other, clock, path):
    suppression_file.export_suppressions(database, KEYRING.fingerprint(), path, replace=False)
    exported = suppression_file.read_suppressions(path, KEYRING.fingerprint())
    return make_suppression(other, KEYRING, clock).import_keys(exported.hashes, exported.last_contact)


@pytest.mark.parametrize(("suppressed", "held"), VARIANTS)
def test_a_suppression_file_removes_every_address_of_the_mailbox(
    database, suppression, other, clock, tmp_path, suppressed, held
):
    suppress(suppression, email=suppressed)
    load(other, contact(emails=[held]))
    assert transfer(database, other, clock, tmp_path / "file").removed == 1
    assert load(other, contact(emails=[held]), source="later").suppressed == 1


def test_a_suppression_file_leaves_a_holder_whose_both_names_contradict(
    database, suppression, other, clock, tmp_path
):
    load(database, contact(emails=["jane@acme.example"]))
    suppress(suppression, email="jane@acme.example")
    load(other, contact("Bob", "Smith", emails=["jane+b@acme.example"]))
    assert transfer(database, other, clock, tmp_path / "file").removed == 0
    assert names(other) == ["Bob"]


def test_a_suppression_file_compares_the_names_of_every_person_of_a_mailbox(
    database, suppression, other, clock, tmp_path
):
    load(
        database,
        contact(emails=["pair@acme.example"]),
        contact("Bob", "Smith", emails=["pair+b@acme.example"]),
    )
    for email in ("pair+b@acme.example", "pair@acme.example"):
        suppress(suppression, email=email)
    rows = [
        contact(*name, emails=[f"pair+{name[0].lower()}@acme.example"])
        for name in (("Jane", "Doe"), ("Bob", "Smith"), ("Max", "Kern"))
    ]
    load(other, *rows)
    assert transfer(database, other, clock, tmp_path / "file").removed == 2
    assert names(other) == ["Max"]


# --- histories ---

MAILBOXES = {
    "jane": ("Jane", "Doe", ["jane@acme.example", "jane+a@acme.example", "jane+b@acme.example"]),
    "zoe": ("Zoe", "Kern", ["zoe.kern@gmail.com", "zoekern@googlemail.com", "z.oekern+x@gmail.com"]),
    "bob": ("Bob", "Smith", ["jane+bob@acme.example"]),
    "info": ("Ida", "Lund", ["info@acme.example"]),
}
"""People with their addresses; the one of Bob is a variant of Jane's mailbox."""
_person = st.sampled_from(sorted(MAILBOXES))
_steps = st.lists(
    st.tuples(st.sampled_from(["import", "import", "suppress", "lift"]), _person, st.integers(0, 2)),
    min_size=2,
    max_size=10,
)


@settings(max_examples=examples(100))
@given(_steps)
def test_nobody_suppressed_is_held_and_nobody_else_is_kept_out(shared_database, clock, steps):
    suppression = make_suppression(shared_database, KEYRING, clock)
    suppressed, known = {}, set()
    try:
        for what, who, which in steps:
            first, last, addresses = MAILBOXES[who]
            address = addresses[which % len(addresses)]
            if what == "import":
                summary = load(shared_database, contact(first, last, emails=[address]))
                assert bool(summary.suppressed) == (who in suppressed)
                known |= {who} - suppressed.keys()
            elif what == "suppress":
                if who not in suppressed:
                    # an address that nobody holds would mean everybody of the mailbox
                    load(shared_database, contact(first, last, emails=[address]))
                    suppression.suppress(suppression.person(email=address))
                    suppressed[who] = address
                known.discard(who)
            elif who in suppressed:
                assert suppression.unsuppress(suppression.person(email=suppressed.pop(who)))
            assert set(names(shared_database)) == {MAILBOXES[each][0] for each in known}
    finally:
        with shared_database.write(RECORDS) as session:
            for table in ("contacts", "contact_rows", "contact_keys", "suppressions"):
                session.raw.execute(f"DELETE FROM {table}")
