"""A search engine behind a socket: a server over an engine of this process, and the client that the service asks."""

import pickle
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.removed_records import NONE_REMOVED, RemovedRecords
from firmograph.kit.errors import SearchUnavailable
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.prospecting.engines.port import SearchEngine, Suggestion
from firmograph.prospecting.engines.query import EmployeeCriterion, Employees, Query, SearchResult
from firmograph.security.record_ids import Entity


class EngineServer:
    """Answers one request a connection. It can be made slow, ended, and started again on the same port."""

    def __init__(self, engine: SearchEngine) -> None:
        self.engine = engine
        self.asked = threading.Event()
        """Set by each request."""
        self.prompt = threading.Event()
        """Requests wait while it is not set."""
        self.prompt.set()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._begin()

    def start(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._begin()

    def stop(self) -> None:
        """Close the port, and the connections whose requests wait."""
        for one in (self._listener, *self._open):
            _shut(one)
        self._thread.join()
        self.prompt.set()

    def _begin(self) -> None:
        self._open = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, ValueError), connection.makefile("rwb") as stream:
            name, arguments = pickle.load(stream)
            self.asked.set()
            self.prompt.wait()
            found = getattr(self.engine, name)(*arguments)
            with suppress(OSError, ValueError):
                pickle.dump((self.engine.applied, list(found) if name == "matches" else found), stream)
                stream.flush()


def _shut(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()


class RemoteEngine:
    """Client of an engine server, with a time limit for each call."""

    def __init__(self, port: int, seconds: float, applied: int) -> None:
        self.applied = applied
        self._port = port
        self._seconds = seconds

    def search(self, query: Query, removed: RemovedRecords = NONE_REMOVED) -> SearchResult:
        return self._ask("search", query, removed)

    def search_many(
        self, queries: Sequence[Query], removed: RemovedRecords = NONE_REMOVED
    ) -> list[SearchResult]:
        return self._ask("search_many", list(queries), removed)

    def matches(self, query: Query, removed: RemovedRecords = NONE_REMOVED) -> Iterator[list[int]]:
        return iter(self._ask("matches", query, removed))

    def employees(
        self,
        companies: Sequence[int],
        criteria: Sequence[EmployeeCriterion],
        removed: RemovedRecords = NONE_REMOVED,
    ) -> Employees:
        return self._ask("employees", list(companies), list(criteria), removed)

    def facet_counts(
        self, entity: Entity, field: str, removed: RemovedRecords = NONE_REMOVED
    ) -> dict[str, int]:
        return self._ask("facet_counts", entity, field, removed)

    def suggest(
        self, entity: Entity, field: str, text: str, limit: int, removed: RemovedRecords = NONE_REMOVED
    ) -> list[Suggestion]:
        return self._ask("suggest", entity, field, text, limit, removed)

    def postcode_centre(
        self, postcode: str, removed: RemovedRecords = NONE_REMOVED
    ) -> tuple[float, float] | None:
        return self._ask("postcode_centre", postcode, removed)

    def _ask(self, name: str, *arguments: Any) -> Any:
        try:
            with (
                socket.create_connection(("127.0.0.1", self._port), timeout=self._seconds) as connection,
                connection.makefile("rwb") as stream,
            ):
                pickle.dump((name, arguments), stream)
                stream.flush()
                self.applied, found = pickle.load(stream)
                return found
        except (OSError, EOFError) as error:
            raise SearchUnavailable from error


class RemoteFactory:
    """Factory of engines over one server; another process keeps its index up to date."""

    def __init__(self, server: EngineServer, seconds: Callable[[], float]) -> None:
        self._server = server
        self._seconds = seconds

    def serve(self, *installation: Any) -> ServedSearch:
        active: ActiveIndex[Any] = ActiveIndex()
        active.serve(RemoteEngine(self._server.port, self._seconds(), self._server.engine.applied))
        return ServedSearch(active, [])
