"""What imports keep for an undo; undos and the removal of a source while a server answers searches.

Of a tenth of the contacts every one is in a second file with other skills, so that each row replaces one: its undo puts
all rows back, and that of the first import removes all records. Of all contacts half come from another source, which is
removed. Processor time is measured inside the functions that keep what an undo needs, so that other programs have
little effect. Each undo or removal runs in a process of its own (`python -m bench.undo URL NUMBER`, or with
`--source NAME`), which times how long it holds the database's writer.
"""

import argparse
import subprocess
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
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
from bench.undo_report import Kept, Spent, Undo, UndoReport
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

_SHARE = 10
_CALM_SECONDS, _SECONDS = 10.0, 1.0
"""Duration of the searches before, and of a round of them during an undo."""
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


def measure(generated: Workspace, report: Reporter) -> UndoReport:
    """Measure with the rows of a workspace: undos with a tenth of its contacts, a removal with all."""
    with TemporaryDirectory(prefix="firmograph-undo-") as folder:
        few = Workspace(max(1, generated.contacts // _SHARE), Path(folder))
        kept, undos = _measure_undos(few, report)
        few.clear_database()
        undos.append(_measure_removal(generated, Workspace(generated.contacts, Path(folder)), report))
        return UndoReport(kept, undos)


def _measure_undos(workspace: Workspace, report: Reporter) -> tuple[list[Kept], list[Undo]]:
    workspace.generate(lambda entity, made: None)
    requests = _requests(workspace)
    first, second = workspace.rows("contacts"), workspace.folder / "second.jsonl"
    _write_second(first, second)
    kept, undos = [], []
    for title, path in (("new rows", first), ("rows that replace others", second)):
        report(f"importing {title}")
        kept.append(_import(workspace, title, path))
    with on_core(cores()[1]), _server(workspace) as server:
        server.wait_for_search()
        calm = _p99(_waits(server, requests, _CALM_SECONDS))
        for title, number in (("undo that puts rows back", 2), ("undo that removes records", 1)):
            report(title)
            undos.append(_undo(workspace, server, requests, calm, title, workspace.contacts, str(number)))
    return kept, undos


def _measure_removal(generated: Workspace, workspace: Workspace, report: Reporter) -> Undo:
    requests = _requests(workspace)
    report("importing two sources")
    removed = _import_two_sources(workspace, generated.rows("contacts"))
    with on_core(cores()[1]), _server(workspace) as server:
        server.wait_for_search()
        calm = _p99(_waits(server, requests, _CALM_SECONDS))
        report("removal of a source")
        return _undo(workspace, server, requests, calm, "removal of a source", removed, "--source", _REMOVED)


def _requests(workspace: Workspace) -> list[bytes]:
    """Return searches of a new account."""
    workspace.run("account", "create", "bench", "--plan", PLAN, "--credits", str(CREDITS))
    key = workspace.run("key", "create", "--account", "bench")["apiKey"]
    return [request(PATH, msgspec.json.encode(shape.body()), key) for shape in SHAPES]


def _import_two_sources(workspace: Workspace, path: Path) -> int:
    """Import half of the rows from one source, and half from the source to remove; return the number of these."""
    half = workspace.contacts // 2
    with path.open("rb") as rows:
        for source, count in ((_KEPT, half), (_REMOVED, workspace.contacts - half)):
            file = workspace.folder / f"{source}.jsonl"
            with file.open("wb") as out:
                out.writelines(islice(rows, count))
            workspace.run("import", "contacts", str(file), "--source", source)
            file.unlink()
    return workspace.contacts - half


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


def _waits(server: Server, requests: list[bytes], seconds: float) -> "array[float]":
    """Return the waits of a single caller, in seconds."""
    return send([server.port], requests, seconds, callers=1).waits


def _p99(waits: "array[float]") -> float:
    """Return the longest wait but for one in a hundred."""
    return sorted(waits)[len(waits) * 99 // 100]


def _undo(
    workspace: Workspace,
    server: Server,
    requests: list[bytes],
    calm: float,
    title: str,
    records: int,
    *what: str,
) -> Undo:
    """Take an import back, or remove a source, while a caller searches."""
    command = workspace.python("bench.undo", workspace.url, *what)
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE)
    waits = array("d")
    while process.poll() is None:
        waits.extend(_waits(server, requests, _SECONDS))
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"The {title} failed")
    spent = msgspec.json.decode(out, type=Spent)
    return Undo(title, records, spent, calm, _p99(waits))


def main() -> None:
    """Take an import back or remove a source; print `Spent`."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("url")
    arguments.add_argument("number", type=int, nargs="?")
    arguments.add_argument("--source")
    chosen = arguments.parse_args()
    settings, database = Settings(database_url=chosen.url), Database(chosen.url)
    holds: list[tuple[float, float]] = []
    write = Database.write

    @contextmanager
    def timed(database: Database, *scopes: Scope) -> Iterator[Session]:
        with write(database, *scopes) as session:
            began, used = time.perf_counter(), time.thread_time()
            yield session
        holds.append((time.perf_counter() - began, time.thread_time() - used))

    Database.write = timed  # type: ignore[method-assign]
    installation = make_installation(settings, database)
    began, used = time.perf_counter(), time.process_time()
    if chosen.source:
        installation.get(SourceRemoval).remove(chosen.source)
    else:
        installation.get(ImportUndo).undo(chosen.number, and_later=False)
    spent = Spent(
        seconds=time.perf_counter() - began,
        processor=time.process_time() - used,
        hold=max(seconds for seconds, _ in holds),
        hold_processor=max(seconds for _, seconds in holds),
    )
    print(msgspec.json.encode(spent).decode())


if __name__ == "__main__":
    main()
