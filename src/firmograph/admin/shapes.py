"""Requests on `/admin` (docs/reference/admin.md); unknown properties and parameters are refused.

Path ids are plain texts here: malformed, unknown and foreign ones are the same 404.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.billing.types import MAX_CREDITS

CanReveal = Literal["names", "priced", "default"]
State = Literal["active", "disabled", "closed"]
Role = Literal["admin", "manager", "member"]

_SEEN = r"[^\u0000-\u001f\u007f]"
"""Character class without control characters; the services refuse others that do not print."""

AccountName = Annotated[
    str,
    Meta(
        max_length=200,
        pattern=rf"^{_SEEN}*[^\u0000-\u0020\u007f0-9]{_SEEN}*$",
        extra={"expects": "1 to 200 printable characters, not digits only"},
        description="1 to 200 printable characters, not digits only, that no other account has",
        examples=["Acme"],
    ),
]
PlanName = Annotated[
    str, Meta(min_length=1, max_length=100, description="A plan of the service", examples=["pro"])
]
KeyName = Annotated[
    str,
    Meta(
        max_length=100,
        pattern=rf"^{_SEEN}*$",
        extra={"expects": "up to 100 printable characters"},
        description="The operator's name for it, such as the program that uses it",
        examples=["crm"],
    ),
]
_END = "A day, to its end in UTC, or an ISO time, without an offset in UTC; not a past one"
Expires = Annotated[str, Meta(max_length=40, description=_END, examples=["2027-06-30"])]
DailyCredits = Annotated[
    int, Meta(ge=0, le=MAX_CREDITS, description="Most credits that it may spend in a UTC day")
]
AccountNumber = Annotated[int, Meta(ge=1, le=MAX_CREDITS, description="Number of an account")]


class _AdminBody(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or part of a request."""


class NewAccount(_AdminBody):
    name: AccountName
    plan: PlanName
    can_reveal: Annotated[CanReveal, Meta(description="`default` follows the server")] = "default"


class AccountChange(_AdminBody):
    """Omitted properties keep their values."""

    name: AccountName | UnsetType = UNSET
    plan: PlanName | UnsetType = UNSET
    can_reveal: CanReveal | UnsetType = UNSET
    state: Annotated[State, Meta(description="`closed` is for good")] | UnsetType = UNSET


class NewUser(_AdminBody):
    email: Annotated[
        str,
        Meta(
            max_length=320,
            pattern=r"^[^@\s]+@[^@\s]+$",
            extra={"expects": "an e-mail address"},
            examples=["dana@acme.example"],
        ),
    ]
    role: Role = "member"


class NewKeyTerms(_AdminBody):
    name: KeyName = ""
    expires: Expires | UnsetType = UNSET
    daily_credits: DailyCredits | UnsetType = UNSET


class KeyTermsChange(_AdminBody):
    """Omitted properties keep their values."""

    name: KeyName | UnsetType = UNSET
    expires: (
        Annotated[str, Meta(max_length=40, description=f"{_END}; `never` lifts it", examples=["never"])]
        | UnsetType
    ) = UNSET
    daily_credits: DailyCredits | Literal["unlimited"] | UnsetType = UNSET


class CreditChange(_AdminBody):
    credits: Annotated[
        int,
        Meta(
            ge=-MAX_CREDITS,
            le=MAX_CREDITS,
            description="Granted; a negative number is taken back, at most to a remaining 0",
            extra_json_schema={"not": {"const": 0}},
        ),
    ]
    reason: Annotated[
        str,
        Meta(
            max_length=200,
            pattern=rf"^{_SEEN}*$",
            extra={"expects": "1 to 200 printable characters on one line"},
            description="1 to 200 printable characters on one line, for the audit",
            examples=["order 2026-117"],
        ),
    ]


class NoQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Query without parameters."""


class PageQuery(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    page: Annotated[int, Meta(ge=0, le=1_000)] = 0
    size: Annotated[int, Meta(ge=1, le=500)] = 100


class AccountPage(PageQuery, kw_only=True):
    name: Annotated[str, Meta(max_length=200, description="The account of exactly this name")] | UnsetType = (
        UNSET
    )


class UsageQuery(PageQuery, kw_only=True):
    month: Annotated[
        str,
        Meta(
            pattern=r"^(?!0000)\d{4}-(0[1-9]|1[0-2])$",
            extra={"expects": "YYYY-MM, such as 2026-11"},
            description="In UTC",
            examples=["2026-11"],
        ),
    ]
    by: Literal["key", "action", "day"] | UnsetType = UNSET
    account: AccountNumber | UnsetType = UNSET


class AuditPage(PageQuery, kw_only=True):
    account: AccountNumber | UnsetType = UNSET


class AdminAccountPath(msgspec.Struct, forbid_unknown_fields=True):
    account_id: str


class AdminKeyPath(AdminAccountPath):
    prefix: str
