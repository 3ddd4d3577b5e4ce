"""The search engine of the service alone: each task in a process of its own, for exact memory figures.

    python -m bench.ours TASK DATABASE

prints one line of JSON. A task that changes the database is given a copy.
"""

import argparse
import gc
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import psutil

from bench.shapes import SHAPES
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers
from firmograph.indexing import checkpoint_file, store
from firmograph.indexing.catch_up import catch_up
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.prospecting.engines.memory.checkpoint import load_engine
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.filters import requests as shapes
from firmograph.prospecting.filters.compiler import contact_query

REPEATS = 40
WARM = 5
CAP = 3
"""Contacts of one company in the capped first pages."""

_FIELDS_OF_SHAPES = {
    *(f"contacts/{field}" for field in ("country", "place", "seniority", "department", "title", "has")),
    *(
        f"{side}/{field}"
        for side in ("carried", "companies")
        for field in ("size", "main_industry", "technology")
    ),
}


class Task:
    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.checkpoints = Checkpoints(MEMORY_SEARCH, self.database)

    def rebuild(self) -> dict[str, Any]:
        """Build the index from the records and save it."""
        prepare(self.database)
        self.checkpoints.path.unlink(missing_ok=True)
        steps: dict[str, int] = {}

        def report(done: int, total: int) -> None:
            if done * 100 // total > steps.get("percent", -1):
                steps["percent"] = done * 100 // total
                print(f"rebuild {steps['percent']} %", file=sys.stderr, flush=True)

        began = time.perf_counter()
        self.checkpoints.renew(force_rebuild=True, report=report)
        seconds, size = time.perf_counter() - began, self.checkpoints.path.stat().st_size
        return {"seconds": seconds, "bytes": size, "format": MEMORY_SEARCH.format}

    def restart(self) -> dict[str, Any]:
        """Load the index as a start does, then run the shapes."""
        before, began = resident(), time.perf_counter()
        engine = self._loaded()
        seconds = time.perf_counter() - began
        answers = [engine.search(query) for query in queries()]
        memory = resident() - before
        return {
            "seconds": seconds,
            "memory": memory,
            "bytes": self.checkpoints.path.stat().st_size,
            "answers": [(found.total, found.numbers) for found in answers],
            "times": timed(engine, queries()),
            "capped": timed(engine, queries(CAP)),
        }

    def fields(self) -> dict[str, Any]:
        """Load only the fields of the shapes."""
        identity = store.identity(self.database.session())
        before = resident()
        engine = checkpoint_file.read(
            self.checkpoints.path,
            MEMORY_SEARCH.format,
            identity,
            lambda file: load_engine(file, _FIELDS_OF_SHAPES.__contains__),
        )
        answers = [engine.search(query) for query in queries()]
        return {
            "memory": resident() - before,
            "answers": [(found.total, found.numbers) for found in answers],
        }

    def churn(self) -> dict[str, Any]:
        """Apply the pending changes of the database while searches run in turn."""
        engine, shape_queries, waits = self._loaded(), queries(), list[float]()
        timed(engine, shape_queries)
        before, head = engine.applied, store.head(self.database.session())
        follower = threading.Thread(target=catch_up, args=(MEMORY_SEARCH, engine, self.database, head))
        began = time.perf_counter()
        follower.start()
        while follower.is_alive():
            for query in shape_queries:
                start = time.perf_counter()
                engine.search(query)
                waits.append((time.perf_counter() - start) * 1e3)
        seconds = time.perf_counter() - began
        waits.sort()
        return {
            "changes": head - before,
            "seconds": seconds,
            "queries": len(waits),
            "p50": waits[len(waits) // 2],
            "p99": waits[len(waits) * 99 // 100],
            "worst": waits[-1],
        }

    def follow(self) -> dict[str, Any]:
        """Apply all pending changes of the database, then run the shapes; the checkpoint is not changed."""
        engine = self._loaded()
        before, head = engine.applied, store.head(self.database.session())
        began = time.perf_counter()
        catch_up(MEMORY_SEARCH, engine, self.database, head)
        return {
            "changes": head - before,
            "seconds": time.perf_counter() - began,
            "times": timed(engine, queries()),
            "answers": [(found.total, found.numbers) for found in map(engine.search, queries())],
        }

    def _loaded(self) -> MemoryEngine:
        engine = self.checkpoints.load()
        if engine is None:
            raise RuntimeError("The checkpoint cannot be used")
        return engine


class _Nobody:
    """A resolver for shapes, which name no record."""

    def contacts(self, given: ContactIdentifiers) -> frozenset[int]:
        return frozenset()

    def companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        return frozenset()

    def postcode_centre(self, postcode: str) -> None:
        return None


def queries(cap: int | None = None) -> list[Query]:
    """Return the shapes as the service translates their bodies."""
    found = []
    for shape in SHAPES:
        body = shape.body() | ({"options": {"maxContactsPerCompany": cap}} if cap else {})
        request = msgspec.convert(body, shapes.ContactProspecting)
        found.append(contact_query(request, _Nobody(), date(2026, 11, 1)))
    return found


def timed(engine: MemoryEngine, some_queries: Sequence[Query]) -> list[float]:
    """Return the median of each, in milliseconds."""
    return [median_ms(lambda query=query: engine.search(query)) for query in some_queries]  # type: ignore[misc]


def median_ms(run: Callable[[], object], repeats: int = REPEATS) -> float:
    milliseconds = []
    for _ in range(WARM + repeats):
        began = time.perf_counter()
        run()
        milliseconds.append((time.perf_counter() - began) * 1e3)
    return median(milliseconds[WARM:])


def resident() -> int:
    gc.collect()
    return int(psutil.Process().memory_info().rss)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=("rebuild", "restart", "fields", "churn", "follow"))
    parser.add_argument("database", type=Path)
    options = parser.parse_args()
    # imported before memory is measured
    queries()
    task = Task(f"sqlite:///{options.database.resolve()}")
    print(msgspec.json.encode(getattr(task, options.task)()).decode())


if __name__ == "__main__":
    main()
