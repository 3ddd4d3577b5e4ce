import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import PhoneNumberFormat

from firmograph.directory.normalise.phones import normalise_phone

pytestmark = pytest.mark.no_database


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


def test_a_fictitious_number_gets_the_records_country():
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
def test_an_incomplete_number_is_none(text, region):
    assert normalise_phone(text, region) is None


@pytest.mark.parametrize(
    "text",
    [
        "'+1 907-555-0142",
        "’+1 907-555-0142",
        '="+19075550142"',
        "9075550142.0",
        "19075550142.0",
        "+19075550142.00",
        "1.9075550142E+10",
        "1,9075550142E+10",
        "9.075550142e9",
        "0019075550142",
        "011 1 907 555 0142",
        "+1 907-555-0142;",
        "\u202a+1\xa0907\u2011555\u20110142\u202c",
        "\u200b907-555-0142",
        "++1 907 555 0142",
        "+001 907 555 0142",
        "Mobile: 907-555-0142",
        "M 907-555-0142",
        "907-555-0142, ext 12",
    ],
)
def test_artefacts_that_programs_add_to_a_number_are_dropped(text):
    assert normalise_phone(text, "US") == ("+19075550142", "US")


@pytest.mark.parametrize(
    ("text", "region", "number"),
    [
        ("0044 20 7946 0958", "US", "+442079460958"),
        ("0044 20 7946 0958", "DE", "+442079460958"),
        ("0044 20 7946 0958", None, "+442079460958"),
        ("0049 (0)30 1234567", "US", "+49301234567"),
        ("0011 44 20 7946 0958", "AU", "+442079460958"),
        ("0011 44 20 7946 0958", "NZ", "+442079460958"),
        ("011 44 20 7946 0958", "US", "+442079460958"),
        ("011 44 20 7946 0958", "DE", "+442079460958"),
        ("010 44 20 7946 0958", "JP", "+442079460958"),
        ("00 1 212 555 0199", "DE", "+12125550199"),
    ],
)
def test_exit_codes_of_any_country_are_read(text, region, number):
    assert normalise_phone(text, region)[0] == number


@pytest.mark.parametrize(
    ("text", "region", "number"),
    [
        ("442079460958", "GB", "+442079460958"),
        ("442079460958", "US", "+442079460958"),
        ("4917012345678", "DE", "+4917012345678"),
        ("491701234567", "DE", "+491701234567"),
        ("33612345678", "FR", "+33612345678"),
        ("436641234567", "AT", "+436641234567"),
        ("5511987654321", "BR", "+5511987654321"),
        ("919876543210", "IN", "+919876543210"),
        ("12125550199", "US", "+12125550199"),
        ("12125550199.0", "CA", "+12125550199"),
        ("61412345678", "AU", "+61412345678"),
    ],
)
def test_a_calling_code_without_plus_is_read(text, region, number):
    assert normalise_phone(text, region)[0] == number


@pytest.mark.parametrize(
    ("text", "region", "number"),
    [
        ("612345678", "FR", "+33612345678"),
        ("2079460958", "GB", "+442079460958"),
        ("9876543210", "IN", "+919876543210"),
        ("13912345678", "CN", "+8613912345678"),
        ("11987654321", "BR", "+5511987654321"),
        ("412345678.0", "AU", "+61412345678"),
        ("0301234567", "DE", "+49301234567"),
        ("010 1234567", "NL", "+31101234567"),
        ("011 5613456", "IT", "+390115613456"),
        ("6591234567", "US", "+16591234567"),
    ],
)
def test_a_national_number_stays_national(text, region, number):
    assert normalise_phone(text, region)[0] == number


@pytest.mark.parametrize(
    ("text", "region", "intended"),
    [
        ("0081 3 1234 5678", "JP", "+81312345678"),
        ("0066 2 123 4567", "JP", "+6621234567"),
        ("0044 20 7946 0958", "JP", "+442079460958"),
        ("17012345678", "DE", "+4917012345678"),
        ("6591234567", "IN", "+916591234567"),
        ("12125550199", "DE", "+12125550199"),
        ("0082 2 1234 5678", "KR", "+82212345678"),
        ("12125550199", None, "+12125550199"),
    ],
)
def test_an_ambiguous_number_is_never_read_wrong(text, region, intended):
    read = normalise_phone(text, region)
    assert read is None or read[0] == intended


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("17012345678", "DE"),
        ("12125550199", "DE"),
        ("12125550199", None),
        ("1.21256E+10", "US"),
        ("4.91701234567E+12", "DE"),
        ("1.2125550199E+11", "US"),
        ("+49 30 1234 (home)", "DE"),
        ("+49 30 123456 Zentrale", "DE"),
        ("030 1234 (Frau Meier)", "DE"),
        ("ask Jane", "US"),
    ],
)
def test_a_number_with_lost_digits_or_other_words_is_none(text, region):
    assert normalise_phone(text, region) is None


def test_keypad_letters_are_read_where_they_are_the_number():
    assert normalise_phone("1-800-FLOWERS", "US") == ("+18003569377", "US")


def _library(text, region):
    """Return what phonenumbers reads; an unassigned number falls back to its main country."""
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
def test_the_fast_path_agrees_with_the_library_on_international_numbers(code, national, region):
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


@given(
    _SHAPES,
    # a number without + that begins with 0 may begin with an exit code, which the library leaves to its caller
    st.integers(100, 999),
    st.integers(0, 999),
    st.integers(0, 9999),
    st.sampled_from(["US", "CA", "BS"]),
)
def test_the_fast_path_agrees_with_the_library_on_north_american_numbers(shape, area, exchange, line, region):
    text = shape.format(f"{area:03}", f"{exchange:03}", f"{line:04}")
    assert normalise_phone(text, region) == _library(text, region)


@pytest.mark.parametrize(
    "form", [PhoneNumberFormat.E164, PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.NATIONAL]
)
def test_the_fast_path_agrees_with_the_library_on_an_example_of_every_country(form):
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        text = phonenumbers.format_number(phonenumbers.example_number(region), form)
        assert normalise_phone(text, region) == _library(text, region), (region, text)


@given(_SHAPES, st.integers(200, 999), st.integers(0, 999), st.integers(0, 9999))
def test_normalising_twice_changes_nothing(shape, area, exchange, line):
    once = normalise_phone(shape.format(area, f"{exchange:03}", f"{line:04}"), "US")
    assert once is not None
    assert normalise_phone(once[0], "US") == once
