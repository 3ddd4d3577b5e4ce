"""The cost of detecting new jobs in a second import in which a tenth of the jobs changed.

    python -m bench.job_signals [--contacts N] [--titles]

Every contact is in the second file; each tenth has another employer and another title, or with `--titles` only another
title. Processor time is measured inside the import, in the functions that detect and write signals, so that other
programs have little effect; the pass that finds versions out of order belongs to it and is timed separately.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from bench.draws import Row
from bench.generate import brands, company_rows, contact_rows, write_rows
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.ingest.merging.job_moves import JobMoves
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.records.file_versions import find_row_order
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SystemClock
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity

_DAY = "2026-10-01"
_EACH = 10


def write_second(first: Path, second: Path, fields: Sequence[str]) -> None:
    """Write every row again; each tenth has these fields from the next one."""
    lines = first.read_bytes().splitlines(keepends=True)
    decode = msgspec.json.Decoder(Row).decode
    with second.open("wb") as out:
        for place, line in enumerate(lines):
            if place % _EACH or place + 1 == len(lines):
                out.write(line)
                continue
            other = decode(lines[place + 1])
            changed = {name: other[name] for name in fields if name in other}
            out.write(msgspec.json.encode(decode(line) | changed | {"updateDate": _DAY}) + b"\n")


class Cost:
    """Processor time of this thread inside some functions."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*arguments)
            finally:
                self.seconds += time.thread_time() - began

        return timed


def load(database: Database, keyring: Keyring, entity: Entity, path: Path) -> tuple[float, float, int]:
    """Import a file; return seconds, processor time of the writing process and signals."""
    job = ImportTask(entity=entity, paths=[str(path)], source="bench", keyring=keyring)
    signals: list[int] = []
    began, used = time.perf_counter(), time.process_time()
    import_files(database, job, SystemClock(), lambda *_: None, lambda *_: None, on_signals=signals.append)
    return time.perf_counter() - began, time.process_time() - used, sum(signals)


class Detection(msgspec.Struct):
    """Costs of signals in an import."""

    rows: int
    signals: int
    seconds: float
    writer: float
    """Processor time of the writing process."""
    noticing: float
    """Part of it in the functions that detect and write signals."""
    scan: float
    """Seconds of the pass over the file that finds versions out of order."""

    @property
    def share(self) -> float:
        """Return the part of the import's time."""
        return self.noticing / self.writer


def measure(count: int, fields: Sequence[str], folder: Path) -> Detection:
    employers = brands(max(10, count // 10))
    companies, first, second = (folder / f"{kind}.jsonl" for kind in ("companies", "first", "second"))
    write_rows(company_rows(employers), companies, lambda _: None)
    write_rows(contact_rows(count, employers), first, lambda _: None)
    write_second(first, second, fields)
    database = Database(f"sqlite:///{folder}/bench.db")
    prepare(database)
    keyring = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})
    load(database, keyring, Entity.COMPANY, companies)
    load(database, keyring, Entity.CONTACT, first)
    cost = Cost()
    for name in ("prior_state", "add_step", "write_signals"):
        setattr(JobMoves, name, cost.of(getattr(JobMoves, name)))
    seconds, writer, signals = load(database, keyring, Entity.CONTACT, second)
    database.close()
    began = time.thread_time()
    find_row_order(second, None, table=False)
    scan = time.thread_time() - began
    return Detection(count, signals, seconds, writer, cost.seconds, scan)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--contacts", type=int, default=100_000)
    arguments.add_argument("--titles", action="store_true", help="change titles only")
    chosen = arguments.parse_args()
    with TemporaryDirectory(prefix="firmograph-job-signals-") as folder:
        fields = ["jobTitle"] if chosen.titles else ["company", "jobTitle"]
        made = measure(chosen.contacts, fields, Path(folder))
    print(
        f"{made.rows:,} rows, {made.signals:,} signals: {made.seconds:.1f} s, writer {made.writer:.2f} s of processor"
        f" time, of which signals {made.noticing:.2f} s ({made.share:.1%}); pass over the file {made.scan:.2f} s;"
        f" load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
