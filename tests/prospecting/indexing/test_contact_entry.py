from datetime import date

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
)
from firmograph.prospecting.engines import fields
from firmograph.prospecting.indexing.completeness import contact_points
from firmograph.prospecting.indexing.contact_entry import contact_entry

pytestmark = pytest.mark.no_database

FULL = Contact(
    first_name="Zoë",
    last_name="Müller",
    full_name="Zoë Anne Müller",
    job_title=JobTitle(
        title="SVP of Sales", departments=["Sales"], seniority="Vice President", start_date="2020-02-29"
    ),
    location=Location(
        country="United States",
        country_iso2="US",
        state="California",
        state_code="CA",
        city="San Francisco",
        zip_code="94107 ",
        continent="North America",
        coordinates=(-122.123456789, 37.7),
    ),
    update_date="2024-01-02",
    emails=[Email("zoe@acme.test", type="work")],
    phones=[
        Phone("+14155550101", type="mobile"),
        Phone("+14155550102", type="direct", do_not_call=True),
    ],
    company=CompanyRef(name="Acme", domain="acme.test"),
    previous_employment=[
        PastJob(
            company=CompanyRef(name="Globex", domain="globex.test", id=77),
            job_title=JobTitle(title="Sales Rep"),
        )
    ],
    skills=["C++", "Machine Learning"],
    certifications=["PMP"],
    awards=["Best Paper"],
    previous_emails=["zoe@globex.test"],
    education=[
        Education(
            school="École Exemple", degree="MSc", field_of_study="Law", start_year=2001, graduation_year=2005
        )
    ],
)


def terms(record, field):
    return [value for name, value in contact_entry(5, 9, record).terms if name == field]


def figures(record):
    return {name: (low, high) for name, low, high in contact_entry(5, 9, record).figures}


def test_a_full_record_fills_every_field_except_partial():
    entry = contact_entry(5, 9, FULL, {"promotion": "2026-01-31"})
    filled = {name for name, _ in entry.terms} | {name for name, _, _ in entry.figures}
    everything = fields.CONTACT_TERMS | fields.CONTACT_TEXTS | fields.CONTACT_FIGURES
    assert filled == everything - {fields.PARTIAL}


def test_an_entry_has_the_sort_position_of_its_record():
    entry = contact_entry(5, 9, FULL)
    assert entry[:4] == (5, 9, contact_points(FULL), (date(2024, 1, 2) - date(1970, 1, 1)).days)
    assert terms(FULL, fields.POINTS) == [str(contact_points(FULL))]


@pytest.mark.parametrize(("day", "expected"), [(None, 0), ("1960-01-01", 1), ("2500-01-01", 65_535)])
def test_days_outside_the_range_of_an_entry_are_clamped(day, expected):
    assert contact_entry(1, None, Contact(update_date=day)).day == expected


def test_names_are_the_words_of_all_three():
    assert set(terms(FULL, fields.NAME)) == {"zoe", "muller", "anne"}
    assert terms(Contact(full_name="Prince"), fields.NAME) == ["prince"]


def test_a_title_is_indexed_as_words_as_normal_words_and_whole():
    assert terms(FULL, fields.TITLE) == ["svp", "sales"]
    assert terms(FULL, fields.TITLE_NORMAL) == ["senior", "vice", "president", "sales"]
    assert terms(FULL, fields.TITLE_WHOLE) == ["svp of sales"]
    assert terms(FULL, fields.DEPARTMENT) == ["Sales"]
    assert terms(FULL, fields.SENIORITY) == ["8"]


def test_a_job_without_a_title_keeps_the_rest():
    record = Contact(job_title=JobTitle(departments=["Legal"], start_date="1969-12-31"))
    assert terms(record, fields.TITLE_WHOLE) == []
    assert terms(record, fields.DEPARTMENT) == ["Legal"]
    assert figures(record) == {fields.JOB_START: (-1, -1)}


@pytest.mark.parametrize(
    ("emails", "phones", "expected"),
    [
        ([("work", "work")], [], {"email", "work_email"}),
        (["private", "unknown"], [], {"email"}),
        ([], [("work", False)], {"phone"}),
        ([], [("mobile", False), ("unknown", True)], {"phone", "mobile_phone", "do_not_call"}),
        ([], [("direct", False)], {"phone", "direct_phone"}),
        ([], [], set()),
    ],
)
def test_available_contact_data_is_indexed(emails, phones, expected):
    types = [one if isinstance(one, str) else one[0] for one in emails]
    record = Contact(
        emails=[Email(f"a{place}@example.com", type=kind) for place, kind in enumerate(types)],
        phones=[
            Phone(f"+1202555010{place}", type=kind, do_not_call=silent)
            for place, (kind, silent) in enumerate(phones)
        ],
    )
    assert set(terms(record, fields.HAS)) == expected
    assert terms(record, fields.PARTIAL) == ([] if expected else ["1"])


def test_a_location_is_indexed_at_every_level():
    assert terms(FULL, fields.COUNTRY) == ["US"]
    assert terms(FULL, fields.STATE) == ["US-CA"]
    assert terms(FULL, fields.CONTINENT) == ["North America"]
    assert terms(FULL, fields.ZIP) == ["US:94107"]
    assert terms(FULL, fields.PLACE) == ["San Francisco|California|US"]


def test_a_state_without_a_code_is_indexed_by_its_folded_name():
    record = Contact(location=Location(country_iso2="PE", state="Añil"))
    assert terms(record, fields.STATE) == ["PE-anil"]


def test_a_city_of_no_known_country_is_still_a_location():
    record = Contact(location=Location(city="Some|where", zip_code="123"))
    assert terms(record, fields.PLACE) == ["Some where||"]
    assert terms(record, fields.ZIP) == []
    assert contact_entry(1, None, record).position is None


def test_a_position_is_the_coordinates_swapped_and_rounded():
    assert contact_entry(1, None, FULL).position == (37.7, -122.1234568)


def test_without_coordinates_a_position_is_the_citys():
    record = Contact(location=Location(country_iso2="FR", city="Paris"))
    latitude, longitude = contact_entry(1, None, record).position
    assert (round(latitude), round(longitude)) == (49, 2)


def test_former_jobs_are_indexed_by_record_host_name_and_title():
    assert terms(FULL, fields.PAST_COMPANY) == ["77"]
    assert terms(FULL, fields.PAST_DOMAIN) == ["globex.test"]
    assert terms(FULL, fields.PAST_NAME) == ["Globex"]
    assert terms(FULL, fields.PAST_TITLE) == ["Sales Rep"]


def test_lists_are_indexed_as_shown():
    assert terms(FULL, fields.SKILL) == ["C++", "Machine Learning"]
    assert terms(FULL, fields.CERTIFICATION) == ["PMP"]
    assert terms(FULL, fields.AWARD) == ["Best Paper"]
    assert terms(FULL, fields.PREVIOUS_EMAIL) == ["zoe@globex.test"]
    assert terms(FULL, fields.SCHOOL) == ["École Exemple"]
    assert terms(FULL, fields.DEGREE) == ["MSc"]
    assert terms(FULL, fields.STUDY) == ["Law"]


def test_years_and_days_are_figures():
    assert figures(FULL) == {
        fields.JOB_START: (18_321, 18_321),
        fields.STUDY_START: (2001, 2001),
        fields.GRADUATION: (2005, 2005),
    }
