"""Look-ups of companies by name at 100,000 companies: by equal keys and by names alike, in one process.

The names are those of `evaluation/companies/`, and above their number crossings of their words. Look-ups by names alike
are the other registers' names there, in whose rounds equal keys find nobody, or hardly anybody.
"""

import csv
import gzip
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from bench.company_names_report import CompanyNamesReport
from bench.ours import resident
from bench.workspace import ROOT
from firmograph.company_names.current_names import CurrentNames
from firmograph.company_names.index_kind import COMPANY_NAMES
from firmograph.database import schema
from firmograph.database.connection import Database
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SystemClock
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import Settings

COMPANIES, QUICK_COMPANIES = 100_000, 10_000
LOOKUPS, QUICK_LOOKUPS = 1_000, 200
ROUNDS: Final = 5
_FOLDER: Final = ROOT / "evaluation" / "companies"
_KEYRING: Final = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})

Notify = Callable[[str], object]


def measure(quick: bool, notify: Notify) -> CompanyNamesReport:
    count, lookups = (QUICK_COMPANIES, QUICK_LOOKUPS) if quick else (COMPANIES, LOOKUPS)
    draw = Random(1)
    names = _names(count, draw)
    asked = _column("queries.csv.gz", "name")
    with TemporaryDirectory(prefix="firmograph-names-") as folder:
        database = Database(f"sqlite:///{folder}/names.db")
        schema.prepare(database)
        notify(f"importing {count:,} companies")
        _import(database, Path(folder) / "companies.jsonl", names)
        notify("building the index")
        checkpoints = Checkpoints(COMPANY_NAMES, database)
        began = time.perf_counter()
        checkpoints.renew(force_rebuild=True)
        built = time.perf_counter() - began
        before, began = resident(), time.perf_counter()
        index = checkpoints.load()
        loaded, after = time.perf_counter() - began, resident()
        if index is None:
            raise RuntimeError("the checkpoint of the company names cannot be loaded")
        active: ActiveIndex[object] = ActiveIndex()
        active.serve(index)
        notify("look-ups")
        settings = Settings()
        like_names = CurrentNames(active, settings.company_match_threshold, settings.company_match_margin)
        ids, digests = RecordIds(_KEYRING), Digests(_KEYRING)
        without = RecordLookup(ids, digests, settings.match_threshold, settings.match_margin)
        with_index = RecordLookup(ids, digests, settings.match_threshold, settings.match_margin, like_names)
        exact, other = draw.sample(names, lookups), draw.sample(asked, lookups)
        ways = ((without, exact), (with_index, exact), (with_index, other))
        rounds = [[_waits(database, *way) for way in ways] for _ in range(ROUNDS)]
        medians = [statistics.median(statistics.median(each[way]) for each in rounds) for way in range(3)]
        p99 = statistics.median(sorted(each[2])[int(lookups * 0.99)] for each in rounds)
        size = checkpoints.path.stat().st_size
        database.close()
    held = len(index)
    return CompanyNamesReport(count, *medians, p99, built, loaded, (after - before) / held, size / held)


def _column(file: str, column: str) -> list[str]:
    with gzip.open(_FOLDER / file, "rt", encoding="utf-8", newline="") as rows:
        return [row[column] for row in csv.DictReader(rows)]


def _names(count: int, draw: Random) -> list[str]:
    held = list(dict.fromkeys(_column("held.csv.gz", "name")))
    draw.shuffle(held)
    names = dict.fromkeys(held[:count])
    while len(names) < count:
        one, other = (draw.choice(held).split() for _ in range(2))
        names[" ".join((*one[:2], *other[1:3]))] = None
    return list(names)


def _import(database: Database, path: Path, names: Sequence[str]) -> None:
    rows = ({"sourceId": str(number), "name": name} for number, name in enumerate(names))
    path.write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
    job = ImportTask(entity=Entity.COMPANY, paths=[str(path)], source="bench", keyring=_KEYRING)
    import_files(database, job, SystemClock(), lambda *_: None, lambda _: None)


def _waits(database: Database, lookup: RecordLookup, names: Sequence[str]) -> list[float]:
    """Return the milliseconds of a look-up of each name."""
    waits = []
    for name in names:
        began = time.perf_counter()
        with database.read() as session:
            lookup.companies(session, [lookup.queries.named_company(name)])
        waits.append((time.perf_counter() - began) * 1_000)
    return waits
