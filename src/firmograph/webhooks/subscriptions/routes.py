"""Endpoints of subscriptions and of the account's webhook secret."""

import msgspec

from firmograph.api.charged_answers import as_it_is, charge
from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.kit.errors import NotFound
from firmograph.signals.routes import check_plan
from firmograph.webhooks.subscriptions import shapes, views
from firmograph.webhooks.subscriptions.service import Subscriptions

TAG = "Webhooks"
WINDOW = "webhooks"
"""Rate limit window shared by all webhook endpoints: 100 requests a minute."""

_SUBSCRIPTIONS = "/api/subscriptions"
_SECRET = "/api/account/secret"
LIMIT = " All webhook endpoints share a limit of 100 requests a minute."

_encode = msgspec.json.Encoder().encode


def routes(subscriptions: Subscriptions) -> list[Endpoint]:
    return [
        *_create_endpoints(subscriptions),
        *_manage_endpoints(subscriptions),
        *_secret_endpoints(subscriptions),
    ]


def _create_endpoints(subscriptions: Subscriptions) -> list[Endpoint]:
    def create_subscriptions(call: Call[shapes.CreateSubscriptions]) -> Deferred:
        return charge(
            lambda: subscriptions.create(call.request, call.body),
            lambda content, request_id, credits: views.creation_view(content),
        )

    def create_opt_out_subscription(call: Call[shapes.CreateOptOutSubscription]) -> Deferred:
        return charge(lambda: subscriptions.create_opt_out(call.request, call.body), as_it_is)

    return [
        Endpoint(
            name="create_subscriptions",
            method="POST",
            path=_SUBSCRIPTIONS,
            function=create_subscriptions,
            body=shapes.CreateSubscriptions,
            answer=shapes.CreatedSubscriptions,
            status=201,
            tags=[TAG],
            summary="Subscribe to signals",
            description="Subscribe to 1 to 25 contacts and companies; items inherit missing values from `defaults`. The"
            " response has one result per item, in order, and is 201 even if every item failed. An account has at most"
            " one subscription to a record, whichever of its ids is sent. Signals detected from now on are delivered."
            f" 403 without a webhook secret, or if the account has reached its maximum number of subscriptions.{LIMIT}",
            window=WINDOW,
            allow=check_plan,
            changes=True,
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
        ),
        Endpoint(
            name="create_opt_out_subscription",
            method="POST",
            path=f"{_SUBSCRIPTIONS}/opt-out",
            function=create_opt_out_subscription,
            body=shapes.CreateOptOutSubscription,
            answer=shapes.SubscriptionView,
            status=201,
            tags=[TAG],
            summary="Subscribe to opt-outs",
            description="Deliver the opt-outs of people whose data the account was shown: the person, the date and the"
            " data points to remove. Free. At most one such subscription per `partnerClientId`, and one without; 403 if"
            f" there is one already, or without a webhook secret.{LIMIT}",
            window=WINDOW,
            changes=True,
            examples={
                "of all": {"entityType": "contact", "url": "https://hooks.example.com/opt-outs"},
            },
        ),
    ]


def _manage_endpoints(subscriptions: Subscriptions) -> list[Endpoint]:
    def list_subscriptions(call: Call[None]) -> Deferred:
        query = call.query
        return Deferred(lambda: subscriptions.page(call.request, query.limit, query.offset), writes=False)

    def get_subscription(call: Call[None]) -> Deferred:
        return Deferred(lambda: subscriptions.get(call.request, call.segments.id), writes=False)

    def update_subscription(call: Call[shapes.ChangeSubscription]) -> Deferred:
        return charge(lambda: subscriptions.change(call.request, call.body, call.segments.id), as_it_is)

    def delete_subscriptions(call: Call[shapes.DeleteSubscriptions]) -> Deferred:
        return charge(
            lambda: subscriptions.delete(call.request, call.body),
            lambda content, request_id, credits: views.deletions_view(call.body.ids, content),
        )

    return [
        Endpoint(
            name="list_subscriptions",
            method="GET",
            path=_SUBSCRIPTIONS,
            function=list_subscriptions,
            query=shapes.SubscriptionPage,
            answer=shapes.SubscriptionList,
            tags=[TAG],
            summary="List subscriptions",
            description=f"Newest first.{LIMIT}",
            window=WINDOW,
        ),
        Endpoint(
            name="get_subscription",
            method="GET",
            path=f"{_SUBSCRIPTIONS}/{{id}}",
            function=get_subscription,
            segments=shapes.SubscriptionPath,
            answer=shapes.SubscriptionView,
            tags=[TAG],
            summary="Get a subscription",
            description=f"404 also for a subscription of another account.{LIMIT}",
            window=WINDOW,
            errors=[NotFound],
        ),
        Endpoint(
            name="update_subscription",
            method="PATCH",
            path=f"{_SUBSCRIPTIONS}/{{id}}",
            function=update_subscription,
            segments=shapes.SubscriptionPath,
            body=shapes.ChangeSubscription,
            answer=shapes.ChangedSubscription,
            tags=[TAG],
            summary="Change a subscription",
            description="Omitted fields keep their values. Queued deliveries go to the new URL. `isActive` false stops"
            " the creation of deliveries; true resumes it, and also sends the deliveries queued while the subscription"
            " was disabled by failures. `regenerateSecret` replaces the secret of the whole account, as"
            f" `POST {_SECRET}/regenerate` does.{LIMIT}",
            window=WINDOW,
            changes=True,
            errors=[NotFound],
            examples={
                "back to life": {"isActive": True},
                "other types": {"signalTypes": ["riskNews", "surgeInHiring"], "name": "Largest customer"},
            },
        ),
        Endpoint(
            name="delete_subscriptions",
            method="POST",
            path=f"{_SUBSCRIPTIONS}/delete",
            function=delete_subscriptions,
            body=shapes.DeleteSubscriptions,
            answer=shapes.DeletedSubscriptions,
            tags=[TAG],
            summary="Delete subscriptions",
            description="Delete 1 to 25 subscriptions permanently, with their queued deliveries, which are not charged."
            f" One result per id, repetitions left out; `NOT_FOUND` also for malformed ids.{LIMIT}",
            window=WINDOW,
            changes=True,
            examples={"one": {"ids": ["0123456789abcdef01234567"]}},
        ),
    ]


def _secret_endpoints(subscriptions: Subscriptions) -> list[Endpoint]:
    def get_secret(call: Call[None]) -> Deferred:
        return Deferred(lambda: _encode(subscriptions.secret(call.request)), writes=False)

    def regenerate_secret(call: Call[None]) -> Deferred:
        return charge(lambda: subscriptions.regenerate_secret(call.request), as_it_is)

    return [
        Endpoint(
            name="get_secret",
            method="GET",
            path=_SECRET,
            function=get_secret,
            answer=shapes.Secret,
            tags=[TAG],
            summary="Get the account's webhook secret",
            description=f"Every delivery is signed with it. 404 if there is none.{LIMIT}",
            window=WINDOW,
            errors=[NotFound],
        ),
        Endpoint(
            name="regenerate_secret",
            method="POST",
            path=f"{_SECRET}/regenerate",
            function=regenerate_secret,
            answer=shapes.Secret,
            tags=[TAG],
            summary="Generate the account's webhook secret",
            description="Create the secret, or replace it. The previous secret is invalid at once: retries of earlier"
            f" deliveries are signed with the new one.{LIMIT}",
            window=WINDOW,
            changes=True,
            errors=[NotFound],
        ),
    ]
