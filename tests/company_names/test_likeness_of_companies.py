"""Look-ups by a name alike, over HTTP, with the index that follows the changes."""

import pytest

from firmograph.company_names.current_names import CurrentNames
from firmograph.company_names.factory import ServedNames
from firmograph.company_names.index_kind import CompanyNames, NamedCompany
from firmograph.directory.likeness.spellings import name_form
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.records import Company, CompanyRef, Location
from firmograph.indexing import store
from firmograph.indexing.active_index import ActiveIndex
from index_fixtures import is_applied
from record_factory import contact, load_companies, load_contacts

SEARCH = "/v3/companies/search"


@pytest.fixture(scope="module")
def directory(shared_service):
    load_companies(
        shared_service.database,
        "test",
        [
            Company(name="Zorblatt International Holdings Ltd", domain="zorblatt.example"),
            Company(name="Quux (United States)", location=Location(country_iso2="US")),
        ],
    )
    ref = CompanyRef(name="Zorblatt International Holdings Ltd", domain="zorblatt.example")
    load_contacts(shared_service.database, "test", [contact("Jane", "Doe", company=ref)])
    return shared_service


@pytest.fixture
def people(directory):
    wait(directory)
    return directory.with_account()


def wait(service):
    names = service.installation.get(ServedNames)
    assert is_applied(names.active, store.head(service.database.session()), 30)


def found(people, **item):
    answer = people.post(SEARCH, {"companies": [item]})
    assert answer.status_code == 200, answer.text
    return answer.json()["results"][0].get("name")


def test_a_company_is_found_by_an_abbreviated_name(people):
    assert found(people, name="Zorblatt Intl Hldgs") == "Zorblatt International Holdings Ltd"


def test_a_person_is_found_at_an_employer_under_another_spelling(people):
    item = {"firstName": "Jane", "lastName": "Doe", "companyName": "Zorblatt Intl Hldgs"}
    answer = people.post("/v3/contacts/search", {"contacts": [item]})
    assert answer.json()["results"][0].get("lastName") == "Doe"


def test_a_name_beside_another_identifier_finds_by_its_key_alone(people):
    assert found(people, name="Zorblatt Intl Hldgs", domain="nobody.example") is None
    assert found(people, name="Quux (Germany)") is None


def test_a_deleted_or_renamed_company_is_found_under_its_present_name_alone(directory):
    people = directory.with_account()
    load_companies(directory.database, "other", [Company(name="Frobnitz Tech", domain="frobnitz.example")])
    wait(directory)
    assert found(people, name="Frobnitz Technologies") == "Frobnitz Tech"
    load_companies(directory.database, "other", [Company(name="Garply Mfg", domain="frobnitz.example")])
    wait(directory)
    assert found(people, name="Garply Manufacturing") == "Garply Mfg"


def test_without_an_index_companies_are_found_by_equal_keys(directory):
    lookup = RecordLookup(directory.installation.record_ids, directory.installation.digests, 0.9, 0.05)
    names = ("Zorblatt Intl Hldgs", "Zorblatt International Holdings")
    with directory.database.read() as session:
        companies = lookup.companies(session, [lookup.queries.named_company(name) for name in names])
    assert [company and company.partial for company in companies] == [None, 0]


def test_an_index_that_loads_or_lacks_a_change_of_a_company_is_not_asked(directory):
    active = ActiveIndex()
    names = CurrentNames(active, 0.9, 0.05)
    session = directory.database.session()
    assert names.find(session, ["Zorblatt"]) == [None]
    index = CompanyNames()
    index.put([NamedCompany(1, [name_form("Zorblatt")], "", False)])
    active.serve(index)
    assert names.find(session, ["Zorblatt"]) == [None]
    index.applied = store.head(session)
    assert names.find(session, ["Zorblatt"]) == [1]
