"""Names of suppressed people at their employers, which block rows without a strong key."""

import pytest

from firmograph.security.record_ids import Entity, RecordIds
from installation_factory import make_suppression
from record_factory import contact, load_contacts
from stored_records import stored_contacts


@pytest.fixture
def suppressed(database, keyring, clock):
    """Return a database whose one person was suppressed by the address."""
    load_contacts(database, "a", [contact(emails=["jane@acme.example"], company="Acme")])
    suppression = make_suppression(database, keyring, clock)
    assert suppression.suppress(suppression.person(email="jane@acme.example")) == 1
    return database


def test_a_row_with_name_and_employer_alone_is_left_out_as_suppressed(suppressed):
    summary = load_contacts(suppressed, "b", [contact(company="Acme")])
    assert (summary.suppressed, summary.created) == (1, 0)
    assert stored_contacts(suppressed) == {}


def test_a_row_of_the_name_at_another_employer_is_stored(suppressed):
    assert load_contacts(suppressed, "b", [contact(company="Globex")]).created == 1


def test_a_row_of_the_name_and_employer_with_an_address_of_its_own_is_stored(suppressed):
    row = contact(company="Acme", emails=["jane.doe@home.example"])
    assert load_contacts(suppressed, "b", [row]).created == 1


@pytest.mark.parametrize(
    ("first", "last"), [("J.", "Doe"), ("Doe", "Jane"), ("Jane Marie", "Doe"), ("Doe", "J")]
)
def test_a_variant_of_the_name_is_left_out_as_suppressed(suppressed, first, last):
    assert load_contacts(suppressed, "b", [contact(first, last, company="ACME Inc.")]).suppressed == 1


@pytest.mark.parametrize("key", [{"emails": ["j.doe@home.example"]}, {"linkedin": "linkedin.com/in/jd"}])
def test_a_variant_of_the_name_with_a_strong_key_is_stored(suppressed, key):
    assert load_contacts(suppressed, "b", [contact("J.", "Doe", company="Acme", **key)]).created == 1


def test_a_variant_of_the_name_with_an_id_of_its_source_is_stored(suppressed):
    assert load_contacts(suppressed, "b", [("7", contact("J.", "Doe", company="Acme"))]).created == 1


@pytest.mark.parametrize(("first", "last"), [("K.", "Doe"), ("Jan", "Doe"), ("Jane", "Roe")])
def test_another_name_at_the_employer_is_stored(suppressed, first, last):
    assert load_contacts(suppressed, "b", [contact(first, last, company="Acme")]).created == 1


def test_a_page_refused_to_another_name_is_forgotten_with_the_suppressed_person(database, keyring, clock):
    page = "https://www.linkedin.com/in/front-desk"
    rows = [contact(linkedin=page), contact("Zoe", "Orr", linkedin=page)]
    load_contacts(database, "a", rows)
    suppression = make_suppression(database, keyring, clock)
    zoe = suppression.person(id=RecordIds(keyring).seal(Entity.CONTACT, 2))
    assert suppression.suppress(zoe) == 2
    suppression.unsuppress(zoe)
    assert load_contacts(database, "a", rows).created == 2
