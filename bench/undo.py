"""What imports keep for an undo; undos and the removal of a source while a server answers searches.

Every contact is in the second file with other skills, so that each row replaces one: its undo puts all rows
back, and that of the first import removes all records. Then half of the contacts come from another source, which is
removed. Processor time is measured inside the functions that keep what an undo needs, so that other programs have
little effect. Each undo or removal runs in a process of its own (`python -m bench.undo URL NUMBER`, or with
`--source NAME`), which times how long it holds the database's writer.
"""

import argparse
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from bench.client import load as send
from bench.client import request
from bench.draws import Row
from bench.job_signals import Cost
from bench.job_signals import load as import_file
from bench.servers import Server, cores, free_port, on_core, serving
from bench.serving import CREDITS
from bench.shapes import PATH, SHAPES
from bench.undo_report import Kept, Undo, UndoReport
from bench.workspace import PLAN, Workspace, environment
from firmograph.bootstrap.assembly import make_installation
from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.database.connection import Database, Scope, Session
from firmograph.ingest.imports.removal import SourceRemoval
from firmograph.ingest.imports.runs import ImportRun
from firmograph.ingest.imports.undo import ImportUndo
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.record_state import RecordState
from firmograph.security.record_ids import Entity
from firmograph.settings import Settings

CONTACTS, QUICK_CONTACTS = 100_000, 5_000
_SECONDS = 5.0
"""Duration of a round of searches."""
_KEEPING = (
    (ImportRun, "keep"),
    (ImportRun, "keep_alive"),
    (ImportRun, "note_created"),
    (ContactBatch, "effects"),
    (RecordState, "_keep_rows"),
)
_KEPT, _REMOVED = "crm", "fair"
_SIZE = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'import%'"

Reporter = Callable[[str], object]


def measure(quick: bool, report: Reporter) -> UndoReport:
    with TemporaryDirectory(prefix="firmograph-undo-") as folder:
        workspace = Workspace(QUICK_CONTACTS if quick else CONTACTS, Path(folder))
        workspace.generate(lambda entity, made: None)
        workspace.run("account", "create", "bench", "--plan", PLAN, "--credits", str(CREDITS))
        key = workspace.run("key", "create", "--account", "bench")["apiKey"]
        first, second = workspace.rows("contacts"), workspace.folder / "second.jsonl"
        _write_second(first, second)
        kept = []
        for title, path in (("new rows", first), ("rows that replace others", second)):
            report(f"importing {title}")
            kept.append(_import(workspace, title, path))
        requests = [request(PATH, msgspec.json.encode(shape.body()), key) for shape in SHAPES]
        with on_core(cores()[1]), _server(workspace) as server:
            server.wait_for_search()
            calm = _p99(server, requests)
            undos = []
            for title, number in (("undo that puts rows back", 2), ("undo that removes records", 1)):
                report(title)
                undos.append(_undo(workspace, server, requests, title, workspace.contacts, str(number)))
            report("the removal of a source")
            removed = _import_two_sources(workspace, first)
            undos.append(
                _undo(workspace, server, requests, "removal of a source", removed, "--source", _REMOVED)
            )
        return UndoReport(kept, calm, undos)


def _import_two_sources(workspace: Workspace, path: Path) -> int:
    """Import half of the rows from one source, and half from the source to remove; return the number of these."""
    lines = path.read_bytes().splitlines(keepends=True)
    kept, removed = lines[: len(lines) // 2], lines[len(lines) // 2 :]
    for source, part in ((_KEPT, kept), (_REMOVED, removed)):
        file = workspace.folder / f"{source}.jsonl"
        file.write_bytes(b"".join(part))
        workspace.run("import", "contacts", str(file), "--source", source)
    return len(removed)


def _write_second(first: Path, second: Path) -> None:
    """Write every row again with other skills."""
    decode = msgspec.json.Decoder(Row).decode
    with first.open("rb") as rows, second.open("wb") as out:
        for line in rows:
            out.write(msgspec.json.encode(decode(line) | {"skills": ["Undoing"]}) + b"\n")


def _import(workspace: Workspace, title: str, path: Path) -> Kept:
    database = Database(workspace.url)
    keyring = ensure_keyring(Settings(database_url=workspace.url), database)
    before, cost = _size(database), Cost()
    originals = [(owner, name, getattr(owner, name)) for owner, name in _KEEPING]
    try:
        for owner, name, function in originals:
            setattr(owner, name, cost.of(function))
        seconds, writer, _ = import_file(database, keyring, Entity.CONTACT, path)
    finally:
        for owner, name, function in originals:
            setattr(owner, name, function)
    size = _size(database) - before
    database.close()
    return Kept(title, workspace.contacts, seconds, writer, cost.seconds, size / workspace.contacts)


def _size(database: Database) -> int:
    size: int = database.session().raw.execute(_SIZE).fetchone()[0]
    return size


@contextmanager
def _server(workspace: Workspace) -> Iterator[Server]:
    port = free_port()
    command = workspace.command("serve", "--port", str(port))
    with serving("firmograph", command, port, workspace.folder / "serve.log") as server:
        yield server


def _p99(server: Server, requests: list[bytes]) -> float:
    """Return the longest wait but for one in a hundred of a single caller, in seconds."""
    waits = sorted(send([server.port], requests, _SECONDS, callers=1).waits)
    return waits[len(waits) * 99 // 100]


def _undo(
    workspace: Workspace, server: Server, requests: list[bytes], title: str, records: int, *what: str
) -> Undo:
    """Take an import back, or remove a source, while a caller searches."""
    command = workspace.python("bench.undo", workspace.url, *what)
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE)
    waits = []
    while process.poll() is None:
        waits.append(_p99(server, requests))
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"The {title} failed")
    seconds, hold = msgspec.json.decode(out, type=tuple[float, float])
    return Undo(title, records, seconds, hold, max(waits))


def main() -> None:
    """Take an import back or remove a source; print the seconds, and those of the longest hold of the writer."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("url")
    arguments.add_argument("number", type=int, nargs="?")
    arguments.add_argument("--source")
    chosen = arguments.parse_args()
    settings, database = Settings(database_url=chosen.url), Database(chosen.url)
    holds: list[float] = []
    write = Database.write

    @contextmanager
    def timed(database: Database, *scopes: Scope) -> Iterator[Session]:
        with write(database, *scopes) as session:
            began = time.perf_counter()
            yield session
        holds.append(time.perf_counter() - began)

    Database.write = timed  # type: ignore[method-assign]
    installation = make_installation(settings, database)
    began = time.perf_counter()
    if chosen.source:
        installation.get(SourceRemoval).remove(chosen.source)
    else:
        installation.get(ImportUndo).undo(chosen.number, and_later=False)
    print(msgspec.json.encode((time.perf_counter() - began, max(holds))).decode())


if __name__ == "__main__":
    main()
