"""Cells as other programs write them: several values, names, types, surrounding characters."""

import msgspec
import pytest

from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.records.company import normalise_company
from firmograph.ingest.records.contact import normalise_contact
from firmograph.ingest.records.row_notes import Notes

pytestmark = pytest.mark.no_database


def contact(**row):
    notes = Notes()
    return normalise_contact(msgspec.convert(row, ContactInput), notes), [value for _, value in notes.unread]


def company(**row):
    return normalise_company(msgspec.convert(row, CompanyInput))


@pytest.mark.parametrize(
    ("cell", "addresses"),
    [
        ("Jane Doe <Jane@Acme.example>", ["jane@acme.example"]),
        ('"Doe, Jane" <jane@acme.example>', ["jane@acme.example"]),
        ("jane@acme.example; jd@acme.example", ["jane@acme.example", "jd@acme.example"]),
        ("jane@acme.example, jd@acme.example,", ["jane@acme.example", "jd@acme.example"]),
        ("jane@acme.example jd@acme.example", ["jane@acme.example", "jd@acme.example"]),
        ("jane@acme.example ::: jd@acme.example", ["jane@acme.example", "jd@acme.example"]),
        ("jane@acme.example:::jd@acme.example", ["jane@acme.example", "jd@acme.example"]),
        ("jane@acme.example;", ["jane@acme.example"]),
        ("jane@acme.example.", ["jane@acme.example"]),
        ("'jane@acme.example", ["jane@acme.example"]),
        ("\u200bjane@acme.example\ufeff", ["jane@acme.example"]),
        ("jane\u200b@acme.example", ["jane@acme.example"]),
        ("\xa0jane@acme.example\xa0", ["jane@acme.example"]),
        ("mailto:jane@acme.example?subject=Hello", ["jane@acme.example"]),
        ("mailto:jane@acme.example, MAILTO:jd@acme.example", ["jane@acme.example", "jd@acme.example"]),
        ("jane@acme.example (work)", ["jane@acme.example"]),
        ("Work: jane@acme.example", ["jane@acme.example"]),
        ("o'brien@acme.example", ["o'brien@acme.example"]),
        ("Jane Doe - jane@acme.example", ["jane@acme.example"]),
        ('"jane doe"@acme.example', []),
        ("jane doe@acme.example", []),
        ("Jane Doe jane@acme.example", []),
        ("Jane Doe\njane@acme.example", ["jane@acme.example"]),
        ("jane at acme.example", []),
        ("jane@acme", []),
    ],
)
@pytest.mark.parametrize("is_column", [True, False])
def test_the_addresses_of_a_cell_are_read(cell, addresses, is_column):
    read, unread = contact(fullName="Jane Doe", emails=[{"email": cell}] if is_column else [cell])
    assert [email.email for email in read.emails] == addresses
    assert bool(unread) == (not addresses)
    assert [one.email for one in company(name="Acme", emails=[cell]).emails] == addresses


def test_an_unreadable_address_of_several_is_counted():
    read, unread = contact(emails=[{"email": "jane@acme.example; jd@acme"}])
    assert [email.email for email in read.emails] == ["jane@acme.example"]
    assert unread == ["jd@acme"]


@pytest.mark.parametrize(
    ("cell", "numbers"),
    [
        ("+1 512 555 0123 / +1 512 555 0124", [("+15125550123", "unknown"), ("+15125550124", "unknown")]),
        ("512-555-0123/512-555-0124", [("+15125550123", "unknown"), ("+15125550124", "unknown")]),
        ("+1 512 555 0123 (mobile)", [("+15125550123", "mobile")]),
        ("+1 512 555 0123 [Work]", [("+15125550123", "work")]),
        ("mobile: 512-555-0123", [("+15125550123", "mobile")]),
        ("M: 512-555-0123; W: 512-555-0124", [("+15125550123", "mobile"), ("+15125550124", "work")]),
        ("Tel. 512-555-0123", [("+15125550123", "unknown")]),
        ("512-555-0123 ::: 512-555-0124", [("+15125550123", "unknown"), ("+15125550124", "unknown")]),
        ("512-555-0123, 512-555-0124", [("+15125550123", "unknown"), ("+15125550124", "unknown")]),
        ("512-555-0123 or 512-555-0124", [("+15125550123", "unknown"), ("+15125550124", "unknown")]),
        ("+15125550123 +15125550124", [("+15125550123", "unknown"), ("+15125550124", "unknown")]),
        ("512-555-0123 (fax)", []),
        ("Fax: 512-555-0123; Mob: 512-555-0124", [("+15125550124", "mobile")]),
        ("512-555-0123 x12", [("+15125550123", "unknown")]),
        ("512-555-0123, ext. 12", [("+15125550123", "unknown")]),
        ("'+1 512-555-0123", [("+15125550123", "unknown")]),
        ("512/555-0123", [("+15125550123", "unknown")]),
    ],
)
@pytest.mark.parametrize("is_column", [True, False])
def test_the_numbers_of_a_cell_are_read(cell, numbers, is_column):
    read, unread = contact(
        fullName="Jane Doe", location={"country": "US"}, phones=[{"number": cell}] if is_column else [cell]
    )
    assert [(phone.number, phone.type) for phone in read.phones] == numbers
    assert unread == []
    record = company(name="Acme", location={"country": "US"}, phones=[cell])
    assert [phone.number for phone in record.phones] == [number for number, _ in numbers]


@pytest.mark.parametrize(
    ("cell", "numbers"),
    [
        ("030/1234567", ["+49301234567"]),
        ("030 / 1234567", ["+49301234567"]),
        ("+49 35241 / 123456", ["+4935241123456"]),
        ("030 1234567 / 0170 1234567", ["+49301234567", "+491701234567"]),
        ("030 1234567/0170 1234567", ["+49301234567", "+491701234567"]),
        ("030 12345-67/68", ["+49301234567"]),
        ("030 1234 / 1235", ["+49301234"]),
        ("+49 30 1234567 (Handy)", ["+49301234567"]),
        ("0049 30 1234567 / 0049 170 1234567", ["+49301234567", "+491701234567"]),
    ],
)
def test_a_slash_is_allowed_after_an_area_code_and_between_numbers(cell, numbers):
    read, _ = contact(fullName="Jane Doe", location={"country": "DE"}, phones=[{"number": cell}])
    assert [phone.number for phone in read.phones] == numbers


def test_a_mark_of_a_cell_applies_to_each_of_its_numbers():
    read, _ = contact(
        location={"country": "US"}, phones=[{"number": "512-555-0123 / 512-555-0124", "doNotCall": "yes"}]
    )
    assert [phone.do_not_call for phone in read.phones] == [True, True]


@pytest.mark.parametrize(
    ("cell", "hosts"),
    [
        ("acme.example, acme.test", ["acme.example", "acme.test"]),
        ("acme.example,acme.test", ["acme.example", "acme.test"]),
        ("https://acme.example; https://acme.test/x", ["acme.example", "acme.test"]),
        ("acme.example acme.test", ["acme.example", "acme.test"]),
        ("http:/acme.example", ["acme.example"]),
        ("http//acme.example", ["acme.example"]),
        ("https:acme.example", ["acme.example"]),
        ("https://https://acme.example/x", ["acme.example"]),
        ("http://https://www.acme.example", ["acme.example"]),
        ("acme.example,", ["acme.example"]),
        ("www.acme.example;", ["acme.example"]),
        ("'acme.example", ["acme.example"]),
        ("<https://acme.example>", ["acme.example"]),
        ("acme.\u200bexample", ["acme.example"]),
        ("Acme", []),
        ("etsy.com/shop/acme, acme.example", ["acme.example"]),
    ],
)
def test_the_hosts_of_a_cell_are_read(cell, hosts):
    read = company(name="Acme", domain=cell)
    assert [host for host in (read.domain, *read.alternative_domains) if host] == hosts
    employer = contact(fullName="Jane Doe", company={"name": "Acme", "domain": cell})[0].company
    assert employer.domain == (hosts[0] if hosts else None)


@pytest.mark.parametrize(
    ("cell", "address"),
    [
        ("https://https://acme.example/x", "https://acme.example/x"),
        ("http:/acme.example", "http://acme.example"),
        ("acme.example, acme.test", "https://acme.example"),
        ("http://acme.example/a?b=http://c", "http://acme.example/a?b=http://c"),
    ],
)
def test_a_home_page_has_one_scheme(cell, address):
    assert company(name="Acme", homepageUrl=cell).homepage_url == address


@pytest.mark.parametrize(
    ("cell", "page"),
    [
        ("https://www.linkedin.com/comm/in/jane-doe?midToken=x", "jane-doe"),
        ("https://www.linkedin.cn/in/jane-doe", "jane-doe"),
        ("https://www.linkedin.com/in/jane-doe, https://www.linkedin.com/in/jane-d", "jane-doe"),
        ("https://www.linkedin.com/in/jane-doe;https://www.linkedin.com/in/jane-d", "jane-doe"),
        ("https://linkedin.com/company/acme https://linkedin.com/in/jane-doe", "jane-doe"),
        ("https://www.linkedin.com/sales/lead/ACwAAA,NAME_SEARCH,x linkedin.com/in/jane-doe", "jane-doe"),
        ("https://www.linkedin.com/in/jane-doe,", "jane-doe"),
        ("'https://www.linkedin.com/in/jane-doe", "jane-doe"),
        ("https://www.linkedin.com/sales/lead/ACwAAA,NAME_SEARCH,x", None),
        ("https://www.linkedin.com/sales/people/ACwAAA", None),
        ("https://www.linkedin.com/talent/profile/AEMAAA", None),
    ],
)
def test_the_page_of_a_cell_is_read(cell, page):
    read, unread = contact(fullName="Jane Doe", socialLinks={"linkedin": cell})
    links = read.social_links
    assert (links and links.linkedin) == (f"https://www.linkedin.com/in/{page}" if page else None)
    assert bool(unread) == (page is None)


def test_a_company_of_sales_navigator_is_identified_by_its_number():
    read = company(name="Acme", linkedinUrl="https://www.linkedin.com/sales/company/1035/people?x=1")
    assert read.social_links.linkedin == "https://www.linkedin.com/company/1035"
