"""Examples of the OpenAPI document, called over a part of the demo data with the ids that its records got."""

import re
from typing import Any, NamedTuple

import pytest

import database_fixtures
from ask_factory import put_job
from conversation_factory import put, transcript
from demo_factory import demo_part
from firmograph.database.connection import Database
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import Settings
from index_fixtures import is_applied
from record_factory import KEYRING
from server_fixtures import PATIENCE_SECONDS, Service
from stored_records import head

pytestmark = pytest.mark.any_database

EVERY = 80
"""Every how many rows of the demo data are taken."""
NAMED = {
    "companies": (
        '"siemens.com"', '"amd.com"', '"intel.com"', '"nvidia.com"', '"qualcomm.com"', '"broadcom.com"',
        '"cisco.com"', '"redhat.com"', '"Bureau of Justice Statistics"', '"Argo CD"',
    ),
    "contacts": ('"Schumer"', "Velázquez", "@akleg.gov"),
}  # fmt: skip
"""Texts in the rows of the companies and people that the examples name."""
OWNER = "dana@acme.example"
IDS = RecordIds(KEYRING)
KINDS = {
    "contacts": Entity.CONTACT,
    "contact": Entity.CONTACT,
    "companies": Entity.COMPANY,
    "company": Entity.COMPANY,
}
FINDS = re.compile(
    r"/v3/(contacts|companies)/(search|enrich|search-and-enrich|prospecting|lookalike|buying-group)"
)
FOR_ACCOUNT = ("/api/subscriptions", "/api/account/secret", "/api/audit-logs")
"""Paths of operations that need a webhook secret."""


class Operation(NamedTuple):
    method: str
    path: str
    query: dict[str, str]
    body: Any
    """Body of one example; None if the operation takes none."""

    @property
    def name(self) -> str:
        return f"{self.method.upper()} {self.path}"


class Made(NamedTuple):
    """Service over the demo data, and the two records of each kind that stand for the ids of the examples."""

    service: Service
    numbers: dict[Entity, list[int]]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    database = Database(database_fixtures.fresh(folder, "demo"))
    for plural, kind in (("companies", Entity.COMPANY), ("contacts", Entity.CONTACT)):
        path = demo_part(plural, folder, EVERY, NAMED[plural])
        task = ImportTask(entity=kind, paths=[str(path)], source="demo", keyring=KEYRING)
        import_files(database, task, SetClock(), lambda *_: None, lambda *_: None)
    service = Service(database, KEYRING, SetClock(), Settings(search_folder=str(folder)))
    with service.client:
        for served in (ServedSearch, ServedSimilarity):
            assert is_applied(service.installation.get(served).active, head(database), PATIENCE_SECONDS)
        people = [
            {"firstName": "Chuck", "lastName": "Schumer"},
            {"firstName": "Nydia", "lastName": "Velázquez"},
        ]
        named = [
            one | {"companyDomain": domain}
            for one, domain in zip(people, ("senate.gov", "house.gov"), strict=True)
        ]
        firms = [{"domain": "siemens.com"}, {"domain": "bjs.gov"}]
        numbers = {}
        for kind, body in ((Entity.CONTACT, {"contacts": named}), (Entity.COMPANY, {"companies": firms})):
            found = service.post(f"/v3/{kind.plural}/search", body).json()["results"]
            numbers[kind] = [IDS.open(kind, one["id"]) for one in found]
        yield Made(service, numbers)
    database.close()
    database_fixtures.drop(database.url)


@pytest.fixture(scope="module")
def operations(made):
    """Return all documented operations, each once for each of its examples."""
    listed = []
    for path, methods in made.service.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            parameters = [one for one in operation.get("parameters", ()) if one.get("in") == "query"]
            query = {one["name"]: one["example"] for one in parameters if "example" in one}
            missing = [one["name"] for one in parameters if one["required"] and one["name"] not in query]
            assert not missing, f"{method} {path}: a required parameter without an example"
            contents = operation.get("requestBody", {}).get("content", {}).values()
            bodies = [example["value"] for each in contents for example in each["examples"].values()]
            listed += [Operation(method, path, query, body) for body in bodies or [None]]
    return listed


def with_ids(made, value, kind):
    """Return an example with the ids of the test's records in place of those of no record."""
    if isinstance(value, dict):
        kind = KINDS.get(value.get("entityType", ""), kind)
        return {key: with_ids(made, one, _kind_of(key, kind)) for key, one in value.items()}
    if isinstance(value, list):
        return [with_ids(made, one, kind) for one in value]
    first, second = made.numbers[kind]
    if value == "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA":
        return IDS.seal(kind, first)
    if value == "4503599627370497":
        return IDS.seal(kind, second)
    if value in ("4503599627370495", 4503599627370495):
        return type(value)(IDS.legacy(kind, first))
    return value


def _kind_of(key, kind):
    return {"personId": Entity.CONTACT, "companyId": Entity.COMPANY}.get(key, kind)


class Caller:
    """New account with a user and a webhook secret, which calls one operation."""

    def __init__(self, made):
        self.made = made
        self.service = made.service.with_account()
        self.service.accounts.add_user(self.service.account, OWNER)

    def call(self, operation):
        kind = next((KINDS[word] for word in operation.path.split("/") if word in KINDS), Entity.COMPANY)
        if operation.path.startswith(FOR_ACCOUNT):
            self._make("/api/account/secret/regenerate")
        path = self._fill(operation.path, kind)
        body = with_ids(self.made, operation.body, kind)
        if operation.path.endswith("subscriptions/delete"):
            body = {"ids": [self._subscription()]}
        return self.service.client.request(
            operation.method, path, params=operation.query, json=body, headers={"api_key": self.service.key}
        )

    def _fill(self, path, kind):
        """Return a path with the ids of things made for it."""
        if "{id}" in path:
            path = path.format(id=self._subscription())
        if "{conversation_id}" in path:
            said = put(self.service, {"1": transcript(("Ann", "Good morning"))})
            path = path.format(conversation_id=said["1"])
        if "{job_id}" in path:
            path = path.format(job_id=put_job(self.service))
        if "{table_id}" in path:
            ids = [IDS.seal(kind, number) for number in self.made.numbers[kind]]
            base = f"/v3/{kind.plural}/tables"
            # the examples add the rows of their ids to any table, and run a column over them
            owned = {"owner": {"email": OWNER}}
            table = self._make(base, {"name": "Made", "ids": ids, **owned})["data"]["tableId"]
            if "{column_id}" in path:
                key = {Entity.CONTACT: "workEmail", Entity.COMPANY: "yearFounded"}[kind]
                column = self._make(f"{base}/{table}/columns", {"columnKey": key, **owned})["data"]
                path = path.replace("{column_id}", column[0]["columnId"])
            path = path.replace("{table_id}", table)
        return path

    def _subscription(self):
        company = IDS.seal(Entity.COMPANY, self.made.numbers[Entity.COMPANY][0])
        body = {
            "defaults": {
                "url": "https://hooks.example.com/x",
                "entityType": "company",
                "signalTypes": ["allSignals"],
            },
            "subscriptions": [{"entityId": company}],
        }
        return self._make("/api/subscriptions", body)["results"][0]["subscription"]["id"]

    def _make(self, path, body=None):
        answered = self.service.post(path, body)
        assert answered.is_success, f"{path}: {answered.text}"
        return answered.json()


@pytest.fixture(scope="module")
def answers(made, operations):
    return [(one, Caller(made).call(one)) for one in operations]


def test_every_example_is_answered_with_success(answers):
    assert [(one.name, answer.text) for one, answer in answers if not answer.is_success] == []


def test_examples_find_records_of_the_demo_data(answers):
    empty = []
    for one, answer in answers:
        # the facts from which signals come are not loaded
        if FINDS.fullmatch(one.path) and "signals" not in str(one.body):
            results = answer.json()["results"]
            if all("error" in each for each in results):
                empty.append((one.name, results))
    assert empty == []
