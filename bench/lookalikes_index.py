"""The similarity index alone: each task in a process of its own, for exact memory figures.

    python -m bench.lookalikes_index TASK DATABASE [SEEDS]

prints one line of JSON. SEEDS is a JSON file of groups of record numbers; `bench.lookalikes` writes it.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import psutil

from bench.lookalikes_report import EXCLUDED, FIRST, LIMIT, NEAR, Building, Latency, Recall, Restart
from bench.ours import resident
from bench.servers import cores, on_core
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.kit.clock import SystemClock
from firmograph.lookalikes.index.index_kind import SIMILARITY
from firmograph.lookalikes.index.seed_queries import fold_queries, queries_of_seeds
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.training import learn_next, put_in_force
from firmograph.security.record_ids import Entity

Numbers = npt.NDArray[np.int64]

SESSIONS = (0, 1_000, 20_000)
"""Results that a session has had already."""
REPEATS = 4


class Task:
    def __init__(self, url: str, seeds: Path | None) -> None:
        self.database = Database(url)
        self.checkpoints = Checkpoints(SIMILARITY, self.database)
        self.groups: list[list[int]] = msgspec.json.decode(seeds.read_bytes()) if seeds else []

    def learn(self) -> Building:
        """Learn a model and put it in force."""
        prepare(self.database)
        began, used = time.perf_counter(), time.process_time()
        put_in_force(self.database, SystemClock(), learn_next(self.database))
        return _building(began, used)

    def build(self) -> Building:
        """Build the index from all records and write its checkpoint."""
        began, used = time.perf_counter(), time.process_time()
        self.checkpoints.renew(force_rebuild=True)
        return _building(began, used)

    def restart(self) -> Restart:
        """Load the index as a start does, then ask it."""
        before, began = resident(), time.perf_counter()
        index = self._loaded()
        seconds = time.perf_counter() - began
        for group in self.groups:
            index.similar(Entity.COMPANY, group, (), LIMIT)
        memory, records = resident() - before, index.companies.lists.count + index.contacts.lists.count
        return Restart(seconds, memory, records, self.checkpoints.path.stat().st_size)

    def recall(self) -> list[Recall]:
        """Compare first results with those of an exact search over the same codes."""
        index = self._loaded()
        exact = _Exact(index)
        made = []
        every = [number for group in self.groups for number in group]
        for size, title in ((5, "5 of one kind"), (100, "100 of one kind"), (100, "100 drawn at random")):
            shares: dict[int, list[float]] = {session: [] for session in SESSIONS}
            for place, group in enumerate(self.groups):
                rng = Random(f"recall {title} {place}")
                seeds = rng.sample(every if "random" in title else group, min(size, len(group)))
                ranked = exact.ranked(seeds, max(SESSIONS) + NEAR + FIRST)
                for session in SESSIONS:
                    if session >= exact.count // 4:
                        continue
                    excluded = _excluded(ranked, session, exact.count, rng)
                    right = ranked[~np.isin(ranked, excluded)][:FIRST].tolist()
                    found = index.similar(Entity.COMPANY, seeds, excluded, FIRST + 1)[:FIRST]
                    shares[session].append(len({one.number for one in found} & set(right)) / len(right))
            made += [
                Recall(title, session, sum(values) / len(values), min(values), len(values))
                for session, values in shares.items()
                if values
            ]
        return made

    def latency(self) -> list[Latency]:
        """Ask the index on one core."""
        index = self._loaded()
        exact = _Exact(index)
        calls: dict[tuple[int, int], list[tuple[Numbers, Numbers]]] = {}
        for size in (5, 100):
            for place, group in enumerate(self.groups):
                rng = Random(f"latency {size} {place}")
                seeds = rng.sample(group, min(size, len(group)))
                ranked = exact.ranked(seeds, max(SESSIONS) + NEAR)
                for session in SESSIONS[1:]:
                    if session < exact.count // 4:
                        excluded = _excluded(ranked, session, exact.count, rng)
                        calls.setdefault((size, session), []).append((np.array(seeds), excluded))
        del exact
        with on_core(cores()[0]):
            return [_latency(index, size, session, asked) for (size, session), asked in calls.items()]

    def _loaded(self) -> SimilarityIndex:
        index = self.checkpoints.load()
        if index is None:
            raise RuntimeError("The checkpoint cannot be used")
        return index


class _Exact:
    """A plain search over all codes of companies."""

    def __init__(self, index: SimilarityIndex) -> None:
        content = index.companies.content()
        self._index = index.companies
        self._numbers = content.numbers.astype(np.int64)
        self._codes = content.codes.astype(np.float32)
        self._ties = content.ties
        self._listed = content.listed
        self.count = len(self._numbers)

    def ranked(self, seeds: Sequence[int], limit: int) -> Numbers:
        """Return the first records in the order of results, without the seeds."""
        given = np.unique(np.array(seeds, dtype=np.int64))
        vectors = self._index.space.decode(self._index.lists.codes(given))
        queries, _ = fold_queries(queries_of_seeds(vectors), self._index.space)
        scores = (self._codes @ queries.T).max(axis=1)
        scores[~self._listed | np.isin(self._numbers, given)] = 0.0
        rows = np.flatnonzero(scores > 0)
        if len(rows) > limit:
            least = np.partition(scores, len(scores) - limit)[-limit]
            rows = np.flatnonzero(scores >= max(least, 1.0))
        order = np.lexsort((self._numbers[rows], self._ties[rows], -scores[rows]))
        ranked: Numbers = self._numbers[rows[order]][:limit]
        return ranked


def _excluded(ranked: Numbers, session: int, count: int, rng: Random) -> Numbers:
    """Return the results of a session so far, and exclusions."""
    near = ranked[session : session + NEAR].tolist()
    excluded = rng.sample(near, min(EXCLUDED // 2, len(near) // 2))
    excluded += rng.sample(range(1, count + 1), EXCLUDED - len(excluded))
    return np.unique(np.concatenate((ranked[:session], np.array(excluded, dtype=np.int64))))


def _latency(
    index: SimilarityIndex, size: int, session: int, calls: Sequence[tuple[Numbers, Numbers]]
) -> Latency:
    milliseconds, results = [], 0
    for turn in range(1 + REPEATS):
        for seeds, excluded in calls:
            began = time.perf_counter()
            found = index.similar(Entity.COMPANY, seeds, excluded, LIMIT)
            # the first turn warms up
            if turn:
                milliseconds.append((time.perf_counter() - began) * 1e3)
                results += len(found)
    milliseconds.sort()
    return Latency(
        size,
        EXCLUDED,
        session,
        len(milliseconds),
        milliseconds[len(milliseconds) // 2],
        milliseconds[len(milliseconds) * 99 // 100],
        results / len(milliseconds),
    )


def _building(began: float, used: float) -> Building:
    children = psutil.Process().cpu_times()
    cpu = time.process_time() - used + children.children_user + children.children_system
    return Building(time.perf_counter() - began, cpu)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=("learn", "build", "restart", "recall", "latency"))
    parser.add_argument("database", type=Path)
    parser.add_argument("seeds", type=Path, nargs="?")
    options = parser.parse_args()
    task = Task(f"sqlite:///{options.database.resolve()}", options.seeds)
    made: Any = getattr(task, options.task)()
    print(msgspec.json.encode(made).decode())


if __name__ == "__main__":
    main()
