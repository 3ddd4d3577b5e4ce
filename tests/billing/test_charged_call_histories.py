"""The histories of charges through the charged call, with ends of the process in each of its steps."""

from typing import NamedTuple
from unittest.mock import patch

import msgspec
from test_credit_histories import Crash, Credits, check_histories

from firmograph.api.endpoint import Call
from firmograph.billing.charged_call import PricedContent
from firmograph.billing.idempotency import CachedResponse


class Shown(NamedTuple):
    """Feature that shows the numbers of its units."""

    request_id: str
    units: frozenset
    crash: str | None

    def prepare(self):
        return sorted(self.units)

    def compute(self, session, prepared):
        if self.crash == "before buying":
            raise Crash
        numbers = [number for _, number, _ in prepared]
        return PricedContent(numbers, [len(numbers), numbers], self.units)

    def replay(self, session, prepared, memo):
        return memo[1]

    def render(self, session, content, request_id, credits):
        if self.crash == "after buying" and request_id == self.request_id:
            raise Crash
        return msgspec.json.encode((request_id, credits, content))


class ChargedCredits(Credits):
    """The same histories, with queries in place of bodies."""

    def answer(self, caller, request_id, units, key, body, crash):
        scope = {"method": "GET", "path_params": {"id": "one"}, "query_string": body}
        at = self.world.clock.seconds()
        call = Call(request_id, caller, None, b"", key, "/v3/tables/{id}", at, scope)
        calls, keep = self.world.charged_calls, self.world.idempotency.keep

        def keep_and_die(session, keyed, response):
            keep(session, keyed, response)
            raise Crash

        if crash == "after keeping" and key:
            with patch.object(self.world.idempotency, "keep", keep_and_die):
                response = calls.run(call, Shown(request_id, units, None))
        else:
            crash = "after buying" if crash == "after keeping" else crash
            response = calls.run(call, Shown(request_id, units, crash))
        first, credits, numbers = msgspec.json.decode(response.body)
        assert response.credits == (credits if first == request_id else 0)
        return CachedResponse(first, credits, [len(numbers), numbers])


def test_charged_calls_leave_the_credits_of_a_model_after_every_event(thirty_days):
    check_histories(lambda: ChargedCredits(thirty_days))
