"""Prepared statements of a PostgreSQL connection, each executed in one call of the client library.

The driver's own cursor waits for results in Python code, between whose steps other threads run; here a thread releases
the interpreter lock once per statement. The driver still converts values and rows.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import psycopg
from psycopg import errors, pq
from psycopg.adapt import PyFormat, Transformer


class Rows:
    """Result of a statement."""

    def __init__(self, rows: list[tuple[Any, ...]], count: int) -> None:
        self._rows = rows
        self.rowcount = count
        """Number of rows found or changed."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        return self._rows[0] if self._rows else None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._rows)


class Prepared:
    """Prepared statements of one connection, one for each combination of parameter types."""

    def __init__(self, raw: "psycopg.Connection[Any]") -> None:
        self._raw = raw
        self._names: dict[tuple[str, tuple[int, ...]], bytes] = {}
        # never reused: after an interruption the server may hold a name that is not recorded here
        self._numbers = count()

    def run(self, text: str, values: Sequence[Any]) -> Rows:
        """Execute a prepared statement. Raises the driver's errors."""
        sent = Transformer(self._raw)
        parameters = sent.dump_sequence(values, [PyFormat.AUTO] * len(values))
        name = self._name(text, sent.types or ())
        result = self._raw.pgconn.exec_prepared(
            name,
            parameters,  # type: ignore[arg-type]
            sent.formats,
            pq.Format.BINARY,
        )
        _check(result)
        sent.set_pgresult(result)
        return Rows(sent.load_rows(0, result.ntuples, tuple), result.command_tuples or 0)

    def _name(self, text: str, types: tuple[int, ...]) -> bytes:
        name = self._names.get((text, types))
        if name is None:
            name = b"s%d" % next(self._numbers)
            _check(self._raw.pgconn.prepare(name, _numbered(text), types))
            self._names[text, types] = name
        return name


def _check(result: pq.abc.PGresult) -> None:
    if result.status not in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
        raise errors.error_from_result(result)


def _numbered(text: str) -> bytes:
    """Replace the parameter marks by those of the server."""
    first, *rest = text.split("%s")
    marked = first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))
    return marked.replace("%%", "%").encode()
