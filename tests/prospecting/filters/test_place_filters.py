import pytest
from filter_requests import companies, company_query, contact_refusals, contacts

from firmograph.directory.normalise.gazetteer import countries
from firmograph.prospecting.engines.query import NO_RECORD, All, Any, Employs, Near, Term, Without
from firmograph.prospecting.filters.groupings import countries_of, groupings

pytestmark = pytest.mark.no_database


def location(**fields):
    return contacts(include={"locations": [fields]}).where


def terms(field, *values):
    return tuple(Term(field, value) for value in values)


@pytest.mark.parametrize("text", ["Germany", "DE", "deutschland", "Federal Republic of Germany", "DEU"])
def test_a_country_is_recognised_by_code_and_by_name(text):
    assert location(country=text) == Term("country", "DE")


@pytest.mark.parametrize("text", ["Bavaria", "Bayern", "BY", "DE-BY", "by"])
def test_a_state_is_recognised_by_code_and_by_name(text):
    assert location(country="DE", state=text) == All((Term("country", "DE"), Term("state", "DE-BY")))


def test_an_unknown_state_is_searched_as_written():
    assert location(countryIso2="DE", state="Über Land") == All(
        (Term("country", "DE"), Term("state", "DE-uber land"))
    )


@pytest.mark.parametrize("text", ["Bayern", "US-CA"])
def test_a_state_without_its_country_is_searched_in_every_country(text):
    where = location(state=text)
    assert isinstance(where, Any)
    assert where.criteria[0] == Term("state", {"Bayern": "DE-BY", "US-CA": "US-CA"}[text])
    assert Term("state", f"FR-{text.lower().replace('-', ' ')}") in where.criteria


def test_a_code_without_its_country_matches_each_state_that_has_it():
    where = location(state="CA")
    assert isinstance(where, Any)
    assert {"US-CA", "IT-CA"} <= {one.value for one in where.criteria}


def test_a_city_is_searched_by_its_folded_name():
    assert location(city="São Paulo") == Term("place", "sao paulo")


def test_all_fields_of_a_location_must_match():
    assert location(city="Berlin", country="Germany", continent="europe", countryGrouping="dach") == All(
        (
            Term("country", "DE"),
            Term("continent", "Europe"),
            Any(terms("country", "AT", "CH", "DE")),
            Term("place", "berlin"),
        )
    )


def test_one_of_several_locations_suffices():
    locations = [{"city": "Paris"}, {}, {"country": "DE"}]
    either = Any((Term("place", "paris"), Term("country", "DE")))
    assert contacts(include={"locations": locations}).where == either
    assert contacts(exclude={"locations": locations}).excluded == (either,)


def test_an_unknown_country_matches_nothing():
    assert location(country="Atlantis") == NO_RECORD


@pytest.mark.parametrize("name", groupings())
@pytest.mark.parametrize("key", ["countryGrouping", "country_grouping"])
def test_a_grouping_matches_its_countries_and_the_continents_inside_it(name, key):
    where = location(**{key: name.lower()})
    assert isinstance(where, Any)
    named = {one.value for one in where.criteria if one.field == "country"}
    whole = {one.value for one in where.criteria if one.field == "continent"}
    within = {code for code, continent in countries().continents.items() if continent in whole}
    assert named | within == countries_of(name)
    assert not named & within


def test_europe_and_africa_are_completely_in_emea():
    where = location(countryGrouping="EMEA")
    assert isinstance(where, Any)
    assert {one.value for one in where.criteria if one.field == "continent"} == {"Africa", "Europe"}


@pytest.mark.parametrize(
    ("text", "criterion"),
    [
        ("Europe", Term("continent", "Europe")),
        ("DACH", Any(terms("country", "AT", "CH", "DE"))),
    ],
)
def test_a_region_is_a_continent_or_a_grouping_of_that_name(text, criterion):
    assert location(region=text) == criterion


def test_any_other_region_is_a_state_or_a_city():
    for text in ("Bavaria", "Frankfurt"):
        assert location(region=text) == Any((location(state=text), location(city=text)))
    assert location(region="Bavaria", country="DE") == All(
        (Term("country", "DE"), Any((Term("state", "DE-BY"), Term("place", "bavaria"))))
    )


def test_a_radius_is_around_the_centre_of_a_postcode():
    radii = [
        {"country": "USA", "zipcode": "94107", "distance": 25},
        {"country": "United Kingdom", "zipcode": "sw1a 1aa", "distance": 0.5},
    ]
    near = Any((Near(37.76, -122.39, 25), Near(51.5, -0.14, 0.5)))
    assert contacts(include={"geographicDetails": radii}).where == near
    assert companies(exclude={"geographicDetails": radii}).excluded == (near,)


def test_countries_of_the_contacts_of_a_company_are_codes_or_names():
    given = {"countries": ["us", "Deutschland", "Nowhere"]}
    sides = {"include": given, "exclude": {"countries": ["FR", "Spain"]}}
    query = company_query({"filters": {"contacts": sides}})
    places = Any((Term("country", "US"), Term("country", "DE")))
    assert query.where == Employs(Without(places, Any((Term("country", "FR"), Term("country", "ES")))))


def test_companies_are_located_at_their_headquarters():
    locations = {"locations": [{"city": "Paris"}]}
    assert companies(include=locations).where == Term("place", "paris")


@pytest.mark.parametrize(
    ("filters", "problem"),
    [
        (
            {"countries": ["US", "UK"]},
            "countries.1 must be a two-letter country code; the nearest is GB",
        ),
        (
            {"countries": ["Germany"]},
            "countries.0 must be a two-letter country code; the nearest is DE",
        ),
        (
            {"countries": ["Grmany"]},
            "countries.0 must be a two-letter country code; the nearest are: DE (Germany), IR (Iran), OM (Oman)",
        ),
        (
            {"locations": [{"countryIso2": "XX"}]},
            "locations.0.countryIso2 must be a two-letter country code; the nearest are: ",
        ),
        (
            {"locations": [{}, {"continent": "Europa"}]},
            "locations.1.continent must be one of: Africa, Antarctica, Asia, Europe, North America, Oceania,"
            " South America",
        ),
        (
            {"locations": [{"countryGrouping": "Nordic lands"}]},
            "locations.0.countryGrouping must be a known value; the nearest are: Nordics, ",
        ),
        (
            {"locations": [{"country_grouping": "EMEAA"}]},
            "locations.0.country_grouping must be a known value; the nearest are: EMEA, ",
        ),
        (
            {"locations": [{"state": "Bavaria"}] * 1001},
            "locations must have at most 1000 elements with a state or region but no country",
        ),
        (
            {"geographicDetails": [{"country": "Atlantis", "zipcode": "1", "distance": 1}]},
            "geographicDetails.0.country must be a country; the nearest are: ",
        ),
        (
            {"geographicDetails": [{"country": "US", "zipcode": "00000", "distance": 1}]},
            "geographicDetails.0.zipcode has no known position: no record has coordinates for 00000 in US",
        ),
    ],
)
def test_an_invalid_location_is_refused_with_its_path(filters, problem):
    (refusal,) = contact_refusals({"filters": {"contacts": {"include": filters}}})
    assert refusal.startswith(f"filters.contacts.include.{problem}")


def test_locations_of_companies_are_refused_by_their_own_path():
    body = {"filters": {"companies": {"exclude": {"locations": [{"countryIso2": "UK"}]}}}}
    assert contact_refusals(body) == [
        "filters.companies.exclude.locations.0.countryIso2 must be a two-letter country code; the nearest is GB"
    ]
