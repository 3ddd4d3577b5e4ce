"""Canonical rows of contacts."""

import msgspec
import pytest

from firmograph.directory.records import (
    CompanyRef,
    Contact,
    Education,
    Email,
    JobTitle,
    Location,
    PastJob,
    Phone,
    SocialLinks,
    Tag,
)
from firmograph.ingest.reading.inputs import ContactInput
from firmograph.ingest.records.contact import normalise_contact
from firmograph.ingest.records.row_notes import Notes

pytestmark = pytest.mark.no_database


def made(**fields: object) -> Contact:
    return normalise_contact(msgspec.convert(fields, ContactInput))


def test_a_full_native_record_is_kept_completely():
    record = made(
        firstName=" Jane ",
        lastName="Doe",
        jobTitle={
            "title": "VP  Sales",
            "departments": ["Sales"],
            "seniority": "vice president",
            "startDate": "2020-05-06T10:00:00Z",
        },
        location={
            "city": "Berlin",
            "countryIso2": "de",
            "zipCode": 10115,
            "coordinates": [13.4, 52.5],
        },
        tags=[{"id": "t1", "name": "Key", "color": "#ff0000"}, {"name": "Warm"}, {"id": "t3"}],
        socialLinks={"linkedin": "de.linkedin.com/in/Jane-Doe/", "xUrl": "x.com/jane"},
        linkedinConnections="1,200",
        linkedinFollowers=15,
        updateDate="2025-06-01",
        emails=[
            {
                "email": "Jane@Acme.example.com",
                "type": "work",
                "confidence": "A+",
                "updateDate": "2025-01-02",
                "dataSource": "hand",
            }
        ],
        phones=[{"number": "030 2345 6789", "type": "Mobile", "doNotCall": True}],
        company={"name": "Acme", "domain": "https://www.acme.example.com/about"},
        previousEmployment=[{"company": "Old Co", "jobTitle": "Intern"}],
        skills=["Go", "go", " Rust "],
        certifications=["PMP"],
        awards=["Best"],
        previousEmails=["J@Old.example.com", "no address"],
        education=[{"school": "MIT", "degree": "BSc", "startYear": "2001", "graduationYear": 2005}],
    )
    assert record == Contact(
        first_name="Jane",
        last_name="Doe",
        full_name="Jane Doe",
        job_title=JobTitle(
            title="VP Sales", departments=["Sales"], seniority="Vice President", start_date="2020-05-06"
        ),
        location=Location(
            country="Germany",
            country_iso2="DE",
            city="Berlin",
            zip_code="10115",
            continent="Europe",
            coordinates=(13.4, 52.5),
            is_eu_contact=True,
        ),
        tags=[Tag(id="t1", name="Key", color="#FF0000"), Tag(id="Warm", name="Warm", color="#808080")],
        social_links=SocialLinks(linkedin="https://www.linkedin.com/in/jane-doe", x_url="https://x.com/jane"),
        linkedin_connections=1200,
        linkedin_followers=15,
        update_date="2025-06-01",
        emails=[
            Email(
                email="jane@acme.example.com",
                type="work",
                confidence="A+",
                update_date="2025-01-02",
                data_source="hand",
            )
        ],
        phones=[Phone(number="+493023456789", type="mobile", do_not_call=True, country_iso2="DE")],
        company=CompanyRef(name="Acme", domain="acme.example.com"),
        previous_employment=[
            PastJob(
                company=CompanyRef(name="Old Co"),
                job_title=JobTitle(title="Intern", departments=["Other"], seniority="Intern"),
            )
        ],
        skills=["Go", "Rust"],
        certifications=["PMP"],
        awards=["Best"],
        previous_emails=["j@old.example.com"],
        education=[Education(school="MIT", degree="BSc", start_year=2001, graduation_year=2005)],
    )


def test_short_forms_are_equivalent_to_long_ones():
    short = made(
        fullName="Jane Doe",
        jobTitle="Head of Marketing",
        location="Austin, Texas, United States",
        linkedinUrl="linkedin.com/in/jane",
        emails="jane@acme.example.com",
        phones="(512) 555-0123",
        company="Acme",
        skills="Go; Rust",
    )
    long = made(
        firstName="Jane",
        lastName="Doe",
        jobTitle={"title": "Head of Marketing"},
        location={"city": "Austin", "stateCode": "TX", "country": "US"},
        socialLinks={"linkedin": "https://linkedin.com/in/jane/"},
        emails=[{"email": "jane@acme.example.com"}],
        phones=[{"number": 15125550123}],
        company={"name": "Acme"},
        skills=["Go", "Rust"],
    )
    assert short == long
    assert short.job_title == JobTitle(
        title="Head of Marketing", departments=["Marketing"], seniority="Director"
    )


def test_given_departments_and_seniority_take_precedence_over_derived_ones():
    title = made(jobTitle={"title": "CEO", "departments": "sales", "seniority": 5}).job_title
    assert title == JobTitle(title="CEO", departments=["Sales"], seniority="Manager")
    odd = made(jobTitle={"title": "VP Sales", "departments": ["Nonsense"], "seniority": "?"}).job_title
    assert odd == JobTitle(title="VP Sales", departments=["Sales"], seniority="Vice President")


@pytest.mark.parametrize("name", ["Independent", "individual", "Self-Employed", "  ", "N/A", "freelance"])
def test_some_names_are_not_employers(name):
    assert made(company=name).company is None
    assert made(company={"name": name}).company is None


def test_a_company_of_such_a_name_with_a_domain_is_an_employer():
    ref = made(company={"name": "Independent", "domain": "independent.example.org"}).company
    assert ref == CompanyRef(name="Independent", domain="independent.example.org")


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("https://www.acme.example.com/", CompanyRef(domain="acme.example.com")),
        ("www.acme.example.com", CompanyRef(domain="acme.example.com")),
        (
            "https://linkedin.com/company/acme",
            CompanyRef(linkedin_url="https://www.linkedin.com/company/acme"),
        ),
        ("Booking.com", CompanyRef(name="Booking.com")),
    ],
)
def test_a_company_in_one_text_is_read_by_its_form(text, ref):
    assert made(company=text).company == ref


def test_a_page_on_a_shared_host_is_no_domain():
    assert made(company={"name": "Acme", "domain": "https://facebook.com/acme"}).company == CompanyRef(
        name="Acme"
    )
    assert made(company={"name": "Meta", "domain": "facebook.com"}).company == CompanyRef(
        name="Meta", domain="facebook.com"
    )


def test_addresses_and_numbers_are_unique_and_unreadable_ones_absent():
    record = made(
        emails=["A@x.example.com", {"email": "a@X.example.com"}, "nope", None, {"email": None}],
        phones=["+14155550101", "+1 (415) 555-0101", "12", None, {"number": "+44 20 7946 0018", "type": "?"}],
    )
    assert [email.email for email in record.emails] == ["a@x.example.com"]
    assert [(phone.number, phone.type) for phone in record.phones] == [
        ("+14155550101", "unknown"),
        ("+442079460018", "unknown"),
    ]


def test_the_type_of_an_address_follows_from_its_domain_when_it_is_not_given():
    record = made(
        emails=["j@acme.example.com", "j@gmail.com", "j@other.example.org"],
        company={"domain": "eu.acme.example.com"},
    )
    assert [email.type for email in record.emails] == ["work", "private", "unknown"]


def test_only_a_known_country_says_whether_a_contact_is_in_the_european_union():
    assert made(location={"country": "France"}).location == Location(
        country="France", country_iso2="FR", continent="Europe", is_eu_contact=True
    )
    assert made(location={"city": "Springfield"}).location == Location(city="Springfield")


@pytest.mark.parametrize(
    ("text", "city", "state", "country"),
    [
        ("Germany", None, None, "DE"),
        ("Bonn", "Bonn", None, None),
        ("Bonn, Germany", "Bonn", None, "DE"),
        ("Paris, FR", "Paris", None, "FR"),
        ("San Francisco, CA", "San Francisco", "CA", None),
        ("San Francisco, CA, United States", "San Francisco", "California", "US"),
    ],
)
def test_a_location_in_one_text_is_read_from_its_end(text, city, state, country):
    place = made(location=text).location
    assert place is not None
    assert (place.city, place.state, place.country_iso2) == (city, state, country)


def test_empty_and_unreadable_values_are_absent():
    empty = made(
        firstName=" ",
        jobTitle={"title": "", "departments": []},
        location={"city": ""},
        socialLinks={"linkedin": "not a page", "xUrl": ""},
        emails=[],
        phones="",
        company={},
        linkedinFollowers="many",
        updateDate="yesterday",
        education=[{}],
        previousEmployment=[{"jobTitle": "CEO"}],
    )
    assert empty == Contact()


def test_long_texts_and_lists_are_bounded():
    record = made(firstName="x" * 5000, skills=[f"skill {n}" for n in range(3000)])
    assert record.first_name is not None
    assert len(record.first_name) == 500
    assert len(record.skills) == 1000


@pytest.mark.parametrize(
    ("given", "first", "last"),
    [
        ({"firstName": "Jane", "fullName": "Doe"}, "Jane", "Doe"),
        ({"firstName": "Jane", "fullName": "Jane van Doe"}, "Jane", "van Doe"),
        ({"lastName": "Doe", "fullName": "Jane"}, "Jane", "Doe"),
        ({"lastName": "Doe", "fullName": "Jane Doe"}, "Jane", "Doe"),
        ({"lastName": "Doe", "fullName": "Doe"}, None, "Doe"),
    ],
)
def test_half_of_a_name_is_completed_from_the_whole_one(given, first, last):
    record = normalise_contact(msgspec.convert(given, ContactInput))
    assert (record.first_name, record.last_name) == (first, last)


@pytest.mark.parametrize("sign", [".", "-", "*", "/", "#", "~", "..", "•"])
def test_a_sign_before_an_address_is_dropped_and_counted(sign):
    notes = Notes()
    cell = f"{sign}a@b.example"
    record = normalise_contact(ContactInput(emails=cell, previous_emails=cell), notes)
    assert ([one.email for one in record.emails], record.previous_emails) == (
        ["a@b.example"],
        ["a@b.example"],
    )
    assert notes.is_repaired


@pytest.mark.parametrize(
    "cell", ["_a@b.example", "+a@b.example", "a@b.example", "1@b.example", "élan@b.example"]
)
def test_letters_digits_underscores_and_plus_signs_begin_an_address(cell):
    notes = Notes()
    assert [one.email for one in normalise_contact(ContactInput(emails=cell), notes).emails] == [cell]
    assert not notes.is_repaired


@pytest.mark.parametrize(
    ("company", "emails", "domain"),
    [
        ("Acme", "ada@acme.example", "acme.example"),
        ("Acme", "ada@mail.acme.example; ada@else.example", "acme.example"),
        ("Acme", None, "acme.example"),
        ("Acme", "ada@gmail.com", "acme.example"),
        ("Acme", "ada@else.example", None),
        (None, "ada@acme.example", "acme.example"),
        (None, "ada@gmail.com", None),
        (None, None, None),
    ],
)
def test_a_site_of_an_address_book_is_the_employers_unless_the_emails_are_elsewhere(company, emails, domain):
    row = ContactInput(company=company, emails=emails, personal_site="https://www.acme.example/")
    found = normalise_contact(row).company
    assert (found.domain if found else None) == domain
