"""The histories of charges through the charged call, with ends of the process in each of its steps."""

from unittest.mock import patch

from test_credit_histories import Crash, Credits, Numbers, check_histories

from firmograph.api.request import call_key
from firmograph.billing.charged_call import ChargedWork, PricedContent
from firmograph.billing.idempotency import CachedResponse
from firmograph.caller import Request


class Shown(ChargedWork):
    """Feature that shows the numbers of its units."""

    memo = Numbers

    def __init__(self, units, crash):
        self.units = units
        self.crash = crash

    def prepare(self):
        return sorted(self.units)

    def compute(self, session, prepared):
        if self.crash == "before buying":
            raise Crash
        numbers = [number for _, number, _ in prepared]
        return PricedContent(numbers, Numbers(numbers), self.units)

    def replay(self, session, prepared, memo):
        return memo.numbers


class ChargedCredits(Credits):
    """The same histories, with queries in place of bodies."""

    def answer(self, caller, request_id, units, key, body, crash):
        call = key and call_key("GET /v3/tables/one", key, body, b"")
        request = Request(request_id, caller, self.world.clock.seconds(), call)
        keep = self.world.idempotency.keep

        def keep_and_die(session, request, response):
            if crash == "after keeping":
                keep(session, request, response)
            if crash in ("after buying", "after keeping"):
                raise Crash
            keep(session, request, response)

        with patch.object(self.world.idempotency, "keep", keep_and_die):
            charged = self.world.charged_calls.run(request, Shown(units, crash))
        assert charged.is_replay is (charged.request_id != request_id)
        return CachedResponse(charged.request_id, charged.credits, Numbers(charged.content))


def test_charged_calls_leave_the_credits_of_a_model_after_every_event(thirty_days):
    check_histories(lambda: ChargedCredits(thirty_days))
