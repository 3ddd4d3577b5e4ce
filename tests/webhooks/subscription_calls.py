"""Calls of the service of subscriptions without HTTP."""

import json
from itertools import count
from types import SimpleNamespace
from typing import Any

import msgspec
from webhook_fixtures import World

from firmograph.api.endpoint import Call
from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.idempotency import Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.settings import Settings
from firmograph.webhooks.subscriptions.service import Subscriptions


class SubscriptionCalls:
    """The service of a world; answers are JSON values."""

    def __init__(self, world: World, settings: Settings | None = None, *, repeated: bool = False) -> None:
        """With `repeated` each call is made twice under a key of its own, and answered the same."""
        charged_calls = ChargedCalls(world.database, Idempotency(world.clock), PaidUnits(world.clock))
        self.service = Subscriptions(
            world.database, charged_calls, world.tokens, world.secrets, settings or Settings()
        )
        self._keys = (f"key {number}".replace(" ", "-") for number in count()) if repeated else None

    def create(self, account: int, body: Any, at: float) -> Any:
        return self._answer(self.service.create, account, body, at)

    def create_opt_out(self, account: int, body: Any, at: float) -> Any:
        return self._answer(self.service.create_opt_out, account, body, at)

    def change(self, account: int, id: str, body: Any, at: float) -> Any:
        return self._answer(self.service.change, account, body, at, id)

    def delete(self, account: int, ids: list[str], at: float) -> Any:
        return self._answer(self.service.delete, account, SimpleNamespace(ids=ids), at)

    def regenerate_secret(self, account: int, at: float) -> str:
        secret: str = self._answer(self.service.regenerate_secret, account, None, at)["secret"]
        return secret

    def _answer(self, method: Any, account: int, body: Any, at: float, id: str = "") -> Any:
        key = next(self._keys) if self._keys else None
        caller = SimpleNamespace(account_id=account, plan=None)
        scope = {"method": "POST", "path_params": {}, "query_string": b""}
        path = f"/{method.__name__}/{id}"
        call = Call("request", caller, body, b"", key, path, at, scope, None, SimpleNamespace(id=id))
        answer = json.loads(method(call).body)
        if key is not None:
            again = method(msgspec.structs.replace(call, request_id="later", at=at + 60))
            assert again.first.request_id == "request"
            assert json.loads(again.body) == _without_deleted_names(method.__name__, answer)
        return answer


def _without_deleted_names(call: str, answer: Any) -> Any:
    """Return an answer as a replay shows it."""
    if call != "delete":
        return answer
    results = [
        {**one, "subscription": {k: v for k, v in one["subscription"].items() if k != "name"}}
        if one["success"]
        else one
        for one in answer["results"]
    ]
    return {**answer, "results": results}
