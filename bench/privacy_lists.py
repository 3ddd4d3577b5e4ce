"""Do-not-call registry, deletion lists and seen days: their size, and their cost in an import.

A registry of many numbers comes before the contacts, so that each row asks it. A list of many hashes is then applied to
all contacts, of which one in a thousand is on it, and asked by an import of the same rows. Processor time is measured
inside the functions that ask, so that other programs have little effect.
"""

import base64
import hashlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from bench.draws import Row
from bench.job_signals import Cost
from bench.privacy_lists_report import Asked, PrivacyListsReport, Stored
from bench.workspace import Workspace
from firmograph.bootstrap.assembly import make_installation
from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.database.connection import Database
from firmograph.ingest.deletion_lists.service import DeletionLists
from firmograph.ingest.do_not_call.service import DoNotCall
from firmograph.ingest.imports.runs import ImportRun
from firmograph.ingest.merging import suppressed_rows
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.installation import Installation
from firmograph.kit.clock import SystemClock
from firmograph.privacy.deletion_lists.list_file import open_lists
from firmograph.privacy.do_not_call.registry import ListedNumbers
from firmograph.security.record_ids import Entity
from firmograph.settings import Settings

FULL, QUICK = 5_000_000, 200_000
"""Entries of the registry and of the list."""
_EACH: Final = 1_000
"""One in so many contacts is on the list that is applied to all."""
_REGISTRY = ((ListedNumbers, "ask_of"), (ListedNumbers, "marked"), (ListedNumbers, "mark"))
_LISTS = ((suppressed_rows, "_listed_lines"),)
_SEEN = ((ImportRun, "_sighting"),)

Reporter = Callable[[str], object]


def measure(workspace: Workspace, entries: int, report: Reporter) -> PrivacyListsReport:
    """Measure with the contacts of a workspace and so many entries."""
    with TemporaryDirectory(prefix="firmograph-lists-") as folder:
        own = Workspace(workspace.contacts, Path(folder))
        rows = workspace.rows("contacts")
        database = Database(own.url)
        own.run("account", "create", "bench")
        settings = Settings(database_url=own.url)
        ensure_keyring(settings, database)
        installation = make_installation(settings, database)
        stored, asked = [], []
        report("filling the registry")
        stored.append(
            _timed("do-not-call numbers, before the contacts", entries, lambda: _fill(installation, entries))
        )
        report("importing with the registry")
        asked.append(_import(installation, "do-not-call registry", entries, rows, _REGISTRY))
        path = own.folder / "list.csv"
        _write_list(path, rows, entries)
        report("applying a deletion list")
        stored.append(
            _timed("hashes of a deletion list, with all contacts", entries, lambda: _drop(installation, path))
        )
        report("importing with the list")
        asked.append(_import(installation, "deletion lists", entries, rows, _LISTS, source="second"))
        report("importing unchanged rows as complete")
        asked.append(_import(installation, "seen days of unchanged rows", 0, rows, _SEEN, source="second"))
        database.close()
        return PrivacyListsReport(own.contacts, stored, asked)


def _timed(title: str, entries: int, work: Callable[[], object]) -> Stored:
    began, used = time.perf_counter(), time.process_time()
    work()
    return Stored(title, entries, time.perf_counter() - began, time.process_time() - used)


def _fill(installation: Installation, entries: int) -> None:
    draw = random.Random(entries)
    numbers = (f"+1{draw.randrange(2_000_000_000, 10_000_000_000)}" for _ in range(entries))
    installation.get(DoNotCall).add(numbers, "privacy dnc import")


def _drop(installation: Installation, path: Path) -> None:
    installation.get(DeletionLists).apply(open_lists(path), shared=False)


def _write_list(path: Path, rows: Path, entries: int) -> None:
    with path.open("w") as out:
        out.write("ID,Hash\n")
        for index, text in enumerate(_identifiers(rows, entries)):
            out.write(f"{index:012},{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}\n")


def _identifiers(rows: Path, entries: int) -> Iterator[str]:
    """Yield the addresses of some contacts, then those of nobody."""
    decode = msgspec.json.Decoder(Row).decode
    found = 0
    with rows.open("rb") as lines:
        for place, line in enumerate(lines):
            emails = decode(line).get("emails") if place % _EACH == 0 else None
            if emails and found < entries:
                found += 1
                yield emails[0] if isinstance(emails[0], str) else emails[0]["email"]
    for index in range(entries - found):
        yield f"nobody{index}@nowhere.example"


def _import(
    installation: Installation,
    title: str,
    entries: int,
    rows: Path,
    functions: tuple[tuple[Any, str], ...],
    source: str = "bench",
) -> Asked:
    task = ImportTask(
        entity=Entity.CONTACT,
        paths=[str(rows)],
        source=source,
        keyring=installation.keyring,
        complete=not entries,
    )
    cost = Cost()
    originals = [(owner, name, getattr(owner, name)) for owner, name in functions]
    used = time.process_time()
    try:
        for owner, name, function in originals:
            setattr(owner, name, cost.of(function))
        summary = import_files(installation.database, task, SystemClock(), lambda *_: None, lambda *_: None)
    finally:
        for owner, name, function in originals:
            setattr(owner, name, function)
    return Asked(title, entries, summary.read, time.process_time() - used, cost.seconds)
