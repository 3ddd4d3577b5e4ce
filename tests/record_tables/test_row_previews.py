"""Free previews in the rows of tables: what they show, for which records, and what they never show."""

import json

import pytest
from full_records import BARE_COMPANY, FULL_CONTACT, load_company, load_records
from table_users import new_account

from firmograph.privacy.suppression import Suppression
from firmograph.security.record_ids import Entity
from record_factory import contact, load_contacts

LINK = {"linkedin": "https://www.linkedin.com/in/dana-ruiz"}
PAID_OF_CONTACT = ["emails", "phones", "@", "+1202", "Old Co", "x.com", "10115", "Hot"]
PAID_OF_COMPANY = ["rockets", "anvils", "1200", "Globex", "employeesBy", "facebook", "@", "+1202"]


@pytest.fixture
def service(make_service):
    """Return an application over a full and a bare record of each kind."""
    service = make_service()
    load_records(service.database)
    return service


@pytest.fixture
def dana(service):
    return new_account(service, "dana@acme.example")[0]


def ids(service, entity, *numbers):
    return [service.installation.record_ids.seal(entity, number) for number in numbers]


def shown(user, table, **query):
    """Return the rows of a page without their cells."""
    answer = user.get_rows(table, **query)
    assert answer.status_code == 200, answer.text
    return [
        {name: value for name, value in row.items() if name != "columns"} for row in answer.json()["data"]
    ]


def test_a_row_of_a_contact_shows_what_a_search_shows_and_the_full_name(service, dana):
    full, bare = ids(service, Entity.CONTACT, 1, 2)
    (employer,) = ids(service, Entity.COMPANY, 1)
    table = dana.table(ids=[full, bare])["tableId"]
    assert shown(dana, table) == [
        {
            "id": full,
            "firstName": "Dana",
            "lastName": "Ruiz",
            "fullName": "Dr. Dana Ruiz",
            "jobTitle": FULL_CONTACT["jobTitle"],
            "company": {
                "id": employer,
                "name": "Acme Inc",
                "domain": "acme.example",
                "industry": "Manufacturing",
            },
            "location": {"country": "Germany", "state": "Berlin", "city": "Berlin"},
            "socialLinks": LINK,
        },
        {"id": bare, "firstName": "Bo"},
    ]


def test_a_row_of_a_company_shows_what_a_search_shows(service, dana):
    full, bare = ids(service, Entity.COMPANY, 1, 2)
    firms = dana.of_kind("companies")
    table = firms.table(ids=[full, bare])["tableId"]
    assert shown(firms, table) == [
        {
            "id": full,
            "name": "Acme Inc",
            "domain": "acme.example",
            "employeeCount": {"exact": 120, "min": 51, "max": 200},
            "industry": "Manufacturing",
            "location": {
                "city": "Tucson",
                "state": "Arizona",
                "country": "United States",
                "continent": "North America",
            },
            "socialLinks": {"linkedin": "https://www.linkedin.com/company/acme"},
        },
        {"id": bare, "name": "Bare Ltd", "domain": "bare.example"},
    ]


@pytest.mark.parametrize("kind", ["contacts", "companies"])
def test_a_preview_has_the_values_of_the_search_of_its_kind(service, dana, kind):
    entity = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}[kind]
    user = dana.of_kind(kind)
    found = ids(service, entity, 1, 2)
    table = user.table(ids=found)["tableId"]
    searched = service.post(f"/v3/{kind}/search", {kind: [{"id": id} for id in found]}, key=user.key).json()
    for row, result in zip(shown(user, table), searched["results"], strict=True):
        assert {name: value for name, value in row.items() if name != "fullName"} == {
            name: value for name, value in result.items() if name not in ("has", "canReveal")
        }


def test_no_revealed_value_stands_in_a_preview(service, dana):
    id = ids(service, Entity.CONTACT, 1)
    assert service.post("/v3/contacts/enrich", {"ids": id}, key=dana.key).json()["billing"]["creditsCharged"]
    text = json.dumps(shown(dana, dana.table(ids=id)["tableId"]))
    assert [part for part in PAID_OF_CONTACT if part in text] == []
    firms = dana.of_kind("companies")
    text = json.dumps(shown(firms, firms.table(ids=ids(service, Entity.COMPANY, 1))["tableId"]))
    assert [part for part in PAID_OF_COMPANY if part in text] == []


def test_a_preview_is_of_the_record_as_it_is_now(service, dana):
    firms = dana.of_kind("companies")
    table = firms.table(ids=ids(service, Entity.COMPANY, 2))["tableId"]
    load_company(service.database, BARE_COMPANY | {"industry": "Retail"})
    assert shown(firms, table)[0]["industry"] == "Retail"


def test_a_suppressed_person_has_no_preview_and_a_replay_shows_none(service, dana):
    load_contacts(service.database, "crm", [contact("Ann", "Ames", emails=["ann@ames.example"])])
    everybody = ids(service, Entity.CONTACT, 1, 2, 3)
    table = dana.table(ids=everybody)["tableId"]
    before = dana.get_rows(table, idempotency_key="k")
    assert [row.get("fullName") for row in before.json()["data"]][2] == "Ann Ames"
    suppression = service.installation.get(Suppression)
    suppression.suppress(suppression.person(email="ann@ames.example"))
    for answer in (dana.get_rows(table), dana.get_rows(table, idempotency_key="k")):
        assert [row["id"] for row in answer.json()["data"]] == everybody[:2]
        assert "Ames" not in answer.text


def test_another_account_sees_no_row_of_the_table(service, dana):
    table = dana.table(ids=ids(service, Entity.CONTACT, 1))["tableId"]
    (other,) = new_account(service, "eli@other.example")
    answer = other.get_rows(table)
    assert answer.status_code == 404
    assert "Dana" not in answer.text


def test_reading_needs_the_address_of_a_user(service, dana):
    table = dana.table(ids=ids(service, Entity.CONTACT, 1))["tableId"]
    assert dana.call("GET", f"/{table}/entities").status_code == 400
