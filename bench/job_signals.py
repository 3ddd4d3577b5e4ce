"""What noticing new jobs costs: a second import in which a tenth of the jobs changed, with and without it.

    python -m bench.job_signals [--contacts N] [--rounds N]

Every contact is in the second file; each tenth has another employer and another title. Both ways run in turn on copies
of one database, in processes of their own; the fastest of each counts, as others use the machine too.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from bench.draws import Row
from bench.generate import brands, company_rows, contact_rows, write_rows

_DAY = "2026-10-01"
_EACH = 10


def write_second(first: Path, second: Path) -> None:
    """Every row again; each tenth works where the one after it does, under its title."""
    lines = first.read_bytes().splitlines(keepends=True)
    decode = msgspec.json.Decoder(Row).decode
    with second.open("wb") as out:
        for place, line in enumerate(lines):
            if place % _EACH or place + 1 == len(lines):
                out.write(line)
                continue
            other = decode(lines[place + 1])
            job = {name: other[name] for name in ("company", "jobTitle") if name in other}
            out.write(msgspec.json.encode(decode(line) | job | {"updateDate": _DAY}) + b"\n")


def run(database: Path, entity: str, path: Path, noticing: bool) -> dict[str, float]:
    """One import in a process of its own."""
    command = [sys.executable, "-m", "bench.job_signals", "--import", str(database), entity, str(path)]
    done = subprocess.run([*command, *([] if noticing else ["--deaf"])], check=True, capture_output=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def load(database: str, entity: str, path: str, noticing: bool) -> dict[str, float]:
    from firmograph.ingest import contacts
    from firmograph.ingest.feed import Job
    from firmograph.ingest.service import import_files
    from firmograph.kit.clock import SystemClock
    from firmograph.kit.database import Database
    from firmograph.kit.keyring import Keyring
    from firmograph.kit.tokens import Entity
    from firmograph.schema import prepare

    if not noticing:
        heard = contacts.ContactBatch.__init__

        def deaf(self: object, *arguments: object) -> None:
            heard(self, *arguments[:6])  # type: ignore[arg-type]

        contacts.ContactBatch.__init__ = deaf  # type: ignore[method-assign, assignment]
    held = Database(f"sqlite:///{database}")
    prepare(held)
    keyring = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})
    job = Job(entity=Entity[entity], paths=[path], source="bench", keyring=keyring)
    signals: list[int] = []
    began, used = time.perf_counter(), time.process_time()
    import_files(held, job, SystemClock(), lambda *_: None, lambda *_: None, on_signals=signals.append)
    figures = {
        "seconds": time.perf_counter() - began,
        "writer": time.process_time() - used,
        "signals": sum(signals),
    }
    held.close()
    return figures


def compare(count: int, rounds: int) -> None:
    with TemporaryDirectory(prefix="firmograph-job-signals-") as name:
        folder = Path(name)
        held = brands(max(10, count // 10))
        companies, first, second = (folder / f"{kind}.jsonl" for kind in ("companies", "first", "second"))
        write_rows(company_rows(held), companies, lambda _: None)
        write_rows(contact_rows(count, held), first, lambda _: None)
        write_second(first, second)
        loaded = folder / "loaded.db"
        run(loaded, "COMPANY", companies, True)
        whole = run(loaded, "CONTACT", first, True)
        print(f"first import of {count:,} contacts: {whole['seconds']:.1f} s")
        best: dict[bool, dict[str, float]] = {}
        for _ in range(rounds):
            for noticing in (True, False):
                copy = folder / "copy.db"
                shutil.copyfile(loaded, copy)
                figures = run(copy, "CONTACT", second, noticing)
                if noticing not in best or figures["writer"] < best[noticing]["writer"]:
                    best[noticing] = figures
                print(f"noticing {noticing}: {figures}, load {os.getloadavg()[0]:.1f}", flush=True)
        for figure in ("seconds", "writer"):
            share = 1 - best[False][figure] / best[True][figure]
            print(
                f"{figure}: {best[True][figure]:.2f} with, {best[False][figure]:.2f} without: {share:.1%} of it"
            )


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--contacts", type=int, default=100_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--import", nargs=3, dest="one", help=argparse.SUPPRESS)
    arguments.add_argument("--deaf", action="store_true", help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    if chosen.one:
        print(json.dumps(load(*chosen.one, noticing=not chosen.deaf)))
    else:
        compare(chosen.contacts, chosen.rounds)


if __name__ == "__main__":
    main()
