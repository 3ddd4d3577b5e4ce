"""Tables, columns, cells and runs, as the stores return them."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final, Literal, NamedTuple

from firmograph.caller import AccountCaller
from firmograph.security.record_ids import Entity

FEATURE: Final = "tables"
"""Plan feature of tables."""

ColumnKindName = Literal["lusha", "crm", "signal", "ai", "score"]
"""Family of a column; `crm` and `ai` are named by the interface, and nothing adds them yet."""

OF_SIGNALS: Final = ("signal", "score")
"""Kinds of columns that need the plan feature of signals."""

RunScope = Literal["all", "missing", "specific"]

CellStatus = Literal["not_run", "processing", "success", "no_data", "failed"]

Surface = Literal["api", "mcp", "workspace"]

ValueType = Literal["string", "number", "object"]
"""Type of a column's values, as rows show it; lists and objects are `object`."""

EntityType = Literal["contacts", "companies"]

ENTITY_TYPES: Final[Mapping[int, EntityType]] = {Entity.CONTACT: "contacts", Entity.COMPANY: "companies"}
"""Kinds of records as paths and answers name them."""

STORED_STATUSES: Final[tuple[CellStatus, ...]] = ("not_run", "success", "no_data", "failed")
"""Statuses of stored cells; one that an open run has yet to fill shows `processing`."""

MISSING: Final = ("not_run", "failed")
"""Stored statuses of the cells that a run of scope `missing` takes."""

INSUFFICIENT_CREDITS: Final = "INSUFFICIENT_CREDITS"
"""`error` of a cell that the credits did not suffice for."""


def check_plan(caller: AccountCaller) -> None:
    """Raise Forbidden unless the caller's plan includes tables."""
    caller.plan.check(FEATURE)


class RunState(IntEnum):
    """State of a run, as stored."""

    OPEN = 1
    DONE = 2
    STOPPED = 3
    """By a command, or with its column or table."""
    BOUND_REACHED = 4
    """Its bound in credits left cells as they were before."""


class RecordTable(NamedTuple):
    """Row of `record_tables`."""

    id: int
    account_id: int
    entity: int
    """`record_ids.Entity`."""
    name: str
    owner_id: int
    """User."""
    created_by: int
    """User; the one who owned it first where a command made it."""
    surface: Surface
    created_at: float
    is_shared: int
    is_archived: int
    is_deleted: int
    entity_count: int
    column_count: int
    next_position: int
    """Position of the next row to be added."""
    open_runs: int
    removals: int
    """Number of removals of rows, and of erasures in cells; a reader that finds it changed reads again."""


class Counters(NamedTuple):
    """Cells of a column by the status that is shown; their sum is the number of rows."""

    not_run: int = 0
    processing: int = 0
    success: int = 0
    no_data: int = 0
    failed: int = 0


class TableColumn(NamedTuple):
    """Row of `record_table_columns`."""

    id: int
    account_id: int
    table_id: int
    kind: ColumnKindName
    key: str | None
    """Key of the catalog; None for other kinds."""
    name: str
    settings: bytes | None
    """JSON of what a kind needs, such as the types of a signal column."""
    is_default: int
    added_at: float
    updated_at: float
    counters: Counters


class Cell(NamedTuple):
    """Content of a cell that has been run, or filled with its row."""

    status: CellStatus
    """One of STORED_STATUSES."""
    value: bytes | None = None
    """JSON; None without a value."""
    note: dict[str, Any] | None = None
    """Further members of the cell in answers: `error`, `doNotCall`."""


class Run(NamedTuple):
    """Row of `record_table_runs` without its lease."""

    id: int
    account_id: int
    table_id: int
    column_id: int
    user_id: int | None
    scope: RunScope
    state: RunState
    request_id: str
    """Request that began it; ledger rows have it."""
    created_at: float
    ended_at: float | None
    taken: int
    """Cells taken at the beginning."""
    success: int
    no_data: int
    failed: int
    left: Counters
    """Cells that it has yet to fill, by stored status; `processing` is 0."""
    credits: int
    most_credits: int | None
    quantities: bytes
    """JSON of the quantities charged by price key."""
    failures: int
    """Failed attempts at the part that is next."""
    actor: str
    """Who pays for it (`caller.Spender`)."""


TABLE_SUBJECT: Final = "table:{}"
"""Ledger's `subject` of what a table charges, with the public id."""
RUN_SUBJECT: Final = "run:{}"
"""Ledger's `subject` of what a run charges, with its number."""

MOST_TABLES: Final = 500
"""Tables of an account, archived ones included."""
MOST_ROWS: Final = 50_000
MOST_COLUMNS: Final = 100
MOST_IDS: Final = 500
"""Ids of one call."""
MOST_ADDED_COLUMNS: Final = 10
"""Columns of one call."""
