"""Rows that a call with `tableId` adds to a table, and what their write did.

See docs/reference/tables.md#tableid.

A service reports the rows with its answer (`endpoint.ChargedResponse`). The dispatcher has them written afterwards, in
a transaction of its own, and adds `tableWrite` to the answer, which is the same whether the write succeeds or not.
Under an `Idempotency-Key` what the write did is kept in its transaction; a replay shows it, and writes only where the
process of the first call ended before the write.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, Protocol

import msgspec
import structlog
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.thread_pool import ThreadPool
from firmograph.caller import AccountCaller
from firmograph.kit.errors import (
    BadRequest,
    Busy,
    DatabaseLost,
    FirmographError,
    Forbidden,
    NotFound,
    PaymentRequired,
    Unavailable,
)
from firmograph.security.record_ids import Entity

log = structlog.get_logger("firmograph.api")

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


KeyOfCall = tuple[str, str]
"""Method with real path, and the `Idempotency-Key`, of a call of an account."""


class SignalCells(NamedTuple):
    """Cells of a signal column, from the answer of a signals call."""

    types: Sequence[str]
    start: str | None
    """First day that was asked for."""
    values: Mapping[int, bytes]
    """JSON by record; records without signals have none."""
    sources: Mapping[int, Mapping[bytes, bytes]] = {}
    """Stored events that may name people, by record and identity of the signal."""


class TableRows(NamedTuple):
    """Rows for a table, from the results of a call."""

    entity: Entity
    table_id: str
    caller: AccountCaller
    at: float
    numbers: Sequence[int] = ()
    """Records in the order of the results, each once."""
    reveals: Sequence[str] = ()
    """Data points that the call revealed; the columns of them are filled."""
    signals: SignalCells | None = None
    key: KeyOfCall | None = None
    """What the write did is kept under it."""


class _TableCall(Protocol):
    """Call whose body may have a `table_id`."""

    @property
    def body(self) -> Any: ...

    @property
    def account(self) -> AccountCaller: ...

    @property
    def at(self) -> float: ...


def requested_rows(call: _TableCall, entity: Entity, reveals: Sequence[str] = ()) -> TableRows | None:
    """Return what a call with `tableId` is to write, still without numbers; None without a `tableId`.

    Raises BadRequest for a malformed one, so it is asked for before anything is charged.
    """
    table_id = call.body.table_id
    if table_id is UNSET:
        return None
    if table_id.endswith("\n"):  # `$` of the pattern lets it pass
        problem = f"tableId must be {_EXPECTED}"
        raise BadRequest(problem, [problem])
    return TableRows(entity, table_id, call.account, call.at, reveals=reveals)


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


def nothing_written(table_id: str, error: TableWriteError | UnsetType = UNSET) -> TableWrite:
    return TableWrite(
        table_id=table_id,
        added=0,
        already_present=0,
        columns_created=0,
        rows_processed=0,
        rows_charged=0,
        rows_already_paid_in_table=0,
        credits_charged=0,
        error=error,
    )


decode_table_write: Final = msgspec.json.Decoder(TableWrite).decode


class TableRowWriter(Protocol):
    """Writer of the rows of calls, supplied by the package of tables."""

    def write(self, rows: TableRows, request_id: str) -> TableWrite:
        """Write the rows in one transaction; raises an error after which nothing is written.

        Returns what is kept under the key of the rows, if there is something.
        """
        ...

    def keep(self, rows: TableRows, refused: TableWrite) -> TableWrite:
        """Keep under the key of the rows why nothing was written; return what is kept under it."""
        ...


async def write_rows(
    rows: TableRows, writer: TableRowWriter | None, pool: ThreadPool, endpoint: str, request_id: str
) -> TableWrite:
    """Write rows in a thread of the pool; an error is logged and returned."""
    # digits of any length are an id, those of a table are fewer
    about = {"endpoint": endpoint, "table": rows.table_id[:20], "request_id": request_id}
    try:
        if writer is None:
            raise RuntimeError("an endpoint writes to tables but no writer is configured")
        return await pool.run(lambda: writer.write(rows, request_id))
    except FirmographError as error:
        refused = TableWriteError(_code(error), error.message)
        if not isinstance(error, DatabaseLost):
            log.warning("table not written", code=refused.code, **about)
    except Exception:
        refused = TableWriteError("INTERNAL", FirmographError.public)
        log.exception("table not written", **about)
    result = nothing_written(rows.table_id, refused)
    if writer is None or rows.key is None:
        return result
    try:
        return await pool.run(lambda: writer.keep(rows, result))
    except DatabaseLost:
        return result
    except Exception:
        log.exception("refused write not kept", **about)
        return result


def _code(error: FirmographError) -> TableErrorCode:
    if isinstance(error, NotFound):
        return "TABLE_NOT_FOUND"
    if isinstance(error, Forbidden):
        return "TABLE_FULL" if error.code == "TABLE_FULL" else "FORBIDDEN"
    if isinstance(error, PaymentRequired):
        return "INSUFFICIENT_CREDITS"
    return "BUSY" if isinstance(error, Busy | Unavailable) else "INTERNAL"
