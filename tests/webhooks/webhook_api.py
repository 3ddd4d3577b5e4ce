"""Calls of the subscription and secret endpoints."""

import copy

import msgspec
from webhook_fixtures import World

from firmograph.security.record_ids import Entity
from firmograph.settings import Settings
from firmograph.webhooks.subscriptions import shapes
from record_factory import KEYRING
from server_fixtures import Service

URL = "https://hooks.example.com/in"
SUBSCRIPTIONS = "/api/subscriptions"
SECRET = "/api/account/secret"


class Api:
    """The service of a world; calls use the first account's key by default."""

    def __init__(self, world: World, **settings: object) -> None:
        self.world = world
        self.service = Service(world.database, KEYRING, world.clock, Settings(**settings))
        self._create_keys()

    def with_new_accounts(self) -> "Api":
        """Return the same service with two new accounts, for one test of those that share it."""
        own = copy.copy(self)
        own.world = self.world.with_new_accounts()
        own._create_keys()
        return own

    def _create_keys(self) -> None:
        accounts = self.world.accounts
        self.first, self.second = (
            accounts.create_key(str(id)).api_key for id in (self.world.first, self.world.second)
        )

    def call(self, method, path, body=None, key=None):
        content = None if body is None else msgspec.json.encode(body)
        headers = {"api_key": key or self.first, "content-type": "application/json"}
        return self.service.client.request(method, path, content=content, headers=headers)

    def create(self, *items, key=None, **defaults):
        """Create subscriptions, by default to companies, and return the results of the items."""
        defaults = {"url": URL, "entityType": "company", "signalTypes": ["allSignals"], **defaults}
        body = {"defaults": defaults, "subscriptions": list(items)}
        answer = self.call("POST", SUBSCRIPTIONS, body, key)
        assert answer.status_code == 201, answer.text
        created = msgspec.json.decode(answer.content)
        for result in created["results"]:
            check_documented(result, shapes.CreatedSubscription, shapes.NotCreatedSubscription)
        assert created["total"] == len(items) == created["successful"] + created["failed"]
        return created["results"]

    def company(self, number, key=None, **item):
        """Create a subscription to a company and return it."""
        (result,) = self.create({"entityId": self.id(number), **item}, key=key)
        return result["subscription"]

    def id(self, number, entity=Entity.COMPANY):
        return self.world.tokens.seal(entity, number)

    def legacy(self, number, entity=Entity.COMPANY):
        return str(self.world.tokens.legacy(entity, number))

    def page(self, query="", key=None):
        answer = self.call("GET", SUBSCRIPTIONS + query, key=key)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def patch(self, id, key=None, **body):
        answer = self.call("PATCH", f"{SUBSCRIPTIONS}/{id}", body, key)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def delete(self, *ids, key=None):
        answer = self.call("POST", f"{SUBSCRIPTIONS}/delete", {"ids": list(ids)}, key)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def opt_out(self, key=None, **body):
        body = {"entityType": "contact", "url": URL, **body}
        return self.call("POST", f"{SUBSCRIPTIONS}/opt-out", body, key)


def codes(results):
    return [result["error"]["code"] if "error" in result else "created" for result in results]


def check_documented(result, success, failure):
    """Check that a result has exactly the fields of the OpenAPI document."""
    kind = success if result["success"] else failure
    assert msgspec.to_builtins(msgspec.convert(result, kind)) == result
