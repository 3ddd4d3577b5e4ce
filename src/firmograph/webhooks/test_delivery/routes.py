"""The endpoint that tests a subscription (specification 4.8, wire-b 7.3)."""

from firmograph.api.endpoint import Call, Deferred, Endpoint, endpoint
from firmograph.kit.errors import Busy, NotFound
from firmograph.webhooks.subscriptions.routes import TAG, WINDOW
from firmograph.webhooks.subscriptions.shapes import OneSubscription
from firmograph.webhooks.test_delivery.service import Trials
from firmograph.webhooks.test_delivery.shapes import Trial, TrialQuery


def routes(trials: Trials) -> list[Endpoint]:
    @endpoint(
        "POST",
        "/api/subscriptions/{id}/test",
        segments=OneSubscription,
        query=TrialQuery,
        answer=Trial,
        tags=[TAG],
        summary="Send a made-up delivery",
        description="Signed like any other, and free. It may run on a disabled subscription and changes nothing of it;"
        " each mode leaves a row in the audit, with `isTest`. The answer is 200 also where the receiver fails:"
        " `isSuccess` is false then, `flowCheck` and `error` say why. It comes when the receiver has"
        " answered, after 10 seconds at most; of one account a few tests wait at once, others are 429. A"
        " subscription of another account is 404 like one that does not exist.",
        window=WINDOW,
        errors=[NotFound, Busy],
    )
    def test_subscription(call: Call[None]) -> Deferred:
        return trials.test(call.caller, call.segments.id, call.query.mode, call.at)

    return [test_subscription]
