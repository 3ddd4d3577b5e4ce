import pycountry
import pytest

from firmograph.directory.normalise.gazetteer import countries
from firmograph.directory.normalise.locations import continent_of
from firmograph.prospecting.filters.groupings import countries_of, groupings, main_grouping

pytestmark = pytest.mark.no_database

MAIN = ("NA", "LATAM", "EMEA", "APAC")
ISO = {country.alpha_2 for country in pycountry.countries} | {"XK"}


def test_every_country_is_in_exactly_one_main_grouping():
    for code in ISO:
        assert [name for name in MAIN if code in countries_of(name)] == [main_grouping(code)]


def test_a_grouping_contains_iso_countries_only():
    for name in groupings():
        assert set() < countries_of(name) <= ISO


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("NA", "US CA"),
        ("DACH", "DE AT CH"),
        ("Nordics", "DK FI IS NO SE"),
        ("Benelux", "BE NL LU"),
        ("Baltics", "EE LV LT"),
        ("ANZ", "AU NZ"),
        ("GCC", "AE BH KW OM QA SA"),
    ],
)
def test_small_groupings_have_their_usual_members(name, codes):
    assert countries_of(name) == set(codes.split())


@pytest.mark.parametrize(
    ("grouping", "codes"),
    [
        ("LATAM", "MX BR AR CU JM DO PR GT"),
        ("EMEA", "GB DE UA TR IL AE SA EG NG ZA"),
        ("APAC", "CN JP IN AU SG KZ PK"),
        ("MENA", "AE EG MA IL"),
        ("CEE", "PL CZ HU RO LT"),
    ],
)
def test_large_groupings_have_the_decided_members(grouping, codes):
    assert set(codes.split()) <= countries_of(grouping)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("na", "NA"),
        ("emea", "EMEA"),
        ("Latin America", "LATAM"),
        ("Asia-Pacific", "APAC"),
        ("ASIA_PACIFIC", "APAC"),
        ("North America", "NA"),
        ("UK&I", "UKI"),
        ("UK & Ireland", "UKI"),
        ("nordic", "Nordics"),
        ("Middle East and North Africa", "MENA"),
    ],
)
def test_case_punctuation_and_usual_names_are_ignored(written, name):
    assert countries_of(written) == countries_of(name)


def test_an_unknown_grouping_is_distinguished():
    assert countries_of("Narnia") is None
    assert countries_of("") is None
    assert main_grouping("ZZ") is None


def test_the_main_groupings_come_first():
    assert groupings()[:4] == MAIN


def test_the_european_groupings_are_in_europe():
    in_europe = {code for code in countries().names if continent_of(code) == "Europe"}
    for name in ("DACH", "Nordics", "Benelux", "Baltics", "CEE", "Iberia", "UKI"):
        assert countries_of(name) <= in_europe
