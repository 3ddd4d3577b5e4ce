"""The status of legacy prospecting, which a setting makes the one that published clients met."""

import pytest
from legacy_records import ANN, ANY_REQUEST, FULL_COMPANY, company_id, contact_id, stock

from firmograph.kit.errors import Refused
from firmograph.settings import Settings, load_settings

pytestmark = pytest.mark.any_database

CONTACTS = "/prospecting/contact/search"
ENRICH = "/prospecting/contact/enrich"
NAMED = {"filters": {"contacts": {"include": {"names": ["Ann"]}}}}
CALLS = {
    CONTACTS: NAMED,
    "/prospecting/company/search": {"filters": {"companies": {"include": {"names": ["Acme"]}}}},
    ENRICH: {"requestId": ANY_REQUEST, "contactIds": [contact_id(ANN)]},
    "/prospecting/company/enrich": {"requestId": ANY_REQUEST, "companiesIds": [company_id(FULL_COMPANY)]},
}


@pytest.fixture(scope="module")
def created(make_shared_service):
    """Return an application whose legacy prospecting answers 201."""
    return stock(make_shared_service(legacy_prospecting_status=201))


@pytest.mark.parametrize("path", CALLS)
def test_prospecting_answers_the_status_of_the_setting(created, path):
    assert created.with_account().post(path, CALLS[path]).status_code == 201


def test_a_replay_has_the_status_of_the_setting_too(created):
    service = created.with_account()
    first, second = (service.post(ENRICH, CALLS[ENRICH], **{"idempotency-key": "one"}) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert second.json()["creditsCharged"] == first.json()["creditsCharged"] > 0


def test_other_calls_and_refusals_keep_their_status(created):
    service = created.with_account()
    body = {"contacts": [{"contactId": "1", "personId": contact_id(ANN)}]}
    assert service.post("/v2/person", body).status_code == 200
    assert service.get("/prospecting/filters/contacts/departments").status_code == 200
    assert service.post("/v3/contacts/prospecting", NAMED).status_code == 200
    assert service.post(CONTACTS, {}).status_code == 400


def test_the_openapi_document_names_the_status_of_the_setting(created):
    paths = created.client.get("/openapi.json").json()["paths"]
    assert all("201" in paths[path]["post"]["responses"] for path in CALLS)
    assert not any("200" in paths[path]["post"]["responses"] for path in CALLS)


@pytest.mark.parametrize("text", ["202", "204", "ok", "2e2"])
def test_no_other_status_can_be_set(text):
    with pytest.raises(Refused, match="FIRMOGRAPH_LEGACY_PROSPECTING_STATUS: must be one of 200, 201"):
        load_settings({"FIRMOGRAPH_LEGACY_PROSPECTING_STATUS": text})
    assert Settings().legacy_prospecting_status == 200
