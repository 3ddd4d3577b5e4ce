"""Conversations of one account: import to `ready`, size in the database, and searches over HTTP.

The conversations are made up: an hour of talk each, with words as frequent as in speech, so that blocks have the sizes
of real ones. Every search has words that no other one has together, and one caller sends them.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from bench.client import load, request
from bench.servers import cores, free_port, on_core, serving
from bench.serving import CREDITS
from bench.tables import Table, verdict
from bench.workspace import PLAN, Workspace
from firmograph.database.connection import Database

HOURS, QUICK_HOURS = 10_000, 200
_PATH: Final = "/v3/account/conversations/search"
_SECONDS, _QUICK_SECONDS = 20.0, 3.0
_WORDS: Final = 30_000
_RANK: Final = 5
"""Words are as frequent as 1 / (rank + 5)."""
_PACE: Final = 2.5
"""Words a second."""
IMPORT_AIM: Final = 100.0
"""Conversations a second."""
SEARCH_AIMS: Final = (10.0, 40.0)
"""Milliseconds, p50 and p99."""


class Searches(msgspec.Struct):
    """Waits of one kind of searches, in milliseconds."""

    title: str
    p50: float
    p99: float


class ConversationsReport(msgspec.Struct):
    hours: int
    per_second: float
    """Conversations imported a second."""
    bytes: float
    """Bytes of the database for each hour."""
    searches: list[Searches]

    @property
    def size(self) -> str:
        return f"{self.hours:,} hours of made-up talk"


def measure(quick: bool, notify: Callable[[str], object]) -> ConversationsReport:
    """Import conversations, and search them."""
    hours = QUICK_HOURS if quick else HOURS
    random = Random(20261128)
    words = _make_words(random)
    with TemporaryDirectory(prefix="firmograph-conversations-") as folder:
        workspace = Workspace(1, Path(folder))
        workspace.run("account", "create", "bench", "--plan", PLAN, "--credits", str(CREDITS))
        key = workspace.run("key", "create", "--account", "bench")["apiKey"]
        file = workspace.folder / "conversations.jsonl"
        notify("making conversations")
        with file.open("wb") as out:
            out.writelines(_conversations(random, words, hours))
        empty = Database(workspace.url).size()
        notify("importing")
        began = time.perf_counter()
        workspace.run("import", "conversations", "--account", "bench", str(file))
        seconds = time.perf_counter() - began
        size = (Database(workspace.url).size() - empty) / hours
        port = free_port()
        command = workspace.command("serve", "--no-worker", "--port", str(port))
        with (
            on_core(cores()[1]),
            serving("firmograph", command, port, workspace.folder / "serve.log") as server,
        ):
            notify("searching")
            searches = [
                _search(title, server.port, bodies, key, quick=quick)
                for title, bodies in _searches(random, words).items()
            ]
        return ConversationsReport(hours, hours / seconds, size, searches)


def conversations_tables(report: ConversationsReport) -> list[Table]:
    """Return the tables of the figures."""
    imported = (
        f"{report.hours:,}",
        f"{report.per_second:,.1f}",
        f"{IMPORT_AIM:g}",
        verdict((-report.per_second, -IMPORT_AIM)),
        f"{report.bytes:,.0f}",
    )
    p50, p99 = SEARCH_AIMS
    rows = [
        (one.title, f"{one.p50:.1f} ms", f"{one.p99:.1f} ms", verdict((one.p50, p50), (one.p99, p99)))
        for one in report.searches
    ]
    return [
        Table(
            "Import of conversations",
            ("hours of talk", "conversations a second", "aim", "", "bytes for each hour"),
            [imported],
        ),
        Table(
            "Search of conversations",
            ("search, 25 results", "p50", "p99", f"aim: {p50:g} and {p99:g} ms"),
            rows,
        ),
    ]


def _make_words(random: Random) -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(random.choices(letters, k=random.randint(2, 10))) for _ in range(_WORDS)]


def _conversations(random: Random, words: Sequence[str], hours: int) -> Iterator[bytes]:
    weights = list(accumulate(1 / (rank + _RANK) for rank in range(len(words))))
    for number in range(hours):
        segments, at = [], 0.0
        while at < 3_600:
            count = random.randint(5, 60)
            said = " ".join(random.choices(words, cum_weights=weights, k=count)).capitalize()
            end = at + count / _PACE
            segments.append(
                {
                    "speaker": f"Speaker {random.randint(1, 4)}",
                    "text": said,
                    "startSeconds": at,
                    "endSeconds": end,
                }
            )
            at = end
        yield (
            msgspec.json.encode(
                {
                    "sourceId": str(number),
                    "title": f"Call {number}",
                    "startedAt": f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00Z",
                    "segments": segments,
                }
            )
            + b"\n"
        )


def _searches(random: Random, words: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return bodies by the title of their kind."""
    common, rare = words[:200], words[2_000:20_000]
    return {
        "three words, one of them common": [
            {"query": " ".join((random.choice(common), *random.sample(rare, 2)))} for _ in range(500)
        ],
        "three common words": [{"query": " ".join(random.sample(common, 3))} for _ in range(500)],
        "a month, no query": [
            {"dateFrom": f"2026-{month:02}-01", "dateTo": f"2026-{month:02}-28"} for month in range(1, 13)
        ],
    }


def _search(title: str, port: int, bodies: Sequence[dict[str, Any]], key: str, *, quick: bool) -> Searches:
    requests = [request(_PATH, msgspec.json.encode(body), key) for body in bodies]
    waits = sorted(load([port], requests, _QUICK_SECONDS if quick else _SECONDS, callers=1).waits)
    return Searches(title, waits[len(waits) // 2] * 1e3, waits[len(waits) * 99 // 100] * 1e3)
