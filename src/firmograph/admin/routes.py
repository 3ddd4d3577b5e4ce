"""Endpoints of `/admin`: accounts, users, keys, credits, usage, audit."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

import msgspec

from firmograph import __version__
from firmograph.admin import answers, shapes
from firmograph.admin.service import AccountAdministration, Done, Page
from firmograph.admin.types import OperatorRequest
from firmograph.api.endpoint import (
    Call,
    ChargedResponse,
    Deferred,
    Endpoint,
    EndpointFunction,
    FirstAnswer,
)
from firmograph.api.openapi import OpenApiDocument, build_openapi
from firmograph.billing.types import UsageGroup
from firmograph.kit.errors import Conflict, FirmographError, NotFound
from firmograph.kit.whole_numbers import encode

R = TypeVar("R")
T = TypeVar("T")

_ACCOUNT: Final = "/admin/accounts/{account_id}"
_ONE_404: Final = " 404 if it is not there, whatever the reason."

DOCUMENT: Final = OpenApiDocument(
    title="Firmograph: accounts",
    description="""\
Management of accounts for a shop or a CRM: plans, users, keys, credits, usage and the audit. It shows no records. Send
an operator's key (`firmograph operator key create`) in the header `operator_key`; an API key opens nothing here, and an
operator's key nothing else. Bodies are JSON objects in UTF-8, of at most {max_body_bytes} bytes, and strict: an unknown
or repeated property is refused with its path. A property that is null or a blank text counts as absent.

A key may call 20 times a second and 600 times a minute. Every change is in the audit, under the prefix of the key.
Requests are refused in this order: path 404, method 405, key 401, limits 429, size 413, content type 415, body 400.
""",
    scheme="OperatorKeyAuth",
    header="operator_key",
    key="An operator's key",
    reasons={
        401: "The operator's key is missing, wrong or revoked.",
        403: "Plain HTTP was used where https is required.",
        404: "There is no such account, or the account has no such key.",
        409: "It does not fit the state: a name or user is there already, the account is closed, the key is revoked, "
        "too few credits remain; or the Idempotency-Key was used with another query or body.",
        429: "The key has called too often; nothing was counted.",
        503: "The service is busy; nothing was changed.",
    },
)


def routes(accounts: AccountAdministration, *, max_body_bytes: int) -> list[Endpoint]:
    def create_account(call: Call[shapes.NewAccount]) -> ChargedResponse:
        done = accounts.create_account(_request(call), call.body)
        return _done(done, answers.AccountAnswer, answers.show_account(done.result))

    def list_accounts(call: Call[None]) -> msgspec.Struct:
        page = accounts.list_accounts(call.query)
        return _page(call, page, answers.AccountsAnswer, answers.show_account)

    def get_account(call: Call[None]) -> msgspec.Struct:
        account = accounts.get_account(call.segments.account_id)
        return answers.AccountAnswer(request_id=call.request_id, data=answers.show_account(account))

    def change_account(call: Call[shapes.AccountChange]) -> msgspec.Struct:
        account = accounts.change_account(_request(call), call.segments.account_id, call.body)
        return answers.AccountAnswer(request_id=call.request_id, data=answers.show_account(account))

    def add_user(call: Call[shapes.NewUser]) -> ChargedResponse:
        done = accounts.add_user(_request(call), call.segments.account_id, call.body)
        return _done(done, answers.UserAnswer, answers.show_user(done.result))

    def list_users(call: Call[None]) -> msgspec.Struct:
        page = accounts.list_users(call.segments.account_id, call.query)
        return _page(call, page, answers.UsersAnswer, answers.show_user)

    def create_key(call: Call[shapes.NewKeyTerms]) -> ChargedResponse:
        done = accounts.create_key(_request(call), call.segments.account_id, call.body)
        return _done(done, answers.KeyAnswer, answers.show_key(*done.result))

    def list_keys(call: Call[None]) -> msgspec.Struct:
        page = accounts.list_keys(call.segments.account_id, call.query)
        return _page(call, page, answers.KeysAnswer, answers.show_key)

    def change_key(call: Call[shapes.KeyTermsChange]) -> msgspec.Struct:
        named = call.segments
        key = accounts.change_key(_request(call), named.account_id, named.prefix, call.body)
        return answers.KeyAnswer(request_id=call.request_id, data=answers.show_key(key))

    def revoke_key(call: Call[None]) -> msgspec.Struct:
        key = accounts.revoke_key(_request(call), call.segments.account_id, call.segments.prefix)
        return answers.KeyAnswer(request_id=call.request_id, data=answers.show_key(key))

    def get_credits(call: Call[None]) -> msgspec.Struct:
        account = accounts.get_account(call.segments.account_id)
        return answers.CreditsAnswer(request_id=call.request_id, data=answers.show_credits(account))

    def change_credits(call: Call[shapes.CreditChange]) -> ChargedResponse:
        done = accounts.change_credits(_request(call), call.segments.account_id, call.body)
        return _done(done, answers.CreditsAnswer, answers.show_credits(done.result))

    def get_usage(call: Call[None]) -> msgspec.Struct:
        by: UsageGroup = call.query.by or "account"
        page = accounts.report_usage(call.query)
        return _page(call, page, answers.UsageAnswer, lambda row: answers.show_usage(row, by))

    def get_audit(call: Call[None]) -> msgspec.Struct:
        page = accounts.read_audit(call.query)
        return _page(call, page, answers.AuditAnswer, answers.show_action)

    endpoints = [
        Endpoint(
            name="create_account",
            method="POST",
            path="/admin/accounts",
            function=create_account,
            body=shapes.NewAccount,
            answer=answers.AccountAnswer,
            status=201,
            summary="Create an account",
            description="It has no key and no credits but those of its plan's month. 400 for a plan that the service"
            " does not have, 409 for a name that is in use.",
            tags=["Accounts"],
            changes=True,
            examples={"an account": {"name": "Acme", "plan": "pro"}},
        ),
        Endpoint(
            name="list_accounts",
            method="GET",
            path="/admin/accounts",
            function=list_accounts,
            query=shapes.AccountPage,
            answer=answers.AccountsAnswer,
            summary="List accounts",
            description="All accounts by number, closed ones included; with `name` that of the name, or none.",
            tags=["Accounts"],
        ),
        Endpoint(
            name="get_account",
            method="GET",
            path=_ACCOUNT,
            function=get_account,
            answer=answers.AccountAnswer,
            summary="Get an account",
            description="The account with its credits." + _ONE_404,
            tags=["Accounts"],
        ),
        Endpoint(
            name="update_account",
            method="PATCH",
            path=_ACCOUNT,
            function=change_account,
            body=shapes.AccountChange,
            answer=answers.AccountAnswer,
            summary="Rename, enable, disable or close an account, or change its plan",
            description="All given properties change, or none. Another plan ends the month of the former one at once. A"
            " `disabled` account is refused (403) from the next call on. `closed` is for good: keys are revoked, runs"
            " end, credits expire, its own content is erased after 30 days.",
            tags=["Accounts"],
            errors=[Conflict],
            examples={"another plan": {"plan": "scale"}, "disable": {"state": "disabled"}},
        ),
        Endpoint(
            name="list_users",
            method="GET",
            path=f"{_ACCOUNT}/users",
            function=list_users,
            query=shapes.PageQuery,
            answer=answers.UsersAnswer,
            summary="List the users of an account",
            tags=["Users"],
        ),
        Endpoint(
            name="add_user",
            method="POST",
            path=f"{_ACCOUNT}/users",
            function=add_user,
            body=shapes.NewUser,
            answer=answers.UserAnswer,
            status=201,
            summary="Add a user to an account",
            description="Users act in tables. 409 for an address that is a user of the account, letter case aside.",
            tags=["Users"],
            changes=True,
            examples={"a user": {"email": "dana@acme.example", "role": "admin"}},
        ),
        Endpoint(
            name="list_keys",
            method="GET",
            path=f"{_ACCOUNT}/keys",
            function=list_keys,
            query=shapes.PageQuery,
            answer=answers.KeysAnswer,
            summary="List the keys of an account",
            description="By prefix, oldest first, revoked ones included.",
            tags=["Keys"],
        ),
        Endpoint(
            name="create_key",
            method="POST",
            path=f"{_ACCOUNT}/keys",
            function=create_key,
            body=shapes.NewKeyTerms,
            answer=answers.KeyAnswer,
            status=201,
            summary="Create a key of an account",
            description="`apiKey` is in this answer alone, as only its hash is kept: a repeated `Idempotency-Key`"
            " answers without it. If the first answer was lost, revoke the key and create another one.",
            tags=["Keys"],
            changes=True,
            examples={"a key": {"name": "crm", "dailyCredits": 500}, "without terms": {}},
        ),
        Endpoint(
            name="update_key",
            method="PATCH",
            path=f"{_ACCOUNT}/keys/{{prefix}}",
            function=change_key,
            body=shapes.KeyTermsChange,
            answer=answers.KeyAnswer,
            summary="Change name, end or daily cap of a key",
            description="From its next call on. 409 for a revoked key." + _ONE_404,
            tags=["Keys"],
            errors=[Conflict],
            examples={"another cap": {"dailyCredits": 1000}, "no end": {"expires": "never"}},
        ),
        Endpoint(
            name="revoke_key",
            method="DELETE",
            path=f"{_ACCOUNT}/keys/{{prefix}}",
            function=revoke_key,
            answer=answers.KeyAnswer,
            summary="Revoke a key",
            description="For good, from its next call on. A revoked key stays as it is." + _ONE_404,
            tags=["Keys"],
        ),
        Endpoint(
            name="get_credits",
            method="GET",
            path=f"{_ACCOUNT}/credits",
            function=get_credits,
            answer=answers.CreditsAnswer,
            summary="Get the credits of an account",
            tags=["Credits"],
        ),
        Endpoint(
            name="change_credits",
            method="POST",
            path=f"{_ACCOUNT}/credits",
            function=change_credits,
            body=shapes.CreditChange,
            answer=answers.CreditsAnswer,
            summary="Grant credits to an account, or take them back",
            description="A row of the ledger, `grant` or `adjustment`; the answer has the credits after it. 409 if"
            " fewer remain than are to be taken back; nothing changes then. A repeated `Idempotency-Key` grants nothing"
            " and answers the credits of today.",
            tags=["Credits"],
            changes=True,
            examples={
                "an order": {"credits": 500, "reason": "order 2026-117"},
                "a correction": {"credits": -20, "reason": "ordered twice"},
            },
        ),
        Endpoint(
            name="get_usage",
            method="GET",
            path="/admin/usage",
            function=get_usage,
            query=shapes.UsageQuery,
            answer=answers.UsageAnswer,
            summary="Report the usage of a month",
            description="Requests, errors and credits of all accounts, or of one, as `firmograph usage report`: the"
            " credits are those of the ledger; requests of the last minute may be missing.",
            tags=["Usage and audit"],
            errors=[NotFound],
        ),
        Endpoint(
            name="get_audit",
            method="GET",
            path="/admin/audit",
            function=get_audit,
            query=shapes.AuditPage,
            answer=answers.AuditAnswer,
            summary="List operators' actions",
            description="On all accounts, or on one; the newest first.",
            tags=["Usage and audit"],
            errors=[NotFound],
        ),
    ]
    declared = [_of_operator(endpoint) for endpoint in endpoints]

    @cache
    def document() -> bytes:
        described = build_openapi(
            declared, version=__version__, max_body_bytes=max_body_bytes, document=DOCUMENT
        )
        return msgspec.json.encode(described)

    document_endpoint = Endpoint(
        name="get_admin_openapi",
        method="GET",
        path="/admin/openapi.json",
        function=lambda call: document(),
        documented=False,
    )
    return [*declared, _of_operator(document_endpoint)]


def _of_operator(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint with what all of `/admin` share."""
    named: dict[str, Any] = {}
    errors: list[type[FirmographError]] = list(endpoint.errors)
    if "{account_id}" in endpoint.path:
        named["segments"] = shapes.AdminKeyPath if "{prefix}" in endpoint.path else shapes.AdminAccountPath
        errors.append(NotFound)
    return msgspec.structs.replace(
        endpoint,
        function=_in_reader(endpoint.function) if endpoint.method == "GET" else endpoint.function,
        authentication="operator",
        in_thread=endpoint.method != "GET",
        errors=errors,
        query=endpoint.query or shapes.NoQuery,
        refuses_unknown_query=True,
        **named,
    )


def _in_reader(function: EndpointFunction) -> EndpointFunction:
    """Return a function that reads in a thread of readers: a report reads the whole ledger."""
    return lambda call: Deferred(lambda: function(call), writes=False)


def _request(call: Call[Any]) -> OperatorRequest:
    return OperatorRequest(call.request_id, call.operator.prefix, call.key)


def _done(done: Done[T], answer: Callable[..., msgspec.Struct], data: msgspec.Struct) -> ChargedResponse:
    """Return the answer to a change, which names the first request if it repeats that one."""
    body = encode(answer(request_id=done.request_id, data=data))
    return ChargedResponse(body, 0, first=FirstAnswer(done.request_id, 0) if done.is_replay else None)


def _page(
    call: Call[Any],
    page: Page[R],
    answer: Callable[..., msgspec.Struct],
    show: Callable[[R], msgspec.Struct],
) -> msgspec.Struct:
    return answer(
        request_id=call.request_id,
        data=[show(row) for row in page.rows],
        pagination=answers.show_page(page, call.query),
    )
