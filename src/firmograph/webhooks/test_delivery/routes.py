"""Endpoint of test deliveries."""

from firmograph.api.endpoint import Call, Deferred, Endpoint, endpoint
from firmograph.kit.errors import Busy, NotFound
from firmograph.webhooks.subscriptions.routes import TAG, WINDOW
from firmograph.webhooks.subscriptions.shapes import SubscriptionPath
from firmograph.webhooks.test_delivery.service import MAX_CONCURRENT, DeliveryTester
from firmograph.webhooks.test_delivery.shapes import DeliveryTest, DeliveryTestQuery


def routes(tester: DeliveryTester) -> list[Endpoint]:
    @endpoint(
        "POST",
        "/api/subscriptions/{id}/test",
        segments=SubscriptionPath,
        query=DeliveryTestQuery,
        answer=DeliveryTest,
        tags=[TAG],
        summary="Send a test delivery",
        description="Send a sample, signed like a real delivery and free. It works on a disabled subscription and"
        " changes nothing about it; each mode adds a row with `isTest` to the audit. The response is 200 even if the"
        " receiver fails: `isSuccess` is false then, and `flowCheck` and `error` give the reason. It arrives when the"
        f" receiver has responded, after at most 10 seconds. More than {MAX_CONCURRENT} tests of an account in"
        " progress are refused with 429. A subscription of another account is 404, like one that does not exist.",
        window=WINDOW,
        changes=True,
        errors=[NotFound, Busy],
    )
    def test_subscription(call: Call[None]) -> Deferred:
        return tester.test(call)

    return [test_subscription]
