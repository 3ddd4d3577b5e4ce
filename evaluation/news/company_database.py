"""A temporary database with the companies of the open data by their names."""

import json
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from evaluation.news.gold import table
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.directory.identity import Digests
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SystemClock
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity

KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})
SOURCES = {
    "crunchbase2013_companies.csv.gz": "name",
    "financedatabase_companies.csv.gz": "name",
    "yc_companies_2024-05-11.csv.gz": "company_name",
    "sp500_constituents.csv.gz": "Security",
}


class CompanyDatabase(NamedTuple):
    database: Database
    digests: Digests


def names_in(data: Path, sources: Collection[str] = tuple(SOURCES)) -> set[str]:
    """Return the names of the companies of some of the open files."""
    return {
        name
        for source in sources
        for row in table(data / "companies" / source)
        if (name := (row[SOURCES[source]] or "").strip())
    }


@contextmanager
def company_database(names: Collection[str]) -> Iterator[CompanyDatabase]:
    """Make a database with one company for each name; equal keys of names stay several companies."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "companies.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number, name in enumerate(sorted(names)):
                file.write(json.dumps({"sourceId": str(number), "name": name}) + "\n")
        database = Database(f"sqlite:///{folder}/firmograph.db")
        prepare(database)
        job = ImportTask(entity=Entity.COMPANY, paths=[str(path)], source="open", keyring=KEYRING)
        import_files(database, job, SystemClock(), lambda file, reject: None, lambda progress: None)
        try:
            yield CompanyDatabase(database, Digests(KEYRING))
        finally:
            database.close()
