import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import PhoneNumberFormat

from firmograph.directory.normalise.phones import normalise_phone


@pytest.mark.parametrize(
    "text",
    [
        "907-555-0142",
        "(907) 555-0142",
        "907.555.0142",
        "9075550142",
        "1-907-555-0142",
        "+1 907 555 0142",
        "+19075550142",
        "tel:+1-907-555-0142",
        " 907-555-0142 ",
        "907-555-0142 ext. 12",
        "907-555-0142 x12",
    ],
)
def test_a_number_has_one_form(text):
    assert normalise_phone(text, "US") == ("+19075550142", "US")


@pytest.mark.parametrize(
    ("text", "region", "number"),
    [
        ("+44 20 7946 0958", None, ("+442079460958", "GB")),
        ("020 7946 0958", "GB", ("+442079460958", "GB")),
        ("+44 (0)20 7946 0958", "US", ("+442079460958", "GB")),
        ("020 7946 0958", "gb", ("+442079460958", "GB")),
        ("+61 2 5550 1234", None, ("+61255501234", "AU")),
        ("+1 416 555 0123", "US", ("+14165550123", "CA")),
        ("242-555-0123", "US", ("+12425550123", "BS")),
        ("+39 06 555 0123", None, ("+39065550123", "IT")),
        ("+800 1234 5678", "US", ("+80012345678", None)),
        ("1-800-555-0199", "US", ("+18005550199", "US")),
    ],
)
def test_the_country_is_that_of_the_number(text, region, number):
    assert normalise_phone(text, region) == number


def test_a_fictitious_number_counts_as_of_the_records_country():
    assert normalise_phone("+1 555 555 0123", "CA") == ("+15555550123", "CA")
    assert normalise_phone("+1 555 555 0123", "DE") == ("+15555550123", "US")


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("", "US"),
        ("n/a", "US"),
        ("555-0142", "US"),
        ("907-555-01", "US"),
        ("+999 555 0142", None),
        ("907-555-0142", None),
        ("907-555-0142", "ZZ"),
        ("+1", None),
        ("+", None),
        ("+1907555014299", None),
        ("+١٩٠٧", None),
    ],
)
def test_what_cannot_be_a_full_number_is_none(text, region):
    assert normalise_phone(text, region) is None


def _library(text, region):
    """What phonenumbers says itself; the fallback of an unassigned number is its main country."""
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return None
    if phonenumbers.is_possible_number_with_reason(number) != phonenumbers.ValidationResult.IS_POSSIBLE:
        return None
    regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[number.country_code]
    country = phonenumbers.region_code_for_number(number) or (region if region in regions else regions[0])
    return phonenumbers.format_number(number, PhoneNumberFormat.E164), None if country == "001" else country


_REGIONS = st.sampled_from([None, "US", "CA", "BS", "GB", "DE", "IT", "AR", "ZZ"])
_CODES = st.sampled_from(sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)) | st.sampled_from(
    [1, 7, 39, 44, 61, 358]
)


@given(_CODES, st.text("0123456789", min_size=1, max_size=14), _REGIONS)
def test_the_short_way_agrees_with_the_library_on_international_numbers(code, national, region):
    text = f"+{code}{national}"
    assert normalise_phone(text, region) == _library(text, region)


_SHAPES = st.sampled_from(
    [
        "{}-{}-{}",
        "({}) {}-{}",
        "1-{}-{}-{}",
        "1 ({}) {}-{}",
        "{}.{}.{}",
        "{}{}{}",
        "+1 {} {} {}",
        "+1({}){}-{}",
    ]
)


@given(_SHAPES, st.integers(0, 999), st.integers(0, 999), st.integers(0, 9999), _REGIONS)
def test_the_short_way_agrees_with_the_library_on_north_american_numbers(shape, area, exchange, line, region):
    text = shape.format(f"{area:03}", f"{exchange:03}", f"{line:04}")
    assert normalise_phone(text, region) == _library(text, region)


@pytest.mark.parametrize(
    "form", [PhoneNumberFormat.E164, PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.NATIONAL]
)
def test_the_short_way_agrees_with_the_library_on_an_example_of_every_country(form):
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        text = phonenumbers.format_number(phonenumbers.example_number(region), form)
        assert normalise_phone(text, region) == _library(text, region), (region, text)


@given(_SHAPES, st.integers(200, 999), st.integers(0, 999), st.integers(0, 9999))
def test_normalising_twice_changes_nothing(shape, area, exchange, line):
    once = normalise_phone(shape.format(area, f"{exchange:03}", f"{line:04}"), "US")
    assert once is not None
    assert normalise_phone(once[0], "US") == once
