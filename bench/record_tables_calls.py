"""Calls on tables over HTTP: one caller with one connection, and the time of each of its calls."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from bench.client import Connection, request

EMAIL = "bench@example.com"
MOST_IDS = 500
"""Ids of a call."""
COLUMNS = 20
"""Columns of a table, default ones included."""
_MOST_COLUMNS = 10
"""Columns of a call."""
_POLL_SECONDS = 0.05
_RUN_SECONDS = 900.0
_IDLE_SECONDS = 2.0


class Caller:
    """Caller of the API of a server."""

    def __init__(self, port: int, key: str) -> None:
        self._port = port
        self._key = key
        self._connect()

    def _connect(self) -> None:
        self._connection = Connection(self._port)
        self._connection.socket.setblocking(True)
        self._used = time.monotonic()

    def send(self, message: bytes) -> tuple[float, bytes]:
        """Return the milliseconds until the whole answer was there, and its body."""
        if time.monotonic() - self._used > _IDLE_SECONDS:
            # the server closes connections that are not used
            self.close()
            self._connect()
        self._used = time.monotonic()
        began = time.perf_counter()
        self._connection.send(message, 0)
        while (answer := self._connection.take()) is None:
            pass
        return (time.perf_counter() - began) * 1e3, answer

    def message(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        owned = msgspec.json.encode({"owner": {"email": EMAIL}, **body}) if body is not None else b""
        if body is None:
            path += f"{'&' if '?' in path else '?'}email={quote(EMAIL)}"
        return request(path, owned, self._key, method)

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[float, Any]:
        """Return the milliseconds of a call, and its answer."""
        milliseconds, answer = self.send(self.message(method, path, body))
        return milliseconds, msgspec.json.decode(answer)

    def close(self) -> None:
        self._connection.socket.close()


class CalledTable:
    """Table of a caller."""

    def __init__(self, caller: Caller, kind: str, id: str) -> None:
        self.caller = caller
        self.kind = kind
        self.id = id
        self.path = f"/v3/{kind}/tables/{id}"

    def add_columns(self) -> None:
        """Add columns of the catalog, in its order, until there are `COLUMNS`."""
        given = self.status()["columns"]
        _, catalog = self.caller.call("GET", f"/v3/{self.kind}/tables/columns")
        known = {column["key"] for column in given}
        keys = [entry["columnKey"] for entry in catalog["data"] if entry["columnKey"] not in known]
        keys = keys[: COLUMNS - len(given)]
        for start in range(0, len(keys), _MOST_COLUMNS):
            chosen = [{"columnKey": key} for key in keys[start : start + _MOST_COLUMNS]]
            self.caller.call("POST", f"{self.path}/columns", {"columns": chosen})

    def add(self, ids: Sequence[str]) -> list[float]:
        """Add rows and return the milliseconds of each call."""
        return [
            self.caller.call("POST", f"{self.path}/entities", {"entityIds": part})[0] for part in _parts(ids)
        ]

    def remove(self, ids: Sequence[str]) -> list[float]:
        """Remove rows and return the milliseconds of each call."""
        return [
            self.caller.call("DELETE", f"{self.path}/entities", {"entityIds": part})[0]
            for part in _parts(ids)
        ]

    def run_columns(self) -> list[str]:
        """Return the ids of columns that can be run: those that are not filled with their rows."""
        return [column["columnId"] for column in self.status()["columns"] if not column["isDefault"]]

    def start(self, column: str) -> float:
        """Begin a run over all rows and return the milliseconds until it was accepted."""
        return self.caller.call("POST", f"{self.path}/columns/{column}/run", {"runScope": "all"})[0]

    def status(self) -> Any:
        return self.caller.call("GET", self.path)[1]["data"]

    def wait(self, pause: float = _POLL_SECONDS) -> list[float]:
        """Wait until no run is open; return the milliseconds of each look at the status."""
        waits, until = [], time.monotonic() + _RUN_SECONDS
        while True:
            milliseconds, answer = self.caller.call("GET", self.path)
            waits.append(milliseconds)
            if not answer["data"]["isProcessing"]:
                return waits
            if time.monotonic() > until:
                raise RuntimeError(f"The runs of {self.kind} do not end")
            time.sleep(pause)

    def check_filled(self, rows: int) -> None:
        """Raise unless each column has been run over all rows, without a failure."""
        for column in self.status()["columns"]:
            if column["rowsSuccess"] + column["rowsNoData"] != rows:
                raise RuntimeError(f"A column of {self.kind} is not filled: {column}")

    def read(self, page: int, size: int, times: int) -> tuple[list[float], int]:
        """Read a page several times; return the milliseconds, and the bytes of the answer."""
        message = self.caller.message("GET", f"{self.path}/entities?page={page}&size={size}")
        read = [self.caller.send(message) for _ in range(times)]
        rows = msgspec.json.decode(read[-1][1])["data"]
        if len(rows) != size or len(rows[0]["columns"]) != COLUMNS:
            raise RuntimeError(f"Page {page} of {self.kind} has {len(rows)} rows")
        return [one for one, _ in read], len(read[-1][1])

    def delete(self) -> float:
        """Delete the table and return the milliseconds until the answer."""
        return self.caller.call("DELETE", self.path)[0]


def make_table(caller: Caller, kind: str, name: str) -> CalledTable:
    """Make a table without rows, and with default columns alone."""
    _, made = caller.call("POST", f"/v3/{kind}/tables", {"name": f"{name} {time.time_ns()}"})
    return CalledTable(caller, kind, made["data"]["tableId"])


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + MOST_IDS] for start in range(0, len(ids), MOST_IDS))
