"""Requests on tables (docs/reference/tables.md#requests); unknown properties are refused.

Path ids are plain texts here: malformed, unknown, foreign and hidden ones are the same 404.
"""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.kit.errors import BadRequest
from firmograph.kit.name_keys import name_key, visible_name
from firmograph.record_tables.types import MOST_ADDED_COLUMNS, MOST_IDS, RunScope
from firmograph.security.record_ids import RECORD_ID

Email = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=320,
        description="A user of the account, letter case aside: who acts",
        examples=["dana@acme.example"],
    ),
]
_SPACE = r"\s\u001c-\u001f\u0085\ufeff"
"""White space of Python and of ECMAScript, whose `\\s` differ, for a character class."""
_UNSEEN = (
    rf"{_SPACE}\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u2800\u3164\uffa0"
    r"\ufff9-\ufffb"
)
"""White space, and format characters, fillers and blanks that nobody sees, with which no name begins or ends."""
_BREAKS = r"\n\r\u000b\u000c\u001c-\u001e\u0085\u2028\u2029"
_NAME = rf"^[{_UNSEEN}]*([^{_UNSEEN}]([^{_BREAKS}]{{0,253}}[^{_UNSEEN}])?)[{_UNSEEN}]*$"

_EXPECTED_NAME = "1 to 255 characters once trimmed, without a line break"

TableName = Annotated[
    str,
    Meta(
        max_length=1_000,
        pattern=_NAME,
        extra={"expects": _EXPECTED_NAME},
        description="1 to 255 characters once trimmed, without a line break, other than those of the owner's tables of"
        " this kind; letter case, format characters and forms of composition make no difference",
        examples=["Prospects"],
    ),
]
Visibility = Literal["private", "shared"]
RecordId = Annotated[str, Meta(examples=["v1.x"], extra_json_schema={"pattern": f"^{RECORD_ID}$"})]
"""Read by `rows/sent_ids.py`."""
Page = Annotated[int, Meta(ge=0, le=1_000)]


def trim_name(name: str) -> str:
    """Return a valid name without the white space around it, and without marks of direction and the like.

    Raises BadRequest for a name that shows nothing.
    """
    found = re.search(_NAME, name)
    visible = visible_name(found[1] if found else name)
    if not name_key(visible):
        raise BadRequest(problem := f"name must be {_EXPECTED_NAME}", [problem])
    return visible


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or part of a request."""


class ActingUser(_Body):
    email: Email


class _OwnedBody(_Body, kw_only=True):
    owner: ActingUser


class CreateTable(_OwnedBody):
    name: TableName
    visibility: Visibility = "private"
    ids: Annotated[list[RecordId], Meta(max_length=MOST_IDS)] | UnsetType = UNSET


class ListTables(_OwnedBody):
    page: Page = 0
    size: Annotated[int, Meta(ge=1, le=100)] = 100
    name: (
        Annotated[str, Meta(max_length=255, description="Part of the name, letter case aside")] | UnsetType
    ) = UNSET
    status: Literal["active", "archived"] | UnsetType = UNSET


class ChangeTable(_OwnedBody):
    """Omitted properties keep their values."""

    name: TableName | UnsetType = UNSET
    visibility: Visibility | UnsetType = UNSET
    archived: bool | UnsetType = UNSET


_Ids = Annotated[list[RecordId], Meta(min_length=1, max_length=MOST_IDS)]


class AddContacts(_OwnedBody):
    entity_ids: _Ids
    company_ids: (
        Annotated[
            list[RecordId],
            Meta(max_length=MOST_IDS, description="As many as `entityIds`; checked, without other effect"),
        ]
        | UnsetType
    ) = UNSET


class AddCompanies(_OwnedBody):
    entity_ids: _Ids
    company_ids: Annotated[list[str], Meta(description="Ignored")] | UnsetType = UNSET


class RemoveRows(_OwnedBody):
    entity_ids: _Ids


ColumnKey = Annotated[str, Meta(min_length=1, max_length=100, description="Key of the catalog")]


class RequestedColumn(_Body):
    column_key: ColumnKey


class AddColumns(_OwnedBody):
    """Exactly one of `columns` and `columnKey`."""

    columns: (
        Annotated[list[RequestedColumn], Meta(min_length=1, max_length=MOST_ADDED_COLUMNS)] | UnsetType
    ) = UNSET
    column_key: ColumnKey | UnsetType = UNSET


class RunColumn(_OwnedBody):
    run_scope: RunScope
    entity_ids: (
        Annotated[
            list[RecordId],
            Meta(min_length=1, max_length=MOST_IDS, description="Needed for `specific`, refused otherwise"),
        ]
        | UnsetType
    ) = UNSET


class OwnerQuery(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    email: Email


class RowsQuery(OwnerQuery, kw_only=True):
    page: Page = 0
    size: Annotated[int, Meta(ge=1, le=500)] = 100


class TablePath(msgspec.Struct, forbid_unknown_fields=True):
    table_id: str


class ColumnPath(TablePath):
    column_id: str
