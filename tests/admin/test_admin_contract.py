"""Generated calls against the document of `/admin`: valid ones of a stored account, and invalid ones."""

import pytest
from hypothesis import assume, given, settings

from effort import examples
from firmograph.admin.routes import routes

pytestmark = pytest.mark.any_database

OPERATIONS = [endpoint.name for endpoint in routes(None, max_body_bytes=1) if endpoint.documented]
PLANS = {"type": "string", "enum": ["pro", "scale"]}
ENDS = {"type": "string", "enum": ["2030-01-01", "2030-01-01T12:00:00", "2030-01-01T12:00:00+02:00"]}


@pytest.fixture(scope="module")
def document(admin_service):
    """Return the document as Schemathesis reads it, with plans and ends that the service accepts."""
    import schemathesis

    from firmograph.admin.operator_keys import OperatorKeys

    key = admin_service.installation.get(OperatorKeys).create().operator_key
    content = admin_service.client.get("/admin/openapi.json", headers={"operator_key": key}).json()
    # the key, which `answer_of` sends, would be generated as well
    del content["security"]
    for schema in content["components"]["schemas"].values():
        properties = schema.get("properties", {})
        if "requestId" not in properties and "createdAt" not in properties:
            properties.update({"plan": PLANS} if "plan" in properties else {})
            properties.update({"expires": ENDS} if "expires" in properties else {})
    return {
        each.ok().definition.raw["operationId"]: each.ok()
        for each in schemathesis.openapi.from_dict(content).get_all_operations()
    }


def answer_of(service, operator, case):
    """Return the answer to a generated call; the clock goes on, so that no call is limited."""
    service.clock.advance(1)
    sent = case.as_transport_kwargs(base_url="https://firmograph.test")
    sent.pop("cookies", None)
    if "data" in sent:
        sent["content"] = sent.pop("data")
    headers = {**sent.pop("headers"), **operator.headers}
    return service.client.request(**sent, headers=headers)


def conformance():
    from schemathesis import checks
    from schemathesis.specs.openapi import checks as openapi

    return [
        checks.not_a_server_error,
        openapi.status_code_conformance,
        openapi.content_type_conformance,
        openapi.response_headers_conformance,
        openapi.response_schema_conformance,
    ]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_valid_calls_are_answered_as_the_document_says(admin_service, operator, account, document, operation):
    from schemathesis.generation import GenerationMode

    prefix = operator.data("GET", f"accounts/{account}/keys")[0]["prefix"]
    known = {"account_id": account, "prefix": prefix}
    statuses = set()

    @settings(max_examples=examples(25))
    @given(document[operation].as_strategy(generation_mode=GenerationMode.POSITIVE))
    def call(case):
        case.path_parameters = {name: known[name] for name in case.path_parameters or {}}
        answer = answer_of(admin_service, operator, case)
        case.validate_response(answer, checks=conformance())
        statuses.add(answer.status_code)

    call()
    assert statuses & {200, 201}, "every call was refused, so little was tested"
    assert statuses <= {200, 201, 400, 404, 409}


@pytest.mark.parametrize(
    "operation", [name for name in OPERATIONS if name not in ("get_account", "get_credits", "revoke_key")]
)
def test_invalid_calls_are_refused_as_the_document_says(
    admin_service, operator, account, document, operation
):
    from schemathesis.generation import GenerationMode
    from schemathesis.specs.openapi import checks as openapi

    before = operator.data("GET", f"accounts/{account}")

    @settings(max_examples=examples(25))
    @given(document[operation].as_strategy(generation_mode=GenerationMode.NEGATIVE))
    def call(case):
        # an empty query parameter counts as absent, whatever its schema says
        assume("" not in (case.query or {}).values())
        answer = answer_of(admin_service, operator, case)
        case.validate_response(answer, checks=[*conformance(), openapi.negative_data_rejection])

    call()
    assert operator.data("GET", f"accounts/{account}") == before
