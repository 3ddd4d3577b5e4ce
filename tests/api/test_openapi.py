"""The OpenAPI document that the whole application serves."""

import json

import pytest
import schemathesis

from firmograph.api.descriptions import BLANK
from firmograph.api.openapi import build_openapi
from toy_api import toy_endpoints

pytestmark = pytest.mark.any_database

NINE = {
    f"x-{name}"
    for window in ("minute", "hourly", "daily")
    for name in (f"rate-limit-{window}", f"{window}-requests-left", f"{window}-usage")
}


@pytest.fixture(scope="module")
def toys():
    return build_openapi(toy_endpoints(), version="1", max_body_bytes=100)


@pytest.fixture(scope="module")
def text(shared_service):
    return shared_service.client.get("/openapi.json").content


@pytest.fixture
def served(text):
    return json.loads(text)


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_the_document_is_valid_openapi(served):
    schemathesis.openapi.from_dict(served).validate()


def test_every_reference_resolves(served):
    for reference in set(references(served)):
        part = served
        for name in reference.removeprefix("#/").split("/"):
            part = part[name]


CONTACT_FILTERS = ("departments", "seniority", "countries", "existingDataPoints", "locations")
COMPANY_FILTERS = (
    *("names", "technologies", "locations", "sizes", "revenues", "industriesLabels"),
    *("sics", "naics", "intentTopics"),
)
SIGNAL_FILTERS = ("newsEventTypes", "hiringByDepartments", "hiringByLocations", "intentCategories")
TABLE_PATHS = (
    *("", "/list", "/columns", "/{table_id}", "/{table_id}/entities", "/{table_id}/columns"),
    *("/{table_id}/columns/{column_id}", "/{table_id}/columns/{column_id}/run"),
)


LEGACY_CONTACT_FILTERS = ["departments", "seniority", "existing_data_points", "all_countries", "locations"]
LEGACY_COMPANY_FILTERS = [
    "industries_labels",
    "sizes",
    "revenues",
    "sics",
    "naics",
    "intent_topics",
    "names",
    "technologies",
    "locations",
]


def test_every_capability_is_described(served):
    assert set(served["paths"]) == {
        "/v3/contacts/search",
        "/v3/contacts/enrich",
        "/v3/contacts/search-and-enrich",
        "/v3/contacts/jobs/{job_id}",
        "/v3/companies/search",
        "/v3/companies/enrich",
        "/v3/companies/search-and-enrich",
        "/v3/contacts/prospecting",
        "/v3/companies/prospecting",
        "/v3/contacts/prospecting/filters",
        *(f"/v3/contacts/prospecting/filters/{name}" for name in CONTACT_FILTERS),
        "/v3/companies/prospecting/filters",
        *(f"/v3/companies/prospecting/filters/{name}" for name in COMPANY_FILTERS),
        "/v3/companies/website-visits",
        "/v3/account/conversations/search",
        "/v3/account/conversations/{conversation_id}/transcript",
        "/v2/person",
        "/person",
        "/bulk/person",
        "/bulk/person/v2",
        "/v2/company",
        "/company",
        "/bulk/company",
        "/bulk/company/v2",
        *(f"/prospecting/{kind}/{call}" for kind in ("contact", "company") for call in ("search", "enrich")),
        *(f"/prospecting/filters/contacts/{name}" for name in LEGACY_CONTACT_FILTERS),
        *(f"/prospecting/filters/companies/{name}" for name in LEGACY_COMPANY_FILTERS),
        "/api/recommendations/contacts",
        "/api/recommendations/companies",
        "/v3/contacts/buying-group",
        "/v3/contacts/lookalike",
        "/v3/companies/lookalike",
        "/v3/lookalike/contacts",
        "/v3/lookalike/companies",
        "/v3/contacts/signals",
        "/v3/contacts/signals/types",
        "/v3/companies/signals",
        "/v3/companies/signals/types",
        "/v3/companies/signals/filters",
        *(f"/v3/companies/signals/filters/{name}" for name in SIGNAL_FILTERS),
        "/v3/contacts/signal-score",
        "/v3/companies/signal-score",
        *(f"/v3/{kind}/tables{path}" for kind in ("contacts", "companies") for path in TABLE_PATHS),
        "/api/signals/contacts",
        "/api/signals/contacts/search",
        "/api/signals/companies",
        "/api/signals/companies/search",
        "/api/signals/filters/contact",
        "/api/signals/filters/company",
        "/api/subscriptions",
        "/api/subscriptions/{id}",
        "/api/subscriptions/{id}/test",
        "/api/subscriptions/delete",
        "/api/subscriptions/opt-out",
        "/api/audit-logs",
        "/api/audit-logs/stats",
        "/api/account/secret",
        "/api/account/secret/regenerate",
        "/v3/account/usage",
        "/account/usage",
        "/health",
    }


def test_components_have_plain_names(served):
    assert [name for name in served["components"]["schemas"] if not name.isalnum()] == []


def test_the_key_is_a_header_and_public_paths_need_none(served):
    scheme = served["components"]["securitySchemes"]["ApiKeyAuth"]
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "api_key")
    assert served["security"] == [{"ApiKeyAuth": []}]
    assert served["paths"]["/health"]["get"]["security"] == []


def test_every_refusal_is_described_with_its_body_and_headers(toys):
    responses = toys["paths"]["/parts"]["post"]["responses"]
    assert set(responses) == {"200", "400", "401", "402", "403", "413", "415", "429", "499", "500", "503"}
    components = toys["components"]["responses"]
    assert components["Error429"]["headers"].keys() == NINE | {"x-request-id", "retry-after"}
    assert components["Error401"]["headers"].keys() == {"x-request-id"}
    reference = components["Error400"]["content"]["application/json"]["schema"]["$ref"]
    body = toys["components"]["schemas"][reference.rpartition("/")[2]]
    assert body["required"] == ["statusCode", "message"]


def test_an_operation_without_a_body_can_refuse_a_large_one(toys):
    assert "requestBody" not in toys["paths"]["/raw"]["get"]
    assert {"413", "499"} <= set(toys["paths"]["/raw"]["get"]["responses"])


def test_a_success_is_described_under_its_status(toys):
    responses = toys["paths"]["/options/{id}/choose"]["post"]["responses"]
    assert "201" in responses
    assert "200" not in responses


def test_only_a_charging_endpoint_takes_an_idempotency_key(toys):
    assert toys["paths"]["/parts"]["post"]["parameters"] == [
        {"$ref": "#/components/parameters/IdempotencyKey"}
    ]
    assert "parameters" not in toys["paths"]["/raw"]["get"]


def test_a_body_is_described_as_strictly_as_it_is_decoded(toys):
    body = toys["components"]["schemas"]["Body"]
    assert body["additionalProperties"] is False
    assert body["required"] == ["contacts"]
    assert body["properties"]["contacts"]["maxItems"] == 3
    size = toys["components"]["schemas"]["Part"]["properties"]["size"]
    assert size == {
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 100},
            {"type": "null"},
            {"type": "string", "pattern": BLANK},
        ]
    }


def reached(described, part):
    """Return the names of the components that a part of the document refers to, at any depth."""
    names, waiting = set(), [part]
    while waiting:
        for reference in references(waiting.pop()):
            name = reference.rpartition("/")[2]
            if name not in names:
                names.add(name)
                waiting.append(described["components"]["schemas"].get(name))
    return names


def test_null_is_described_for_exactly_the_optional_properties_of_a_body(served):
    bodies = [
        operation["requestBody"]
        for methods in served["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    ]
    names = reached(served, bodies)
    assert {"ContactItem", "FundingRange", "LegacyEmployer", "ChangeSubscription"} < names
    for name in names:
        schema = served["components"]["schemas"][name]
        for field, described in schema["properties"].items():
            takes_null = {"type": "null"} in described.get("anyOf", ())
            assert takes_null == (field not in schema.get("required", ())), (name, field)


def test_no_answer_is_described_by_a_component_of_a_body(served):
    operations = [operation for methods in served["paths"].values() for operation in methods.values()]
    answers = [operation["responses"]["200"] for operation in operations if "200" in operation["responses"]]
    bodies = [operation["requestBody"] for operation in operations if "requestBody" in operation]
    assert not reached(served, answers) & reached(served, bodies)


def test_results_are_records_or_errors(served):
    results = served["components"]["schemas"]["ContactSearchAnswer"]["properties"]["results"]
    assert results["items"] == {
        "anyOf": [{"$ref": "#/components/schemas/FoundContact"}, {"$ref": "#/components/schemas/ItemError"}]
    }


def _vocabulary(served, component, name):
    """Return the description of the texts of a property or of its items."""
    described = served["components"]["schemas"][component]["properties"][name]
    described = described.get("anyOf", [described])[0]
    return described.get("items", described)


@pytest.mark.parametrize(
    ("component", "name"),
    [
        ("ContactSignalsRequest", "signalTypes"),
        ("SignalInclude", "hiringByDepartments"),
        ("LegacyCompanySignalsRequest", "signals"),
        ("ContactCriteria", "departments"),
        ("CompanyCriteria", "keywordsSearchFields"),
    ],
)
def test_a_vocabulary_that_is_read_in_any_letter_case_says_so(served, component, name):
    described = _vocabulary(served, component, name)
    assert described["enum"]
    assert "n any letter case" in described["description"]


def test_only_repeatable_calls_describe_the_header_of_the_first_call(served):
    headers = {
        name: served["paths"][path][method]["responses"]["200"]["headers"]
        for name, path, method in (
            ("charging", "/v3/contacts/enrich", "post"),
            ("older", "/v2/person", "get"),
            ("reading", "/account/usage", "get"),
        )
    }
    names = {"x-credits-charged", "x-original-request-id"}
    assert {name: names & set(found) for name, found in headers.items()} == {
        "charging": names,
        "older": names,
        "reading": set(),
    }
