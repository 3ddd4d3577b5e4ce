"""The examples of request bodies in the API's description."""

from firmograph.directory.records import Company
from record_factory import contact, load_companies, load_contacts


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


def test_every_body_has_an_example_and_every_example_is_answered(service):
    load_seeds(service)
    assert service.post("/api/account/secret/regenerate", {}).status_code == 200
    for path, operation in operations(service):
        assert examples(operation), path
        for body in examples(operation):
            answer = service.post(path, body)
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


def test_an_answer_is_the_same_with_null_for_every_omitted_property(service):
    load_seeds(service)
    service.post("/api/account/secret/regenerate", {}).raise_for_status()
    components = service.client.get("/openapi.json").json()["components"]["schemas"]
    for path, operation in operations(service):
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        for body in examples(operation):
            nulled = service.post(path, with_nulls(body, schema, components))
            assert (str(nulled.status_code), path) == (min(operation["responses"]), path), nulled.text
            if not path.startswith("/api/subscriptions"):  # each call creates a new one
                plain = service.post(path, body).json()
                assert nulled.json() | {"requestId": 0} == plain | {"requestId": 0}
