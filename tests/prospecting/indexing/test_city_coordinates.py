import tomllib
from importlib.resources import files

import pytest

from firmograph.directory.normalise.gazetteer import subdivisions
from firmograph.prospecting.indexing.city_coordinates import city_names, city_position

pytestmark = pytest.mark.no_database

DIVISIONS = tomllib.loads(
    files("firmograph.prospecting.indexing").joinpath("data/divisions.toml").read_text("utf-8")
)


def near(found, latitude, longitude):
    return found is not None and abs(found[0] - latitude) < 0.2 and abs(found[1] - longitude) < 0.2


@pytest.mark.parametrize(
    ("city", "state", "country", "latitude", "longitude"),
    [
        ("Springfield", "Illinois", "US", 39.8, -89.65),
        ("Springfield", "Missouri", "US", 37.21, -93.29),
        ("Springfield", "MA", "US", 42.1, -72.59),
        ("London", "Ontario", "CA", 42.98, -81.25),
        ("London", "", "GB", 51.51, -0.13),
        ("Frankfurt", "Brandenburg", "DE", 52.34, 14.55),
        ("Frankfurt", "Hesse", "DE", 50.12, 8.68),
    ],
)
def test_country_and_state_decide_between_namesakes(city, state, country, latitude, longitude):
    assert near(city_position(city, state, country), latitude, longitude)


def test_without_a_state_the_largest_namesake_is_chosen():
    assert city_position("Portland", "", "US") == city_position("Portland", "Oregon", "US")


def test_a_state_without_such_a_city_has_none():
    assert city_position("Springfield", "Montana", "US") is None


def test_an_unknown_state_does_not_prevent_a_match():
    assert city_position("Milan", "Milano", "IT") == city_position("Milan", "Lombardy", "IT") is not None


def test_a_city_is_found_under_its_other_names():
    assert city_position("Köln", "", "DE") == city_position("Cologne", "", "DE") is not None


@pytest.mark.parametrize(
    ("city", "country"), [("Atlantis", "US"), ("Munich", "XX"), ("Munich", ""), ("", "US")]
)
def test_a_name_outside_the_reference_data_has_no_position(city, country):
    assert city_position(city, "", country) is None


def test_a_name_as_written_is_first_and_unique():
    names = city_names("Vienna", "", "AT")
    assert names[0] == "vienna"
    assert "wien" in names
    assert len(names) == len(set(names))


def test_a_blank_city_has_no_names():
    assert city_names(" ", "", "US") == ()


def test_another_citys_own_name_belongs_to_the_larger_one():
    """Kansas City, Kansas, shares a GeoNames name with its larger neighbour; Hollywood in Florida is no Los Angeles."""
    assert "hollywood" not in city_names("Los Angeles", "California", "US")
    assert "los angeles" not in city_names("Hollywood", "Florida", "US")


@pytest.mark.parametrize("country", [name for name, table in DIVISIONS.items() if table != "same"])
def test_the_divisions_of_the_table_are_those_of_iso(country):
    codes = list(DIVISIONS[country].values())
    assert set(codes) <= set(subdivisions(country).by_code)
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(
    ("city", "state", "country"),
    [
        ("Vienna", "Vienna", "AT"),
        ("Sydney", "New South Wales", "AU"),
        ("Rio de Janeiro", "Rio de Janeiro", "BR"),
        ("Montreal", "Quebec", "CA"),
        ("Cologne", "North Rhine-Westphalia", "DE"),
        ("Seville", "Andalusia", "ES"),
        ("Lyon", "Auvergne-Rhône-Alpes", "FR"),
        ("Bengaluru", "Karnataka", "IN"),
        ("Turin", "Piedmont", "IT"),
        ("Guadalajara", "Jalisco", "MX"),
        ("Edinburgh", "Scotland", "GB"),
        ("Zürich", "Zurich", "CH"),
    ],
)
def test_a_city_is_in_its_state(city, state, country):
    assert city_position(city, state, country) == city_position(city, "", country) is not None
