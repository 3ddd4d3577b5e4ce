"""Requests of people: search by each identifier, erasure of one person and of a thousand.

The commands are timed with their start; other programs have little effect on their processor time. An erasure is
watched from outside: no answer shows the person once the suppression is committed, and no file of the machine holds the
data when the command ends, which builds the search index again.
"""

import resource
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from bench.privacy_report import Erased, Found, PrivacyReport
from bench.workspace import SUCCEEDED, Workspace, environment

_ERASED = 1_000
"""People of the file."""
_POLL_SECONDS = 0.002

Reporter = Callable[[str], object]
Row = Mapping[str, Any]


def measure(generated: Workspace, report: Reporter) -> PrivacyReport:
    """Measure with the rows of a workspace, in a database of its own."""
    with TemporaryDirectory(prefix="firmograph-privacy-") as folder:
        workspace = Workspace(generated.contacts, Path(folder))
        for entity in ("companies", "contacts"):
            report(f"importing {entity}")
            workspace.run("import", entity, str(generated.rows(entity)))
        report("search index")
        workspace.run("index")
        person = next(_complete(generated.rows("contacts")))
        found = []
        for title, options in _identifiers(workspace, person):
            report(f"find by {title}")
            began, used = time.perf_counter(), _processor_seconds()
            workspace.run("privacy", "find", *options)
            found.append(Found(title, time.perf_counter() - began, _processor_seconds() - used))
        report("erasing one")
        erased = [_erase(workspace, "one person", 1, "--email", person["emails"][0])]
        report("erasing by file")
        file = workspace.folder / "requests.jsonl"
        addresses = list(islice(_addresses(generated.rows("contacts"), person), _ERASED))
        file.write_bytes(b"".join(msgspec.json.encode({"email": each}) + b"\n" for each in addresses))
        erased.append(_erase(workspace, "people of a file", len(addresses), "--file", str(file)))
        return PrivacyReport(generated.contacts, found, erased)


def _complete(path: Path) -> Iterator[Row]:
    """Yield people with every identifier, each as a text; many rows have fewer, or in other forms."""
    for row in _rows(path):
        company = row.get("company")
        identifiers = (
            row.get("firstName"),
            row.get("lastName"),
            row.get("linkedinUrl"),
            company.get("domain") if isinstance(company, dict) else None,
            _first(row.get("emails")),
            _first(row.get("phones")),
        )
        if all(isinstance(each, str) and each for each in identifiers):
            yield row


def _addresses(path: Path, but: Row) -> Iterator[str]:
    """Yield an e-mail address of each person but one."""
    for row in _rows(path):
        address = _first(row.get("emails"))
        if isinstance(address, str) and row != but:
            yield address


def _rows(path: Path) -> Iterator[Row]:
    with path.open("rb") as rows:
        yield from map(msgspec.json.Decoder(dict[str, Any]).decode, rows)


def _processor_seconds() -> float:
    """Return the processor time of the commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _first(values: object) -> object:
    return values[0] if isinstance(values, list) and values else None


def _identifiers(workspace: Workspace, person: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
    by_email = ("--email", person["emails"][0])
    yield "e-mail", by_email
    yield "LinkedIn URL", ("--linkedin", person["linkedinUrl"])
    (found,) = workspace.run("privacy", "find", *by_email)["people"]
    yield "id", ("--id", found["ids"][0])
    name = f"{person['firstName']} {person['lastName']}"
    yield "name and company", ("--name", name, "--company", person["company"]["domain"])
    yield "telephone number", ("--phone", person["phones"][0])


def _erase(workspace: Workspace, title: str, people: int, *options: str) -> Erased:
    """Erase people while the database is watched."""
    command = workspace.command("privacy", "erase", *options, "--yes", "--json")
    with closing(sqlite3.connect(workspace.database, isolation_level=None)) as watching:
        before = _erasures(watching)
        began, used = time.perf_counter(), _processor_seconds()
        process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL)
        hidden = 0.0
        while process.poll() is None:
            if (erasures := _erasures(watching)) > before:
                before, hidden = erasures, time.perf_counter() - began
            time.sleep(_POLL_SECONDS)
    seconds = time.perf_counter() - began
    if process.returncode not in SUCCEEDED:
        raise RuntimeError(f"The erasure of {title} ended with {process.returncode}")
    return Erased(title, people, hidden, seconds, _processor_seconds() - used)


def _erasures(watching: sqlite3.Connection) -> int:
    """Return how many people were erased."""
    query = "SELECT count(*) FROM operator_actions WHERE action = 'privacy erase'"
    count: int = watching.execute(query).fetchone()[0]
    return count
