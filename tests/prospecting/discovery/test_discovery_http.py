import msgspec
import pytest
from people_fixtures import companies, contacts, found, wait

from firmograph.directory.records import Company, Location
from firmograph.prospecting.discovery.service import MAX_SUGGESTIONS
from installation_factory import make_suppression
from record_factory import contact, load_companies, load_contacts

pytestmark = pytest.mark.any_database

TYPES = {
    "contacts": {
        "departments": False,
        "seniority": False,
        "countries": False,
        "existingDataPoints": False,
        "locations": True,
    },
    "companies": {
        "names": True,
        "technologies": True,
        "locations": True,
        "sizes": False,
        "revenues": False,
        "industriesLabels": False,
        "sics": False,
        "naics": False,
        "intentTopics": False,
    },
}
GERMANY = {"continent": "Europe", "country": "Germany", "country_grouping": "EMEA"}
USA = {"continent": "North America", "country": "United States", "country_grouping": "NA"}


def values(service, kind, name, query=None):
    path = f"/v3/{kind}/prospecting/filters/{name}"
    answer = service.client.get(
        path, headers={"api_key": service.key}, params={"query": query} if query is not None else None
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["values"]


def test_every_filter_type_is_listed_with_its_need_of_a_query(unchanged):
    for kind, types in TYPES.items():
        listed = unchanged.get(f"/v3/{kind}/prospecting/filters").json()
        assert listed == {
            "availableFilters": [
                {"filterType": name, "requiresQuery": needed} for name, needed in types.items()
            ]
        }


def test_a_query_is_required_exactly_where_listed_and_ignored_elsewhere(unchanged):
    for kind, types in TYPES.items():
        for name, needed in types.items():
            path = f"/v3/{kind}/prospecting/filters/{name}"
            assert unchanged.get(path).status_code == (400 if needed else 200)
            assert unchanged.get(f"{path}?query=x").status_code == (400 if needed else 200)
            assert unchanged.get(f"{path}?query=xy").status_code == 200
            assert unchanged.get(f"{path}?query={'x' * 257}").status_code == (400 if needed else 200)
    missing = unchanged.get("/v3/companies/prospecting/filters/names").json()
    assert (missing["message"], missing["errors"]) == ("query is required", ["query is required"])


def test_an_unknown_filter_type_is_404(unchanged):
    for path in ("contacts/prospecting/filters/names", "companies/prospecting/filters/jobTitles"):
        assert unchanged.get(f"/v3/{path}").status_code == 404


def test_a_key_is_needed_and_nothing_is_charged(people):
    path = "/v3/contacts/prospecting/filters/departments"
    assert people.client.get(path).status_code == 401
    answer = people.get(path)
    assert answer.headers["x-minute-usage"] == "1"
    assert people.get("/v3/account/usage").json()["credits"]["used"] == 0


# --- Fixed values ---


def test_fixed_values_have_the_layout_of_the_catalogue(unchanged):
    assert len(values(unchanged, "contacts", "departments")) == 16
    seniorities = values(unchanged, "contacts", "seniority")
    assert seniorities[0] == {"id": 10, "name": "founder"}
    assert {"id": 3, "name": "entry"} in seniorities
    assert values(unchanged, "contacts", "existingDataPoints") == [
        "phone", "work_email", "mobile_phone", "direct_phone",
    ]  # fmt: skip
    sizes, revenues = values(unchanged, "companies", "sizes"), values(unchanged, "companies", "revenues")
    assert (sizes[0], sizes[-1]) == ({"min": 1, "max": 10}, {"min": 100_001})
    assert (revenues[0], revenues[-1]) == ({"min": 1, "max": 1_000_000}, {"min": 100_000_000_001})
    industries = values(unchanged, "companies", "industriesLabels")
    assert (len(industries), sum(len(main["sub_industries"]) for main in industries)) == (17, 134)
    farming = next(main for main in industries if main["main_industry_id"] == 8)
    assert farming == {
        "main_industry": "Farming, Ranching, Forestry",
        "main_industry_id": 8,
        "sub_industries": [{"value": "Farming, Ranching, Forestry", "id": 36}],
    }


# --- Values from data ---


def test_countries_are_all_of_them_by_volume_then_name(unchanged):
    countries = values(unchanged, "contacts", "countries")
    assert countries[:4] == [
        {"name": "Germany", "code": "DE"},
        {"name": "United States", "code": "US"},
        {"name": "France", "code": "FR"},
        {"name": "Afghanistan", "code": "AF"},
    ]
    rest = [country["name"] for country in countries[3:]]
    assert rest == sorted(rest)
    assert len(countries) == len({country["code"] for country in countries}) == 250


def test_all_countries_are_the_same_as_a_bare_array(unchanged):
    answer = unchanged.get("/prospecting/filters/contacts/all_countries")
    assert answer.json() == values(unchanged, "contacts", "countries")
    assert set(unchanged.client.get("/prospecting/filters/contacts/all_countries").json()) == {
        "statusCode",
        "message",
    }


def test_codes_are_those_of_stored_records_with_the_labels_of_rows(unchanged):
    assert values(unchanged, "companies", "sics") == [
        {"code": "0700", "label": "Agricultural Services"},
        {"code": "7372", "label": "Prepackaged Software"},
    ]
    assert values(unchanged, "companies", "naics") == [{"code": "513210", "label": "Software Publishers"}]


def test_a_code_without_a_description_is_its_own_label(people):
    def company(name, description):
        code = {"code": 1311, "description": description}
        return msgspec.convert({"name": name, "domain": f"{name}.example.com", "sicCodes": [code]}, Company)

    for name, description, label in (("one", "", "1311"), ("two", "Oil Wells", "Oil Wells")):
        load_companies(people.database, "codes", [(name, company(name, description))])
        wait(people)
        assert {"code": "1311", "label": label} in values(people, "companies", "sics")


def test_intent_topics_are_ordered_by_volume(unchanged):
    assert values(unchanged, "companies", "intentTopics") == ["Machine Learning", "Audit"]


def test_technologies_begin_like_the_query_or_nearly(unchanged):
    assert values(unchanged, "companies", "technologies", "ku") == [{"name": "Kubernetes"}]
    assert values(unchanged, "companies", "technologies", "kubernets") == [{"name": "Kubernetes"}]
    assert values(unchanged, "companies", "technologies", "zzz") == []


def test_company_names_have_id_logo_and_domain(unchanged):
    (acme,) = values(unchanged, "companies", "names", "acm")
    assert acme == {
        "companyId": acme["companyId"],
        "name": "Acme Instruments",
        "logoUrl": "https://acme.example.com/logo.png",
        "fqdn": "acme.example.com",
    }
    named = unchanged.post("/v3/companies/prospecting", companies({"ids": [acme["companyId"]]})).json()
    assert [one["name"] for one in named["results"]] == ["Acme Instruments"]


def test_values_of_partial_companies_alone_are_not_offered_to_company_prospecting(people):
    partial = {
        "name": "Nowhere Works",
        "location": {"country": "France", "countryIso2": "FR", "city": "Nirgendsheim"},
        "technologies": ["Zeppelin"],
        "sicCodes": [{"code": 1311, "description": "Oil Wells"}],
        "intent": {"detectedTopics": [{"topicName": "Whaling", "topicScore": 50}], "topicCount": 1},
    }

    def offered():
        return [
            values(people, "companies", "names", "nowhere"),
            values(people, "companies", "locations", "nirgends"),
            values(people, "companies", "technologies", "zeppelin"),
            [code for code in values(people, "companies", "sics") if code["code"] == "1311"],
            [topic for topic in values(people, "companies", "intentTopics") if topic == "Whaling"],
        ]

    for more, count in (({}, 0), ({"domain": "nowhere.example.com"}, 1)):
        load_companies(people.database, "partial", [("1", msgspec.convert(partial | more, Company))])
        wait(people)
        assert [len(found) for found in offered()] == [count] * 5


def test_locations_are_countries_states_and_cities(unchanged):
    ber = values(unchanged, "contacts", "locations", "ber")
    assert ber == [
        {**GERMANY, "state": "Berlin"},
        {**GERMANY, "state": "Berlin", "city": "Berlin"},
        {**GERMANY, "country": "France", "city": "Bergerac"},
        {**USA, "state": "California", "city": "Berkeley"},
    ]
    assert values(unchanged, "contacts", "locations", "germany")[0] == GERMANY
    assert values(unchanged, "contacts", "locations", "calofrnia") == [
        {**USA, "state": "California"},
        {**USA, "state": "California", "city": "Berkeley"},
    ]
    assert values(unchanged, "companies", "locations", "berkeley") == []


def test_a_suggested_location_is_accepted_by_the_filter(unchanged):
    for query, names in (("germ", 3), ("berlin", 2), ("berkeley", 1)):
        place = values(unchanged, "contacts", "locations", query)[0]
        assert len(found(unchanged, contacts({"locations": [place]}))) == names


def test_at_most_fifty_are_suggested(people):
    def inhabitant(n):
        place = Location(country="Germany", country_iso2="DE", city=f"Neudorf {n}")
        return contact(f"Nora{n}", f"Neu{n}", emails=[f"n{n}@people.example.com"], location=place)

    load_contacts(people.database, "many", [(str(n), inhabitant(n)) for n in range(MAX_SUGGESTIONS + 5)])
    wait(people)
    assert len(values(people, "contacts", "locations", "neudorf")) == MAX_SUGGESTIONS


@pytest.mark.parametrize("query", ["%%", "||", "\U0001f600\U0001f600", "a|b|c"])
def test_any_text_is_a_query(unchanged, query):
    for kind, types in TYPES.items():
        for name in (name for name, needed in types.items() if needed):
            values(unchanged, kind, name, query)


def test_a_value_of_a_suppressed_person_alone_is_not_suggested(lagging, keyring):
    berkeley = {**USA, "state": "California", "city": "Berkeley"}
    assert values(lagging, "contacts", "locations", "berkel") == [berkeley]
    suppression = make_suppression(lagging.database, keyring, lagging.clock)
    suppression.suppress(suppression.person(email="dan@people.example.com"))
    assert values(lagging, "contacts", "locations", "berkel") == []
    assert values(lagging, "contacts", "locations", "cali") == []
