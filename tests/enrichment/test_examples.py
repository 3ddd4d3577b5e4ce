"""The examples of request bodies in the API's description."""

import pytest

from firmograph.directory.records import Company
from firmograph.record_tables.common_routes import EXAMPLE_OWNER
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import KEYRING, contact, load_companies, load_contacts

pytestmark = pytest.mark.any_database

TOKENS = RecordIds(KEYRING)


def operations(service):
    paths = service.client.get("/openapi.json").json()["paths"]
    return [(path, of["post"]) for path, of in paths.items() if "requestBody" in of.get("post", {})]


def examples(operation):
    content = operation["requestBody"]["content"]["application/json"]
    return [example["value"] for example in content.get("examples", {}).values()]


def load_seeds(service):
    """Load the records that seeds of the examples name; a call without a known seed is refused."""
    seeds = [body["seeds"] for _, each in operations(service) for body in examples(each) if "seeds" in body]
    domains = {domain for each in seeds for domain in each.get("domains", ())}
    emails = {email for each in seeds for email in each.get("emails", ())}
    companies = [(domain, Company(name=domain, domain=domain)) for domain in sorted(domains)]
    load_companies(service.database, "seeds", companies)
    load_contacts(service.database, "seeds", [(email, contact(emails=[email])) for email in sorted(emails)])


@pytest.fixture(scope="module")
def seeded(shared_service):
    """Return the application of the module with the records that seeds name."""
    load_seeds(shared_service)
    return shared_service


class Paths:
    """Paths of operations with the ids of one table of each kind, and of its first column."""

    def __init__(self, service):
        service.accounts.add_user(service.account, EXAMPLE_OWNER["email"], "member")
        self._ids = {}
        for kind in ("contacts", "companies"):
            table = service.post(f"/v3/{kind}/tables", {"name": "Filled in", "owner": EXAMPLE_OWNER}).json()
            columns = table["data"]["columns"]
            self._ids[kind] = {"table_id": table["data"]["tableId"], "column_id": columns[0]["columnId"]}

    def fill_in(self, path):
        kind = "companies" if path.startswith("/v3/companies") else "contacts"
        return path.format_map(self._ids[kind])


def fill_in_ids(path, body):
    """Return the example of a call that refuses unknown ids with those of stored records."""
    if not path.startswith("/api/recommendations"):
        return body
    ids = {"personId": TOKENS.legacy(Entity.CONTACT, 1), "companyId": TOKENS.legacy(Entity.COMPANY, 1)}
    return {
        name: [{key: ids[key] for key in seed} for seed in value] if isinstance(value, list) else value
        for name, value in body.items()
    }


def without_request_id(answer):
    return answer | {"requestId": 0} if isinstance(answer, dict) else answer


CREATING = ("/api/subscriptions", "/v3/contacts/tables", "/v3/companies/tables")
"""Paths whose calls each create something, by which a repetition differs."""


def creates(path):
    return path.startswith(CREATING[0]) or path in CREATING[1:]


def test_every_body_has_an_example_and_every_example_is_answered(seeded):
    service = seeded.with_account()
    paths = Paths(service)
    assert service.post("/api/account/secret/regenerate", {}).status_code == 200
    for path, operation in operations(service):
        assert examples(operation), path
        for example in examples(operation):
            body = fill_in_ids(path, example)
            answer = service.post(paths.fill_in(path), body)
            described = min(operation["responses"])
            assert (str(answer.status_code), path) == (described, path), answer.text


def with_nulls(value, schema, components):
    """Return the value with null for every optional property that it omits, at any depth."""
    while "$ref" in schema:
        schema = components[schema["$ref"].rpartition("/")[2]]
    if "properties" not in schema and {"type": "null"} in schema.get("anyOf", ()):
        schema = schema["anyOf"][0]
        return with_nulls(value, schema, components)
    if isinstance(value, list):
        return [with_nulls(item, schema["items"], components) for item in value]
    if isinstance(value, dict):
        properties = schema["properties"]
        return {
            name: with_nulls(value[name], properties[name], components) if name in value else None
            for name in properties
        }
    return value


def test_an_answer_is_the_same_with_null_for_every_omitted_property(seeded):
    service = seeded.with_account()
    paths = Paths(service)
    service.post("/api/account/secret/regenerate", {}).raise_for_status()
    components = service.client.get("/openapi.json").json()["components"]["schemas"]
    for path, operation in operations(service):
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        for example in examples(operation):
            body = fill_in_ids(path, example)
            if path.endswith(("/person", "/bulk/person/v2")):
                # the first call pays, and its answer says so
                service.post(path, body).raise_for_status()
            nulled = service.post(paths.fill_in(path), with_nulls(body, schema, components))
            assert (str(nulled.status_code), path) == (min(operation["responses"]), path), nulled.text
            if not creates(path):
                plain = service.post(paths.fill_in(path), body).json()
                assert without_request_id(nulled.json()) == without_request_id(plain)
