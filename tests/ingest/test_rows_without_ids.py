"""Rows identified only by a name and an employer, or a name and a country.

See docs/reference/records.md#identity-keys.
"""

import pytest

from firmograph.directory.records import Company, CompanyRef, Location
from record_factory import contact, load_companies, load_contacts
from stored_records import stored_companies, stored_contacts

pytestmark = pytest.mark.any_database

US = Location(country="United States", country_iso2="US")


def test_a_namesake_without_an_id_next_to_two_with_ids_is_created_once(database):
    rows = [("1", contact(company="Acme")), ("2", contact(company="Acme")), contact(company="Acme")]
    load_contacts(database, "a", rows)
    assert load_contacts(database, "a", rows).unchanged == 3
    assert len(stored_contacts(database)) == 3


def test_a_namesake_without_an_id_next_to_two_with_ids_is_updated(database):
    rows = [("1", contact(company="Acme")), ("2", contact(company="Acme")), contact(company="Acme")]
    load_contacts(database, "a", rows)
    assert load_contacts(database, "a", [contact(company="Acme", title="Chair")]).updated == 1


def test_a_row_joined_by_name_is_recognised_when_its_record_has_an_email(database):
    load_contacts(database, "a", [contact(company="Acme")])
    load_contacts(database, "b", [("1", contact(company="Acme"))])
    load_contacts(database, "b", [("1", contact(company="Acme", emails=["jane@example.com"]))])
    assert load_contacts(database, "a", [contact(company="Acme")]).unchanged == 1
    assert len(stored_contacts(database)) == 1


def test_a_company_without_an_id_next_to_two_with_ids_is_created_once(database):
    rows = [
        ("1", Company(name="Acme", location=US)),
        ("2", Company(name="Acme", location=US)),
        Company(name="Acme", location=US),
    ]
    load_companies(database, "a", rows)
    assert load_companies(database, "a", rows).unchanged == 3
    assert len(stored_companies(database)) == 3


def test_a_company_joined_by_name_is_recognised_when_its_record_has_a_domain(database):
    load_companies(database, "a", [Company(name="Acme", location=US)])
    load_companies(database, "b", [("1", Company(name="Acme", location=US))])
    load_companies(database, "b", [("1", Company(name="Acme", location=US, domain="acme.example"))])
    assert load_companies(database, "a", [Company(name="Acme", location=US)]).unchanged == 1
    assert len(stored_companies(database)) == 1


def test_a_stub_of_another_country_is_not_completed_by_a_namesake(database):
    load_contacts(database, "c", [contact(company=CompanyRef(name="Acme", country_iso2="DE"))])
    load_companies(database, "a", [("1", Company(name="Acme", domain="acme.example", location=US))])
    assert len(stored_companies(database)) == 2
