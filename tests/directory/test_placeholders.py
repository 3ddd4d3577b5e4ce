"""Placeholder values (docs/reference/records.md#placeholders)."""

import pytest

from firmograph.ingest.records.values import email_address, linkedin, phone_number, read_source_id

pytestmark = pytest.mark.no_database

PAGES = [
    "None", "-", "--", "NA", "N/A", "n.a.", "unknown", "null", "NULL", "0", "TBD", "linkedin", "LinkedIn", "not-found",
    "/in/unavailable", "https://www.linkedin.com/in/none", "linkedin.com/in/not-available/", "(none)", "nan",
    "undefined", "x", "test", "no", "profile", "unbekannt", "keine Angabe", "inconnu", "desconocido",
    "https://www.linkedin.com/in/undefined?trk=x",
]  # fmt: skip
EMAILS = [
    "none@none.com", "test@test.com", "noemail@acme.example", "no-email@acme.example", "NoEmail@Acme.example",
    "na@na.com", "null@null.com", "unknown@acme.example", "none@acme.example", "x@x.com", "a@a.com", "abc@abc.com",
    "n/a@n/a.com", "email@email.com", "no@email.com", "jane@noemail.com", "notprovided@acme.example",
    "keine-email@acme.example", "sinemail@acme.example", "user@domain.com", "foo@bar.com",
]  # fmt: skip
PHONES = [
    "0000000000", "1234567890", "9999999999", "+1 999 999 9999", "(999) 999-9999", "1-000-000-0000", "123-456-7890",
    "5555555555", "111 111 1111", "+49 1234567890", "0123456789", "987-654-3210", "2222222222",
]  # fmt: skip
IDS = [
    "None", "-", "N/A", "NA", "#N/A", "n/a", "unknown", "null", "<null>", "0", "TBD", "undefined", "nan",
    "not available", "not_available", "?", "inconnu", "unbekannt", "---",
]  # fmt: skip


@pytest.mark.parametrize("cell", PAGES)
def test_a_placeholder_page_is_none(cell):
    assert linkedin(cell, "in") is None


@pytest.mark.parametrize("address", EMAILS)
def test_a_placeholder_address_is_none(address):
    assert email_address(address) is None


@pytest.mark.parametrize("number", PHONES)
def test_a_placeholder_number_is_none(number):
    assert phone_number(number, "US") is None


@pytest.mark.parametrize("source_id", IDS)
def test_a_placeholder_id_is_none(source_id):
    assert read_source_id(source_id) == ""


def test_the_number_0_is_a_placeholder_id_and_other_numbers_are_not():
    assert [read_source_id(value) for value in (0, 0.0, "0", 1, "00", "1")] == ["", "", "", "1", "00", "1"]


def test_the_cell_linkedin_is_none_but_the_address_of_its_page_is_not():
    assert linkedin("linkedin", "company") is None
    page = "https://www.linkedin.com/company/linkedin"
    assert linkedin("linkedin.com/company/linkedin", "company") == page
    assert linkedin(page, "company") == page


@pytest.mark.parametrize(
    "address", ["na@acme.kr", "no@acme.example", "null@acme.example", "test@acme.example"]
)
def test_a_possible_surname_is_accepted_at_any_host(address):
    assert email_address(address) == address


@pytest.mark.parametrize("address", ["jane@example.com", "jane@acme.test", "test@acme.invalid"])
def test_a_reserved_domain_alone_is_no_placeholder(address):
    assert email_address(address) == address


@pytest.mark.parametrize("number", ["+12123456789", "+1 212 555 0123", "+33 6 00 00 00 01"])
def test_a_number_that_only_contains_a_placeholder_is_accepted(number):
    assert phone_number(number, None)


@pytest.mark.parametrize(
    ("number", "region"),
    [
        ("9999999999", "IN"), ("9876543210", "IN"), ("77777777", "DK"), ("22222222", "NO"), ("+7 9999999999", None),
        ("2345678901", "US"), ("06 66 66 66 66", "FR"), ("01 23 45 67 89", "FR"),
    ],
)  # fmt: skip
def test_repeated_and_ascending_digits_are_a_number_where_the_plan_calls_it_valid(number, region):
    assert phone_number(number, region)


@pytest.mark.parametrize(
    ("number", "region"),
    [
        ("12345678", "DK"),
        ("+49 1234567890", None),
        ("4567890123", "US"),
        ("0987654321", "US"),
        ("2222222222", "US"),
    ],
)
def test_repeated_and_ascending_digits_are_a_placeholder_elsewhere(number, region):
    assert phone_number(number, region) is None
