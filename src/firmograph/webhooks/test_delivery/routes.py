"""Endpoint of test deliveries."""

from firmograph.api.charged_answers import as_it_is, charged_response
from firmograph.api.endpoint import AsyncResponse, Call, Deferred, Endpoint, EndpointResult
from firmograph.kit.errors import Busy, NotFound
from firmograph.webhooks.subscriptions.routes import TAG, WINDOW
from firmograph.webhooks.subscriptions.shapes import SubscriptionPath
from firmograph.webhooks.test_delivery.service import MAX_CONCURRENT, DeliveryTester
from firmograph.webhooks.test_delivery.shapes import DeliveryTest, DeliveryTestQuery


def routes(tester: DeliveryTester) -> list[Endpoint]:
    def test_subscription(call: Call[None]) -> Deferred:
        request, id, mode = call.request, call.segments.id, call.query.mode

        def run() -> EndpointResult:
            repeated = tester.repeat(request, id, mode)
            if repeated is not None:
                return charged_response(repeated, as_it_is)
            test = tester.begin(request, id, mode)
            if mode == "kafka":
                return Deferred(lambda: tester.record(test))

            async def send() -> Deferred:
                attempt = await tester.send(test)
                return Deferred(lambda: tester.record(test, attempt))

            return AsyncResponse(send)

        return Deferred(run, writes=False)

    return [
        Endpoint(
            name="test_subscription",
            method="POST",
            path="/api/subscriptions/{id}/test",
            function=test_subscription,
            segments=SubscriptionPath,
            query=DeliveryTestQuery,
            answer=DeliveryTest,
            tags=[TAG],
            summary="Send a test delivery",
            description="Send a sample, signed like a real delivery and free. It works on a disabled subscription and"
            " changes nothing about it; each mode adds a row with `isTest` to the audit. The response is 200 even if"
            " the receiver fails: `isSuccess` is false then, and `flowCheck` and `error` give the reason. It arrives"
            f" when the receiver has responded, after at most 10 seconds. More than {MAX_CONCURRENT} tests of an"
            " account in progress are refused with 429. A subscription of another account is 404, like one that does"
            " not exist.",
            window=WINDOW,
            changes=True,
            errors=[NotFound, Busy],
        )
    ]
