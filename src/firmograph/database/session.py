"""What a session does on every database, whatever its driver (`database/sqlite.py`, `database/postgresql.py`)."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, Protocol
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.sql.expression import Executable

from firmograph.database import bulk_load

Row = tuple[Any, ...]
Params = Mapping[str, Any] | Sequence[Any] | None

Scope = int | None
"""What a writing transaction may change, alone. SQLite has one writer anyway; in PostgreSQL transactions of different
scopes go on side by side, and those without one wait for nothing but the rows that they change."""

EVERY_ACCOUNT: Final = 6
"""The credits, paid units and queues of all accounts: excludes every scope of a single account."""
ACCOUNT_SCOPES: Final = 1 << 20
"""Scopes of single accounts begin here."""


class Text(Protocol):
    """A statement as its driver takes it."""

    template: str
    most_in: int
    """How many values a list may have."""
    names: tuple[str, ...]
    """Parameters in their order."""

    def bind(self, params: Params) -> tuple[str, Sequence[Any]]: ...


class Session:
    """One connection of one thread. Not shared between threads.

    Statements are compiled once a process. Columns hold only integers, floats, text and bytes.
    """

    _texts: ClassVar[WeakKeyDictionary[Executable, Text]]
    """Of the sessions of one driver: a text depends on nothing else, and making it takes longer than most reads."""

    raw: Any
    """The driver's connection."""
    places_are_ordered: bool
    """Whether the rows that a transaction adds can be seen only together with all that were numbered before them."""

    def __init__(self) -> None:
        self.statements = 0
        """How many execute and executemany calls were made, transaction bounds not counted."""
        self._prepared: dict[int, tuple[Executable, Text]] = {}

    def __init_subclass__(cls) -> None:
        cls._texts = WeakKeyDictionary()

    # --- what drivers do differently ---

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
        """Hold these scopes as well from now on, in a writing transaction whose own come before them.

        What its next statements see was committed by everybody who held them. Raises Busy as beginning does.
        """
        raise NotImplementedError

    def commit(self) -> None:
        raise NotImplementedError

    def rollback(self) -> None:
        """End the transaction, if one is still open, without what it changed; never raises for a lost connection."""
        raise NotImplementedError

    def tables(self) -> set[str]:
        """Return the names of all existing tables."""
        raise NotImplementedError

    def relax(self) -> None:
        """For long work that can be done again: after a power cut its last commits may be missing, never half there."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def __del__(self) -> None:
        # of a thread that has ended
        with suppress(Exception):
            self.close()

    # --- the same on all ---

    def prepared(self, statement: Executable) -> Text:
        held = self._prepared.get(id(statement))
        if held is None:
            text = self._texts.get(statement)
            if text is None:
                text = self._texts[statement] = self.compile(statement)
            held = self._prepared[id(statement)] = statement, text
        return held[1]

    def execute(self, statement: Executable, params: Params = None) -> Any:
        """Run one statement (module-level, so that it is compiled once); returns the driver's cursor."""
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
        """Rows of a statement with one expanding parameter `name`, for any number of values."""
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
        """Write rows whose primary keys no row has yet; of these columns or of all, in the table's order."""
        self.many(bulk_load.inserting(table, columns), rows)


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

    def _bound(self, statement: Executable, params: Mapping[str, Any]) -> dict[str, Any]:
        if "account" not in self.session.prepared(statement).names:
            raise ValueError("the statement does not take the account")
        return {**params, "account": self.account_id}


class Statement:
    """What both drivers' texts of one statement have in common."""

    def __init__(self, statement: Executable, dialect: sa.Dialect) -> None:
        compiled = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
        self.template = str(compiled)
        self.names: tuple[str, ...] = tuple(getattr(compiled, "positiontup", None) or ())
        self.expanding = [n for n in self.names if f"__[POSTCOMPILE_{n}" in self.template]
        self.defaults: dict[str, Any] = {
            name: bind.value for name, bind in compiled.binds.items() if not bind.required
        }
