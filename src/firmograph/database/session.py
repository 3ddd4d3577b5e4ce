"""Base of the sessions of both databases (`database/sqlite.py`, `database/postgresql.py`)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Protocol
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.sql.expression import Executable

from firmograph.database import bulk_load

Row = tuple[Any, ...]
Params = Mapping[str, Any] | Sequence[Any] | None

Scope = int | None
"""Data that a write transaction changes exclusively. SQLite has one writer anyway; on PostgreSQL, transactions of
different scopes run concurrently, and those without a scope wait only for the rows that they change."""

EVERY_ACCOUNT: Final = 6
"""Scope of the credits, paid units and queues of all accounts; it excludes the scopes of single accounts."""
ACCOUNT_SCOPES: Final = 1 << 20
"""First scope of a single account."""


class Text(Protocol):
    """Compiled statement in the form of its driver."""

    template: str
    most_in: int
    """Maximum number of values in a list."""
    names: tuple[str, ...]
    """Parameters in their order."""

    def bind(self, params: Params) -> tuple[str, Sequence[Any]]: ...


class Session:
    """Connection of one thread, not shared between threads.

    Statements are compiled once per process. Columns hold only integers, floats, text and bytes.
    """

    _texts: ClassVar[WeakKeyDictionary[Executable, Text]]
    """Compiled statements of one driver, as compiling takes longer than most reads."""

    raw: Any
    """The driver's connection."""
    places_are_ordered: bool
    """Whether rows become visible in the order of their numbers."""

    def __init__(self) -> None:
        self.statements = 0
        """Number of execute and executemany calls, without the bounds of transactions."""
        self._prepared: dict[int, tuple[Executable, Text]] = {}

    def __init_subclass__(cls) -> None:
        cls._texts = WeakKeyDictionary()

    # --- implemented for each driver ---

    def compile(self, statement: Executable) -> Text:
        raise NotImplementedError

    def run(self, text: str, values: Sequence[Any]) -> Any:
        """Run a statement and return the driver's cursor.

        Raises Busy and Unavailable in place of the driver's own errors.
        """
        raise NotImplementedError

    def run_many(self, text: str, rows: list[Sequence[Any]]) -> None:
        raise NotImplementedError

    def begin_read(self) -> None:
        raise NotImplementedError

    def begin_write(self, scopes: Sequence[Scope]) -> None:
        raise NotImplementedError

    def enter(self, *scopes: Scope) -> None:
        """Add scopes to a write transaction; they must follow its own in ascending order.

        Later statements see all commits of earlier holders. Raises Busy like `begin_write`.
        """
        raise NotImplementedError

    def commit(self) -> None:
        raise NotImplementedError

    def rollback(self) -> None:
        """Roll back the transaction, if one is open; never raises for a lost connection."""
        raise NotImplementedError

    def define(self, definition: str) -> None:
        """Run a definition of tables or schemas, as it stands."""
        raise NotImplementedError

    def tables(self) -> set[str]:
        """Return the names of all existing tables."""
        raise NotImplementedError

    def relax(self, *, returns_to_pages: bool = True) -> None:
        """Trade durability for speed in repeatable work: a power cut may lose its last commits, each as a whole.

        Work that hardly returns to pages of before keeps few of them in memory.
        """
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    # --- shared by all drivers ---

    def prepared(self, statement: Executable) -> Text:
        held = self._prepared.get(id(statement))
        if held is None:
            text = self._texts.get(statement)
            if text is None:
                text = self._texts[statement] = self.compile(statement)
            held = self._prepared[id(statement)] = statement, text
        return held[1]

    def execute(self, statement: Executable, params: Params = None) -> Any:
        """Run one statement, defined at module level so that it is compiled once; return the driver's cursor."""
        text, values = self.prepared(statement).bind(params)
        self.statements += 1
        return self.run(text, values)

    def all(self, statement: Executable, params: Params = None) -> list[Row]:
        rows: list[Row] = self.execute(statement, params).fetchall()
        return rows

    def one(self, statement: Executable, params: Params = None) -> Row | None:
        row: Row | None = self.execute(statement, params).fetchone()
        return row

    def all_in(self, statement: Executable, name: str, values: Sequence[Any], **params: Any) -> list[Row]:
        """Return the rows of a statement with an expanding parameter `name`, for any number of values."""
        rows: list[Row] = []
        most = self.prepared(statement).most_in
        for start in range(0, len(values), most):
            rows += self.all(statement, {name: values[start : start + most], **params})
        return rows

    def run_in(self, statement: Executable, name: str, values: Sequence[Any], **params: Any) -> None:
        """Run a statement without result rows, such as a delete, for any number of values."""
        most = self.prepared(statement).most_in
        for start in range(0, len(values), most):
            self.execute(statement, {name: values[start : start + most], **params})

    def many(self, statement: Executable, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each row; a row is a sequence in the order of the statement's parameters."""
        rows = rows if isinstance(rows, list) else list(rows)
        if rows:
            self.statements += 1
            self.run_many(self.prepared(statement).template, rows)

    def load(self, table: sa.Table, rows: Sequence[Sequence[Any]], columns: tuple[str, ...] = ()) -> None:
        """Write rows with new primary keys; their values are those of `columns`, or of all, in the table's order."""
        self.many(bulk_load.inserting(table, columns), rows)


_ACCOUNT: Final = "account"


class AccountSession:
    """Session of one account, which binds the parameter `account` of every statement."""

    __slots__ = ("account_id", "session")

    def __init__(self, session: Session, account_id: int) -> None:
        self.session = session
        self.account_id = account_id

    def execute(self, statement: Executable, params: Mapping[str, Any] | None = None) -> Any:
        """Run one statement and return the driver's cursor. Raises ValueError if it does not take the account."""
        return self.session.execute(statement, self._bound(statement, params or {}))

    def all(self, statement: Executable, params: Mapping[str, Any] | None = None) -> list[Row]:
        return self.session.all(statement, self._bound(statement, params or {}))

    def one(self, statement: Executable, params: Mapping[str, Any] | None = None) -> Row | None:
        return self.session.one(statement, self._bound(statement, params or {}))

    def all_in(self, statement: Executable, name: str, values: Sequence[Any], **params: Any) -> list[Row]:
        return self.session.all_in(statement, name, values, **self._bound(statement, params))

    def run_in(self, statement: Executable, name: str, values: Sequence[Any], **params: Any) -> None:
        self.session.run_in(statement, name, values, **self._bound(statement, params))

    def many(self, statement: Executable, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each row, given without the account."""
        names = self.session.prepared(statement).names
        if names.count(_ACCOUNT) != 1:
            raise ValueError("the statement does not take the account once")
        self.session.many(statement, self._with_account(rows, names.index(_ACCOUNT)))

    def each(self, statement: Executable, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run one statement for each row of parameters by name, given without the account."""
        names = self.session.prepared(statement).names
        if _ACCOUNT not in names:
            raise ValueError("the statement does not take the account")
        bound = ({**row, _ACCOUNT: self.account_id} for row in rows)
        self.session.many(statement, [[row[name] for name in names] for row in bound])

    def load(self, table: sa.Table, rows: Iterable[Sequence[Any]], columns: tuple[str, ...]) -> None:
        """Write new rows of the account, given without it; their values are those of `columns` in the table's order."""
        named = tuple(one.name for one in table.c if one.name in {"account_id", *columns})
        self.session.load(table, self._with_account(rows, named.index("account_id")), named)

    def _with_account(self, rows: Iterable[Sequence[Any]], at: int) -> list[Sequence[Any]]:
        return [(*row[:at], self.account_id, *row[at:]) for row in rows]

    def _bound(self, statement: Executable, params: Mapping[str, Any]) -> dict[str, Any]:
        if _ACCOUNT not in self.session.prepared(statement).names:
            raise ValueError("the statement does not take the account")
        return {**params, _ACCOUNT: self.account_id}


class Statement:
    """Base of the compiled statements of both drivers."""

    def __init__(self, statement: Executable, dialect: sa.Dialect) -> None:
        compiled = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
        self.template = str(compiled)
        self.names: tuple[str, ...] = tuple(getattr(compiled, "positiontup", None) or ())
        self.expanding = [n for n in self.names if f"__[POSTCOMPILE_{n}" in self.template]
        self.defaults: dict[str, Any] = {
            name: bind.value for name, bind in compiled.binds.items() if not bind.required
        }
