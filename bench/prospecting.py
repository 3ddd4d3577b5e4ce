"""Prospecting: seven query shapes at three sizes, compared with other engines; changes; memory.

The service's engine runs in processes of its own (`bench.ours`), the others in this one or in theirs. All must give
the same totals and the same first pages, else there are no figures. Loaded and built data is kept for later runs.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import msgspec

from bench.changes import write_changes
from bench.client import request, timed
from bench.engines import ENGINES
from bench.engines.engine import Answer
from bench.extract import extract
from bench.imports import database_bytes
from bench.ours import CAP, WARM, median_ms
from bench.prospecting_report import (
    Changed,
    Churn,
    Http,
    Memory,
    ProspectingReport,
    ShapeFigures,
    Size,
    Variant,
)
from bench.servers import Server, cores, free_port, on_core, serving
from bench.serving import CREDITS
from bench.shapes import PATH, SHAPES
from bench.workspace import PLAN, Workspace, environment
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH

SMALL_CHANGES, LARGE_CHANGES = 10_000, 500_000
"""At most; a tenth of the contacts at smaller sizes."""

Reporter = Callable[[str, int, int], object]
"""Receives the step, its progress and its total; 0 of 0 if unknown."""


class Differs(RuntimeError):
    """An answer of an engine that differs from the others'."""


class Ours(msgspec.Struct):
    """The figures of a restart of the service's engine (`bench.ours`)."""

    seconds: float
    memory: int
    bytes: int
    answers: list[tuple[int, list[int]]]
    times: list[float]
    capped: list[float]


def measure(contacts: int, repeats: int, reuse: bool, report: Reporter) -> ProspectingReport:
    """Measure everything about prospecting at `contacts` and at a tenth and a fifth of it.

    `reuse` takes the last rebuild for this one's, if its checkpoint still fits.
    """
    spaces = [Workspace(count) for count in (contacts // 10, contacts // 5, contacts)]
    measured = [_engine_alone(space, reuse, report) for space in spaces]
    full, ours = spaces[-1], measured[-1][1]
    others = _others(full, ours, repeats, report)
    return ProspectingReport(
        contacts=contacts,
        companies=full.companies,
        repeats=repeats,
        shapes=[
            ShapeFigures(
                shape.name,
                shape.aim,
                shape.against,
                ours.answers[place][0],
                ours.times[place],
                {one.name: one.times[place] for one in others},
            )
            for place, shape in enumerate(SHAPES)
        ],
        sizes=[size for size, _ in measured],
        kept_bytes={one.name: one.bytes for one in others} | {"ours": ours.bytes},
        releases={one.name: one.release for one in others},
        capped=Variant(f"at most {CAP} a company", ours.capped),
        http=_over_http(spaces[1], measured[1][1], repeats, report),
        **_changes(full, report),
    )


def _engine_alone(space: Workspace, reuse: bool, report: Reporter) -> tuple[Size, Ours]:
    what = f"{space.contacts:,} contacts"
    _load(space, report)
    rebuilt = _rebuilt(space, reuse, lambda done: report(f"Rebuild of the index of {what}", done, 100))
    report(f"Restart with {what}", 0, 0)
    ours = msgspec.convert(_task(space.database, "restart"), Ours)
    fields_alone = _task(space.database, "fields")
    _same("Firmograph with some fields", fields_alone["answers"], ours.answers)
    size = Size(
        space.contacts,
        ours.times,
        Memory(fields_alone["memory"], ours.memory, {}),
        ours.bytes,
        ours.seconds,
        rebuilt,
    )
    return size, ours


def _load(space: Workspace, report: Reporter) -> None:
    done: dict[str, int] = {}

    def advance(entity: str, rows: int) -> None:
        done[entity] = done.get(entity, 0) + rows
        total = space.contacts if entity == "contacts" else space.companies
        report(f"Generating {total:,} {entity}", done[entity], total)

    space.generate(advance)
    if not space.holds_rows():
        report(f"Import of {space.contacts:,} contacts", 0, 0)
        space.load()


def _rebuilt(space: Workspace, reuse: bool, report: Callable[[int], object]) -> float:
    """Return the seconds of building the index from the records."""
    record, checkpoint = space.folder / "rebuilt.json", Path(f"{space.database}.search")
    if reuse and record.exists() and checkpoint.exists():
        last = msgspec.json.decode(record.read_bytes())
        if last["format"] == MEMORY_SEARCH.format and last["bytes"] == checkpoint.stat().st_size:
            return float(last["seconds"])
    made = _task(space.database, "rebuild", report)
    record.write_bytes(msgspec.json.encode(made))
    return float(made["seconds"])


class _Other(NamedTuple):
    name: str
    release: str
    bytes: int
    times: list[float]


def _others(space: Workspace, ours: Ours, repeats: int, report: Reporter) -> list[_Other]:
    """Return medians of each other engine by shape, and the size of each on disk."""
    done = 0

    def advance(rows: int) -> None:
        nonlocal done
        done += rows
        report("Reading the records for the other engines", done, space.contacts)

    rows = extract(space, advance)
    found = []
    for place, kind in enumerate(ENGINES):
        report(f"{kind.name}: loading, then the shapes", place, len(ENGINES))
        engine = kind(rows, space.folder)
        engine.open()
        try:
            searches = [engine.prepare(shape) for shape in SHAPES]
            _same(kind.name, [search() for search in searches], ours.answers)
            times = [median_ms(search, repeats) for search in searches]
            found.append(_Other(kind.name, engine.release(), engine.bytes(), times))
        finally:
            engine.close()
    return found


def _same(name: str, answers: Sequence[Any], expected: Sequence[Answer]) -> None:
    for shape, (total, page), (our_total, our_page) in zip(SHAPES, answers, expected, strict=True):
        if total != our_total or list(page) != list(our_page):
            raise Differs(
                f"{name}, {shape.name}: {total:,} and {page[:3]}, not {our_total:,} and {our_page[:3]}"
            )


# --- over HTTP ---


def _over_http(space: Workspace, ours: Ours, repeats: int, report: Reporter) -> Http:
    report(f"Over HTTP with {space.contacts:,} contacts", 0, 0)
    account = f"prospecting-{len(list(space.folder.iterdir()))}-{space.database.stat().st_mtime_ns}"
    space.run("account", "create", account, "--plan", PLAN, "--credits", str(CREDITS))
    key: str = space.run("key", "create", "--account", account)["apiKey"]
    with _served(space) as server, on_core(cores()[1]):
        times = []
        for shape, (total, _) in zip(SHAPES, ours.answers, strict=True):
            request_ = request(PATH, msgspec.json.encode(shape.body()), key)
            seconds, answer = timed(server.port, request_, WARM + repeats)
            found = msgspec.json.decode(answer)["pagination"]["total"]
            if found != total:
                raise Differs(f"HTTP, {shape.name}: {found:,}, not {total:,}")
            times.append(sorted(seconds[WARM:])[repeats // 2] * 1e3)
    return Http(space.contacts, times, ours.times)


@contextmanager
def _served(space: Workspace) -> Iterator[Server]:
    port = free_port()
    command = space.command("serve", "--port", str(port))
    with serving("firmograph", command, port, space.folder / "serve.log") as server:
        while True:
            with urlopen(f"http://127.0.0.1:{port}/health") as answer:
                if msgspec.json.decode(answer.read())["search"]["state"] == "ready":
                    break
        yield server


# --- changes ---


def _changes(space: Workspace, report: Reporter) -> dict[str, Any]:
    """Apply changes to a copy of the database and measure the engine."""
    most = space.contacts // 10
    copy = Workspace(space.contacts, space.folder / "changed")
    report("Copy of the database", 0, 0)
    database_bytes(space.database)  # moves everything into the main file
    for ending in ("", ".keys", ".search"):
        shutil.copy(f"{space.database}{ending}", f"{copy.database}{ending}")
    try:
        _change(space, copy, min(SMALL_CHANGES, most), "2030-01-01", report)
        churn = msgspec.convert(_task(copy.database, "churn"), Churn)
        _change(space, copy, min(LARGE_CHANGES, most), "2030-01-02", report)
        report("Following the changes", 0, 0)
        followed = _task(copy.database, "follow")
        report("Reading the changed records for another engine", 0, 0)
        oracle = _oracle(copy)
        _same("Firmograph after changes", followed["answers"], oracle)
    finally:
        shutil.rmtree(copy.folder.parent)
    return {"churn": churn, "changed": Changed(followed["changes"], followed["seconds"], followed["times"])}


def _change(space: Workspace, copy: Workspace, count: int, day: str, report: Reporter) -> None:
    report(f"Import of {count:,} changed contacts", 0, 0)
    path = copy.folder / "changes.jsonl"
    write_changes(space.rows("contacts"), space.contacts, count, path, day)
    summary = copy.run("import", "contacts", str(path))
    if summary["updated"] < 0.98 * count:
        raise RuntimeError(f"The import of changes did not do what was expected: {summary}")


def _oracle(copy: Workspace) -> list[Answer]:
    """Return the answers for the changed records, from the second of the other engines."""
    engine = ENGINES[1](extract(copy, lambda _: None), copy.folder)
    engine.open()
    try:
        return [engine.prepare(shape)() for shape in SHAPES]
    finally:
        engine.close()


# --- processes ---


def _task(database: Path, task: str, report: Callable[[int], object] = lambda percent: None) -> Any:
    """Run a task of `bench.ours` in a process of its own; `report` gets the percentage."""
    command = Workspace.python("bench.ours", task, str(database))
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        lines = []
        for line in process.stderr or ():
            lines.append(line)
            if line.startswith("rebuild "):
                report(int(line.split()[1]))
        out = process.stdout.read() if process.stdout else ""
    if process.returncode != 0:
        raise RuntimeError(f"{task} failed: {''.join(lines)[-2000:]}")
    return msgspec.json.decode(out)
