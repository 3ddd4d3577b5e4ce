"""Calls of the service of subscriptions without HTTP."""

import json
from itertools import count
from types import SimpleNamespace
from typing import Any

import msgspec
from webhook_fixtures import World

from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.idempotency import Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import NOBODY, CallKey, Request
from firmograph.settings import Settings
from firmograph.webhooks.subscriptions import views
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
        return self._answer(self.service.create, account, at, (body,), views.creation_view)

    def create_opt_out(self, account: int, body: Any, at: float) -> Any:
        return self._answer(self.service.create_opt_out, account, at, (body,))

    def change(self, account: int, id: str, body: Any, at: float) -> Any:
        return self._answer(self.service.change, account, at, (body, id))

    def delete(self, account: int, ids: list[str], at: float) -> Any:
        body = SimpleNamespace(ids=ids)
        return self._answer(
            self.service.delete, account, at, (body,), lambda deleted: views.deletions_view(ids, deleted)
        )

    def regenerate_secret(self, account: int, at: float) -> str:
        secret: str = self._answer(self.service.regenerate_secret, account, at, ())["secret"]
        return secret

    def page(self, account: int, limit: int, offset: int) -> Any:
        return self.service.page(_request(account), limit, offset)

    def get(self, account: int, id: str) -> Any:
        return self.service.get(_request(account), id)

    def secret(self, account: int) -> Any:
        return self.service.secret(_request(account))

    def _answer(
        self, method: Any, account: int, at: float, arguments: tuple[Any, ...], view: Any = lambda one: one
    ) -> Any:
        key = None if self._keys is None else CallKey(method.__name__, next(self._keys), b"")

        def answered(request: Request) -> Any:
            charged = method(request, *arguments)
            assert charged.request_id == "request"
            return json.loads(msgspec.json.encode(view(charged.content)))

        answer = answered(_request(account, at, key))
        if key is not None:
            again = answered(_request(account, at + 60, key, "later"))
            assert again == _without_deleted_names(method.__name__, answer)
        return answer


def _request(account: int, at: float = 0.0, key: CallKey | None = None, id: str = "request") -> Request:
    caller: Any = SimpleNamespace(account_id=account, plan=None, spender=NOBODY)
    return Request(id, caller, at, key)


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
