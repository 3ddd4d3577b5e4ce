"""What packages below `record_tables` have it do: write the rows of calls with `tableId`, and revise cells.

See docs/reference/tables.md#tableid.

The calls are of packages below `record_tables`, which writes the rows. Their routes report the rows with the answer, as
what follows it (`follow_up.py`); the answer is the same whether the write succeeds or not.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Final, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.caller import Request
from firmograph.database.session import Session
from firmograph.follow_up import Followed, FollowUp
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity

C = TypeVar("C")

_EXPECTED: Final = "the digits of a table's id"

TableId = Annotated[
    str,
    Meta(
        pattern="^[0-9]+$",
        description="A table of the account: the results become rows of it, in a write that follows the answer",
        examples=["4503599627370497"],
        extra={"expects": _EXPECTED},
    ),
]

TableErrorCode = Literal[
    "TABLE_NOT_FOUND", "TABLE_FULL", "FORBIDDEN", "INSUFFICIENT_CREDITS", "BUSY", "INTERNAL"
]


class SignalCells(NamedTuple):
    """Cells of a signal column, from the answer of a signals call."""

    types: Sequence[str]
    start: str | None
    """First day that was asked for."""
    values: Mapping[int, bytes]
    """JSON by record; records without signals have none."""
    sources: Mapping[int, Mapping[bytes, bytes]] = {}
    """Stored events that may name people, by record and identity of the signal."""


class FoundValues(NamedTuple):
    """Values of other providers for a contact, as JSON of its data points."""

    emails: bytes | None = None
    phones: bytes | None = None


class TableRows(NamedTuple):
    """Rows for a table, from the results of a call."""

    request: Request
    """Call; under its key, what the write did is kept."""
    entity: Entity
    table_id: str
    reveals: Sequence[str] = ()
    """Data points that the call revealed; the columns of them are filled."""
    numbers: Sequence[int] = ()
    """Records in the order of the results, each once."""
    signals: SignalCells | None = None
    found: Mapping[int, FoundValues] = {}
    """What other providers found, by record, for cells for which the record holds nothing."""


def requested_rows(
    request: Request, table_id: str | UnsetType, entity: Entity, reveals: Sequence[str] = ()
) -> TableRows | None:
    """Return what a call with `tableId` is to write, still without numbers; None without a `tableId`.

    Raises BadRequest for a malformed one, so it is asked for before anything is charged.
    """
    if table_id is UNSET:
        return None
    if table_id.endswith("\n"):  # `$` of the pattern lets it pass
        problem = f"tableId must be {_EXPECTED}"
        raise BadRequest(problem, [problem])
    return TableRows(request, entity, table_id, reveals)


class TableWriteError(msgspec.Struct):
    """Reason why nothing was written."""

    code: TableErrorCode
    message: str


_Count = Annotated[int, Meta(ge=0)]


class TableWrite(msgspec.Struct, rename="camel", kw_only=True):
    """What a call wrote to the table; all 0 if it wrote nothing."""

    table_id: str
    added: _Count
    already_present: _Count
    columns_created: _Count
    rows_processed: Annotated[_Count, Meta(description="Rows with cells written")]
    rows_charged: Annotated[_Count, Meta(description="Rows that the write charged for")]
    rows_already_paid_in_table: Annotated[
        _Count, Meta(description="Companies whose firmographics were paid before the write, by this call too")
    ]
    credits_charged: Annotated[_Count, Meta(description="By the write; part of `billing`")]
    error: (
        Annotated[TableWriteError, Meta(description="Why nothing was written; the answer is not affected")]
        | UnsetType
    ) = UNSET


@runtime_checkable
class RowWriter(Protocol):
    """Writer of the rows of calls, supplied by the package of tables."""

    @abstractmethod
    def follow(self, rows: TableRows, request_id: str, kept: bytes | None) -> FollowUp | Followed:
        """Return the write that follows an answer, or what it did if that is kept.

        `request_id` is that of the answer, of a replay that of the first one.
        """


@runtime_checkable
class CellRevision(Protocol):
    """Revision of the cells of all tables after records lost values, supplied by the package of tables.

    Part of the caller's transaction, of the scopes RECORDS and EVERY_ACCOUNT.
    """

    @abstractmethod
    def next_records(self, session: Session, entity: Entity, after: int, most: int) -> list[int]:
        """Return the next records after a number that are rows of any table."""

    @abstractmethod
    def revise(self, session: Session, entity: Entity, numbers: Collection[int], at: float) -> int:
        """Empty the cells whose value the records no longer hold; return how many.

        Cells of default columns are filled again instead, which is free.
        """

    @abstractmethod
    def restate_marks(self, session: Session, numbers: Collection[int], at: float) -> int:
        """Give the cells with telephone numbers of contacts the do-not-call marks of today; return how many changed."""

    @abstractmethod
    def forget_signals(
        self, session: Session, entity: Entity, types: Mapping[int, Collection[str]], at: float
    ) -> int:
        """Empty the cells that show signals of these types, by record, and scores of the records; return how many."""


def following(
    rows: TableRows | None, writer: RowWriter, fill: Callable[[TableRows, C], TableRows]
) -> Callable[[C, str, bytes | None], FollowUp | Followed] | None:
    """Return what follows the answer of a call: the write of its rows, which `fill` takes from its content."""
    if rows is None:
        return None

    def follow(content: C, request_id: str, kept: bytes | None) -> FollowUp | Followed:
        return writer.follow(fill(rows, content), request_id, kept)

    return follow
