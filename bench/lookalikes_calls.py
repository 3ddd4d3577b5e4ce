"""Lookalike calls over HTTP: their bodies, their waits, and how soon they show a changed record."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.request import urlopen

import msgspec
import psutil

from bench.client import Connection, request
from bench.draws import Row
from bench.latencies import part
from bench.lookalikes_report import Busy, Waits
from bench.servers import INDEX_SECONDS, Server, free_port, serving
from bench.sites import CREDITS
from bench.workspace import PLAN, SUCCEEDED, Workspace, environment
from firmograph.database.connection import Database
from firmograph.directory.identity import Digests
from firmograph.directory.store import company_numbers
from firmograph.indexing.store import head
from firmograph.security.keyring import load_keyring
from firmograph.security.record_ids import Entity, RecordIds

PATH = "/v3/companies/lookalike"
SEEDS, EXCLUDED = 100, 500
WARM = 20
_APPEARS = 60.0
"""Seconds until a process that builds must have begun, or a changed record been found."""
_CHANGE_OVER = 10.0
"""Seconds after a build in which calls still count, as the server loads its result."""
_PAUSE = 0.02
"""Seconds between calls that wait for a change, so that its import gets its turn to write."""
_SOURCE = "default"
_OWN = ("sourceId", "name", "domain", "linkedinUrl", "updateDate")
"""What a company keeps when it gets the traits of another."""


@contextmanager
def serve(
    space: Workspace, parts: Sequence[str], places: set[int] | None = None, **settings: str
) -> Iterator[Server]:
    """Run a server until the block ends, once the indexes behind these parts of its health are ready."""
    port = free_port()
    command, log = space.command("serve", "--port", str(port)), space.folder / "serve.log"
    with serving("firmograph", command, port, log, places, settings) as server:
        until = time.monotonic() + INDEX_SECONDS
        while any(_health(server)[one]["state"] != "ready" for one in parts):
            if time.monotonic() > until:
                raise RuntimeError(f"The indexes of {server.name} are not ready")
            time.sleep(0.1)
        yield server


def _health(server: Server) -> dict[str, Any]:
    with urlopen(f"http://127.0.0.1:{server.port}/health", timeout=30) as answer:
        found: dict[str, Any] = msgspec.json.decode(answer.read())
        return found


def make_key(space: Workspace) -> str:
    """Make an account with credits and return its key."""
    name = f"bench-{time.time_ns()}"
    space.run("account", "create", name, "--plan", PLAN, "--credits", str(CREDITS))
    key: str = space.run("key", "create", "--account", name)["apiKey"]
    return key


def waits(title: str, server: Server, requests: Sequence[bytes], check: Callable[[bytes], object]) -> Waits:
    """Send requests one after another, after a warm-up, and check each answer."""
    connection = Connection(server.port)
    connection.socket.setblocking(True)
    for one in requests[:WARM]:
        _send(connection, one)
    milliseconds = []
    for one in requests:
        began = time.perf_counter()
        answer = _send(connection, one)
        milliseconds.append((time.perf_counter() - began) * 1e3)
        check(answer)
    connection.socket.close()
    return _waits(title, milliseconds)


def _send(connection: Connection, one: bytes) -> bytes:
    connection.send(one, 0)
    while (answer := connection.take()) is None:
        pass
    return answer


def _waits(title: str, milliseconds: Sequence[float]) -> Waits:
    ordered = sorted(milliseconds)
    return Waits(title, len(ordered), part(ordered, 0.5), part(ordered, 0.99))


class Records:
    """Numbers and ids of generated companies."""

    def __init__(self, space: Workspace) -> None:
        keyring = load_keyring(Path(f"{space.database}.keys"))
        if keyring is None:
            raise RuntimeError("The database has no key file")
        self._digests, self._ids = Digests(keyring), RecordIds(keyring)
        self.database = Database(space.url)

    def numbers(self, rows: Sequence[Row]) -> list[int]:
        """Return the record of each row."""
        keys = [self._digests.company_source(_SOURCE, row["sourceId"]) for row in rows]
        found = company_numbers(self.database.session(), keys)
        return [found[key][0] for key in keys]

    def id(self, number: int) -> str:
        return self._ids.seal(Entity.COMPANY, number)


class Calls:
    """Calls with mixed identifiers of generated companies."""

    def __init__(self, records: Records, groups: Sequence[Sequence[Row]], key: str) -> None:
        self._records = records
        self._groups = groups
        self._key = key

    def mixed(self, limit: int, repeats: int) -> list[bytes]:
        """Return a request for each list: 100 seeds, and 500 exclusions of which half resemble them."""
        made = []
        for turn in range(repeats):
            for place, group in enumerate(self._groups):
                rng = Random(f"mixed {turn} {place}")
                own = rng.sample(list(group), len(group))
                others = [
                    row for other in rng.sample(self._groups, min(8, len(self._groups))) for row in other
                ]
                seeds, near = own[:SEEDS], own[SEEDS : SEEDS + EXCLUDED // 2]
                rest = rng.sample([row for row in others if row not in own], EXCLUDED - len(near))
                body = {"seeds": self._identifiers(seeds), "exclude": self._identifiers([*near, *rest])}
                made.append(self._request(body | {"limit": limit}))
        return made

    def alike(self, group: Sequence[Row], session: str | None = None) -> bytes:
        """Return a request for the most results like five companies."""
        body: dict[str, Any] = {"seeds": self._identifiers(group[:5]), "limit": 100}
        return self._request(body | ({"dedupeSessionId": session} if session else {}))

    def _identifiers(self, rows: Sequence[Row]) -> dict[str, list[str]]:
        """Return a third of the companies by id, domain and LinkedIn page each."""
        numbers = self._records.numbers(rows[::3])
        return {
            "ids": [self._records.id(number) for number in numbers],
            "domains": [row["domain"] for row in rows[1::3]],
            "linkedinUrls": [row["linkedinUrl"] for row in rows[2::3]],
        }

    def _request(self, body: dict[str, Any]) -> bytes:
        return request(PATH, msgspec.json.encode(body), self._key)

    def in_session(self, server: Server, group: Sequence[Row], calls: int) -> Waits:
        """Call again and again in one session. Raises if a result comes twice."""
        connection, milliseconds, seen, session = Connection(server.port), list[float](), set[str](), None
        connection.socket.setblocking(True)
        for _ in range(calls):
            one = self.alike(group, session)
            began = time.perf_counter()
            answer = msgspec.json.decode(_send(connection, one))
            milliseconds.append((time.perf_counter() - began) * 1e3)
            session, results = answer["dedupeSessionId"], {each["id"] for each in answer["results"]}
            if seen & results:
                raise RuntimeError("A session gave a result twice")
            seen |= results
            if not answer["meta"]["hasMore"]:
                break
        connection.socket.close()
        return _waits(f"5 seeds, session growing to {len(seen):,}, limit 100", milliseconds)

    # --- changes ---

    def seconds_to_find(self, space: Workspace, server: Server, times: int) -> list[float]:
        """Change a company so that it resembles five others, and again; return the seconds from commit to result."""
        *seeds, company = rows = self._groups[-1][-6:]
        # among a million companies only one that has the same traits is certain to be a result
        traits = {name: value for name, value in self._groups[0][0].items() if name not in _OWN}
        alike = [traits | {name: row[name] for name in _OWN[:-1]} for row in rows]
        original = [{name: value for name, value in row.items() if name != "updateDate"} for row in rows]
        with self._importing(space, original):
            pass
        with self._importing(space, alike[:5]):
            pass
        id, one = self._records.id(self._records.numbers([company])[0]), self.alike(seeds)
        found = [self._find_changed(space, server, alike[5], id, one, original[5]) for _ in range(times)]
        with self._importing(space, original):
            pass
        return found

    def _find_changed(
        self, space: Workspace, server: Server, changed: Row, id: str, one: bytes, original: Row
    ) -> float:
        connection = Connection(server.port)
        connection.socket.setblocking(True)

        def shows() -> bool:
            return any(each["id"] == id for each in msgspec.json.decode(_send(connection, one))["results"])

        if shows():
            raise RuntimeError("The company to be changed is a result before")
        with self._importing(space, [changed]) as committed:
            until = time.monotonic() + _APPEARS
            while not shows():
                if time.monotonic() > until:
                    raise RuntimeError("A changed company was not found")
                time.sleep(_PAUSE)
            found = time.monotonic()
        with self._importing(space, [original]):
            while shows():
                pass
        connection.socket.close()
        return max(0.0, found - committed[0])

    @contextmanager
    def _importing(self, space: Workspace, rows: Sequence[Row]) -> Iterator[list[float]]:
        """Import rows in another process; the yielded list has the moment of the commit once the block has ended."""
        path, committed, database = space.folder / "changed.jsonl", list[float](), self._records.database
        # a version that was imported before would count as unchanged
        version = {"linkedinFollowers": time.time_ns() // 1_000_000 % 1_000_000_000}
        path.write_bytes(msgspec.json.Encoder().encode_lines([row | version for row in rows]))
        before, done = head(database.session()), threading.Event()

        def watch() -> None:
            while not done.wait(0.001):
                if head(database.session()) > before:
                    committed.append(time.monotonic())
                    return

        watching = threading.Thread(target=watch)
        watching.start()
        command = space.command("import", "companies", str(path), "--json")
        with subprocess.Popen(
            command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            try:
                yield committed
                if process.wait(_APPEARS) not in SUCCEEDED:
                    raise RuntimeError("The import of a changed company failed")
            finally:
                process.kill()
                done.set()
                watching.join()


def _is_worker(process: psutil.Process) -> bool:
    """Return whether this is a worker process, not one that the standard library keeps for itself."""
    with suppress(psutil.NoSuchProcess):
        return any("spawn_main" in argument for argument in process.cmdline())
    return False


def during_build(server: Server, requests: Sequence[bytes], start: Callable[[], object]) -> Busy:
    """Measure calls before a build of the index and during it; `start` makes the server build."""
    connection = Connection(server.port)
    connection.socket.setblocking(True)
    process = psutil.Process(server.pid)

    def building() -> bool:
        return any(_is_worker(child) for child in process.children(recursive=True))

    def send(place: int) -> float:
        began = time.perf_counter()
        _send(connection, requests[place % len(requests)])
        return (time.perf_counter() - began) * 1e3

    for place in range(WARM):
        send(place)
    before = [send(place) for place in range(max(300, len(requests)))]
    start()
    until = time.monotonic() + _APPEARS
    while not building():
        if time.monotonic() > until:
            raise RuntimeError("The server did not begin to build its index")
        time.sleep(0.01)
    began, during = time.monotonic(), list[float]()
    ended = began
    # then the server loads what was built, and changes over
    while time.monotonic() < ended + _CHANGE_OVER:
        during.append(send(len(during)))
        # asking the system takes longer than a call
        if len(during) % 20 == 0 and building():
            ended = time.monotonic()
    seconds = ended - began
    connection.socket.close()
    return Busy(_waits("before", before), _waits("during", during), seconds)
