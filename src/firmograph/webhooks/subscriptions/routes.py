"""The endpoints of subscriptions and of the account's secret (wire-b 7.2 and 7.3)."""

import msgspec

from firmograph.api.endpoint import Call, Deferred, Endpoint, Reply, endpoint
from firmograph.kit.errors import NotFound
from firmograph.signals.routes import check_plan
from firmograph.webhooks.subscriptions import shapes
from firmograph.webhooks.subscriptions.service import Subscriptions

TAG = "Webhooks"
WINDOW = "webhooks"
"""100 requests a minute for all of them (specification 8)."""

_SUBSCRIPTIONS = "/api/subscriptions"
_SECRET = "/api/account/secret"
LIMIT = " At most 100 requests a minute to all webhook paths together."

_encode = msgspec.json.Encoder().encode


def routes(subscriptions: Subscriptions) -> list[Endpoint]:
    return [*_making(subscriptions), *_held(subscriptions), *_secrets(subscriptions)]


def _making(subscriptions: Subscriptions) -> list[Endpoint]:
    @endpoint(
        "POST",
        _SUBSCRIPTIONS,
        body=shapes.CreateSubscriptions,
        answer=shapes.CreatedSubscriptions,
        status=201,
        tags=[TAG],
        summary="Subscribe to signals",
        description="To 1 to 25 contacts and companies; what an item does not say is taken from `defaults`. One result"
        " for each item, in order, and 201 even where every item failed. An account has one subscription to a record,"
        " whichever of its ids is sent. Told are signals that are detected from now on. 403 without a webhook secret,"
        f" or when the account has as many subscriptions as it may.{LIMIT}",
        window=WINDOW,
        allow=check_plan,
        examples={
            "two companies": {
                "defaults": {
                    "url": "https://hooks.example.com/firmograph",
                    "entityType": "company",
                    "signalTypes": ["allSignals"],
                },
                "subscriptions": [
                    {"entityId": "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
                    {
                        "entityId": "4503599627370497",
                        "signalTypes": ["financialEventsNews", "surgeInHiring"],
                        "name": "Largest customer",
                    },
                ],
            }
        },
    )
    def create_subscriptions(call: Call[shapes.CreateSubscriptions]) -> Deferred:
        return Deferred(lambda: subscriptions.create(call.caller.account_id, call.body, call.at))

    @endpoint(
        "POST",
        f"{_SUBSCRIPTIONS}/opt-out",
        body=shapes.CreateOptOutSubscription,
        answer=shapes.SubscriptionShown,
        status=201,
        tags=[TAG],
        summary="Subscribe to opt-outs",
        description="Of people whose data this account was shown: who, when, and what to remove. Free. One such"
        " subscription for each `partnerClientId`, and one without; 403 where there is one already, and without a"
        f" webhook secret.{LIMIT}",
        window=WINDOW,
        examples={
            "of all": {"entityType": "contact", "url": "https://hooks.example.com/opt-outs"},
        },
    )
    def create_opt_out_subscription(call: Call[shapes.CreateOptOutSubscription]) -> Deferred:
        return Deferred(lambda: subscriptions.create_opt_out(call.caller.account_id, call.body, call.at))

    return [create_subscriptions, create_opt_out_subscription]


def _held(subscriptions: Subscriptions) -> list[Endpoint]:
    @endpoint(
        "GET",
        _SUBSCRIPTIONS,
        query=shapes.SubscriptionPage,
        answer=shapes.SubscriptionList,
        tags=[TAG],
        summary="The account's subscriptions",
        description=f"The newest first.{LIMIT}",
        window=WINDOW,
    )
    def list_subscriptions(call: Call[None]) -> Deferred:
        asked = call.query
        return Deferred(
            lambda: subscriptions.page(call.caller.account_id, asked.limit, asked.offset), writes=False
        )

    @endpoint(
        "GET",
        f"{_SUBSCRIPTIONS}/{{id}}",
        segments=shapes.OneSubscription,
        answer=shapes.SubscriptionShown,
        tags=[TAG],
        summary="One subscription",
        description=f"404 as well for one of another account.{LIMIT}",
        window=WINDOW,
        errors=[NotFound],
    )
    def get_subscription(call: Call[None]) -> Deferred:
        return Deferred(lambda: subscriptions.get(call.caller.account_id, call.segments.id), writes=False)

    @endpoint(
        "PATCH",
        f"{_SUBSCRIPTIONS}/{{id}}",
        segments=shapes.OneSubscription,
        body=shapes.ChangeSubscription,
        answer=shapes.ChangedSubscription,
        tags=[TAG],
        summary="Change a subscription",
        description="What is left out stays as it is. Deliveries that wait keep going, to the new URL. `isActive`"
        " false ends the making of deliveries; true starts it again, for a subscription that was disabled by itself"
        " with those that waited meanwhile. `regenerateSecret` replaces the secret of the whole account, as"
        f" `POST {_SECRET}/regenerate` does.{LIMIT}",
        window=WINDOW,
        errors=[NotFound],
        examples={
            "back to life": {"isActive": True},
            "other types": {"signalTypes": ["riskNews", "surgeInHiring"], "name": "Largest customer"},
        },
    )
    def update_subscription(call: Call[shapes.ChangeSubscription]) -> Deferred:
        account, at = call.caller.account_id, call.at
        return Deferred(lambda: _unkept(subscriptions.change(account, call.segments.id, call.body, at)))

    @endpoint(
        "POST",
        f"{_SUBSCRIPTIONS}/delete",
        body=shapes.DeleteSubscriptions,
        answer=shapes.DeletedSubscriptions,
        tags=[TAG],
        summary="Delete subscriptions",
        description="1 to 25, for good, with what waits for them: nothing of it is charged. One result for each id"
        f" that is sent, repetitions left out; `NOT_FOUND` as well for what is no id.{LIMIT}",
        window=WINDOW,
        examples={"one": {"ids": ["0123456789abcdef01234567"]}},
    )
    def delete_subscriptions(call: Call[shapes.DeleteSubscriptions]) -> Deferred:
        return Deferred(lambda: subscriptions.delete(call.caller.account_id, call.body.ids, call.at))

    return [list_subscriptions, get_subscription, update_subscription, delete_subscriptions]


def _secrets(subscriptions: Subscriptions) -> list[Endpoint]:
    @endpoint(
        "GET",
        _SECRET,
        answer=shapes.Secret,
        tags=[TAG],
        summary="The account's webhook secret",
        description=f"Every delivery is signed with it. 404 while there is none.{LIMIT}",
        window=WINDOW,
        errors=[NotFound],
    )
    def get_secret(call: Call[None]) -> Deferred:
        return Deferred(lambda: _unkept(subscriptions.secret(call.caller.account_id)), writes=False)

    @endpoint(
        "POST",
        f"{_SECRET}/regenerate",
        answer=shapes.Secret,
        tags=[TAG],
        summary="Make the account's webhook secret",
        description="The first one, or another in place of the one before, with which nothing is signed any more:"
        f" retries of earlier deliveries are signed with the new one.{LIMIT}",
        window=WINDOW,
    )
    def regenerate_secret(call: Call[None]) -> Deferred:
        return Deferred(lambda: _unkept(subscriptions.regenerate_secret(call.caller.account_id, call.at)))

    return [get_secret, regenerate_secret]


def _unkept(answer: msgspec.Struct) -> Reply:
    """With a secret in it, which nobody on the way is to keep."""
    return Reply(_encode(answer), headers=[(b"cache-control", b"no-store")])
