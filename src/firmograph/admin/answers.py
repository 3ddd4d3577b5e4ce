"""Answers of `/admin` (docs/reference/admin.md)."""

from typing import Annotated, Any, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.accounts.types import Account, ApiKey, User
from firmograph.accounts.usage_report import UsageRow
from firmograph.admin.service import Page
from firmograph.admin.shapes import CanReveal, PageQuery, Role, State
from firmograph.billing.types import UsageGroup
from firmograph.kit.clock import iso
from firmograph.operator_audit.types import OperatorAction

_Count = Annotated[int, Meta(ge=0)]
Instant = Annotated[str, Meta(description="UTC, ISO 8601", extra_json_schema={"format": "date-time"})]
Prefix = Annotated[str, Meta(description="First characters of the key, by which it is named")]


class AnswerPart(msgspec.Struct, rename="camel"):
    """Part of an answer, without absent members."""


class CreditsView(AnswerPart):
    """Credits: `total` is all received and not expired or taken back; `held` is reserved for deliveries."""

    total: _Count
    used: _Count
    held: _Count
    remaining: _Count
    renews_at: Annotated[Instant, Meta(description="Next renewal of monthly credits")] | UnsetType = UNSET


class AccountView(AnswerPart):
    id: int
    name: str
    plan: str
    can_reveal: Annotated[str, Meta(extra_json_schema={"enum": get_args(CanReveal)})]
    state: State
    created_at: Instant
    credits: CreditsView
    closed_at: Instant | UnsetType = UNSET


class UserView(AnswerPart):
    id: int
    email: str
    role: Annotated[str, Meta(extra_json_schema={"enum": get_args(Role)})]
    created_at: Instant


class KeyView(AnswerPart):
    prefix: Prefix
    created_at: Instant
    name: str | UnsetType = UNSET
    last_used_at: Annotated[Instant, Meta(description="Saved once a minute")] | UnsetType = UNSET
    expires_at: Instant | UnsetType = UNSET
    daily_credits: _Count | UnsetType = UNSET
    revoked_at: Instant | UnsetType = UNSET
    api_key: Annotated[str, Meta(description="The key, in the answer that creates it alone")] | UnsetType = (
        UNSET
    )


class UsageView(AnswerPart):
    """Usage of an account in a month, or the part of one key, action or day."""

    account_id: int
    account: Annotated[str, Meta(description="Its name")]
    requests: _Count
    errors: Annotated[_Count, Meta(description="Requests with a status from 400")]
    credits: Annotated[int, Meta(description="Those of the ledger")]
    key: Annotated[str, Meta(description="Prefix of the key, or another actor")] | UnsetType = UNSET
    action: (
        Annotated[str, Meta(description="Operation of the requests, or price key of the credits")] | UnsetType
    ) = UNSET
    day: Annotated[str, Meta(extra_json_schema={"format": "date"})] | UnsetType = UNSET


class ActionView(AnswerPart):
    at: Instant
    operator: Annotated[
        str, Meta(description="Prefix of the operator's key, or user of the operating system")
    ]
    action: Annotated[str, Meta(description="Command, such as `credits grant`")]
    account_id: int | UnsetType = UNSET
    object: Annotated[str, Meta(description="Another object, such as `key fg_3f9a2cQx`")] | UnsetType = UNSET
    person: Annotated[str, Meta(description="Keyed digest of a person")] | UnsetType = UNSET
    details: dict[str, Any] | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class PageNumbers(AnswerPart):
    """Page of a list."""

    page: _Count
    size: Annotated[int, Meta(ge=1)]
    total: Annotated[_Count, Meta(description="Rows of all pages")]


class _Answer(AnswerPart):
    request_id: Annotated[
        str,
        Meta(
            description="Id of the request; for a repeated Idempotency-Key that of the first one",
            extra_json_schema={"format": "uuid"},
        ),
    ]


class AccountAnswer(_Answer):
    data: AccountView


class CreditsAnswer(_Answer):
    data: CreditsView


class UserAnswer(_Answer):
    data: UserView


class KeyAnswer(_Answer):
    data: KeyView


class AccountsAnswer(_Answer):
    data: list[AccountView]
    pagination: PageNumbers


class UsersAnswer(_Answer):
    data: list[UserView]
    pagination: PageNumbers


class KeysAnswer(_Answer):
    data: list[KeyView]
    pagination: PageNumbers


class UsageAnswer(_Answer):
    data: list[UsageView]
    pagination: PageNumbers


class AuditAnswer(_Answer):
    data: list[ActionView]
    pagination: PageNumbers


def show_credits(account: Account) -> CreditsView:
    return CreditsView(
        total=account.granted,
        used=account.used,
        held=account.held,
        remaining=account.remaining,
        renews_at=_instant(account.renews_at),
    )


def show_account(account: Account) -> AccountView:
    return AccountView(
        id=account.id,
        name=account.name,
        plan=account.plan,
        can_reveal=account.can_reveal or "default",
        state=account.state,
        created_at=iso(account.created_at),
        closed_at=_instant(account.closed_at),
        credits=show_credits(account),
    )


def show_user(user: User) -> UserView:
    return UserView(id=user.id, email=user.email, role=user.role, created_at=iso(user.created_at))


def show_key(key: ApiKey, api_key: str | None = None) -> KeyView:
    return KeyView(
        prefix=key.prefix,
        name=key.name or UNSET,
        created_at=iso(key.created_at),
        last_used_at=_instant(key.last_used_at),
        expires_at=_instant(key.expires_at),
        daily_credits=UNSET if key.daily_credits is None else key.daily_credits,
        revoked_at=_instant(key.revoked_at),
        api_key=api_key or UNSET,
    )


def show_usage(row: UsageRow, by: UsageGroup) -> UsageView:
    return UsageView(
        account_id=row.account_id,
        account=row.account,
        requests=row.requests,
        errors=row.errors,
        credits=row.credits,
        **({} if by == "account" else {by: row.group}),
    )


def show_action(action: OperatorAction) -> ActionView:
    details = msgspec.json.decode(action.details)
    return ActionView(
        at=iso(action.at),
        operator=action.actor,
        action=action.action,
        account_id=UNSET if action.account is None else action.account,
        object=action.subject or UNSET,
        person=action.person.hex() if action.person else UNSET,
        details=details or UNSET,
        reason=action.reason or UNSET,
    )


def show_page(page: Page[Any], query: PageQuery) -> PageNumbers:
    return PageNumbers(page=query.page, size=query.size, total=page.total)


def _instant(at: float | None) -> str | UnsetType:
    return UNSET if at is None else iso(at)
