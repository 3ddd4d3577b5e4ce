"""`firmograph import companies|contacts FILE...` (design, section 4; decisions D)."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Busy, FirmographError, Refused
from firmograph.kit.tokens import Entity
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.ingest.feed import Job
    from firmograph.ingest.mapping import Mapping
    from firmograph.ingest.rejects import RejectsFile
    from firmograph.ingest.summary import Summary
    from firmograph.kit.database import Database

app = typer.Typer(no_args_is_help=True, help="Load contacts or companies from files.")

_MAX_SOURCE = 100
DEFAULT_SOURCE = "default"
"""One source for all who do not tell sources apart: a renamed file is the same source as before."""

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="JSON Lines, CSV or Parquet, plain or gzipped.")
]
Source = Annotated[
    str,
    typer.Option(
        help="Where the data come from. Each source's last row of a record counts; sources are merged.",
        metavar="NAME",
    ),
]
MappingFile = Annotated[
    Path | None,
    typer.Option(
        "--mapping", metavar="FILE", help='TOML: \\[columns] with lines "Column" = "path.of.field".'
    ),
]
Rejects = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Where rows that were set aside are noted; by default FILE.rejects.jsonl."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("contacts")
def contacts(
    files: Files,
    source: Source = DEFAULT_SOURCE,
    mapping: MappingFile = None,
    rejects: Rejects = None,
    json: Json = False,
) -> None:
    """Load people. The same file again changes nothing."""
    _import(Entity.CONTACT, files, source, mapping, rejects, json)


@app.command("companies")
def companies(
    files: Files,
    source: Source = DEFAULT_SOURCE,
    mapping: MappingFile = None,
    rejects: Rejects = None,
    json: Json = False,
) -> None:
    """Load companies. The same file again changes nothing."""
    _import(Entity.COMPANY, files, source, mapping, rejects, json)


def _import(
    entity: Entity, files: list[Path], source: str, mapping: Path | None, rejects: Path | None, json: bool
) -> None:
    from firmograph.cli.context import open_database, open_keyring
    from firmograph.ingest.feed import Job
    from firmograph.ingest.mapping import NO_MAPPING, load_mapping

    source = " ".join(source.split())
    if not 0 < len(source) <= _MAX_SOURCE or not source.isprintable():
        raise Refused(
            f"A source's name has 1 to {_MAX_SOURCE} printable characters; give another one with --source"
        )
    read_mapping = load_mapping(mapping, entity) if mapping else NO_MAPPING
    for path in files:
        # before anything is made: a mistyped name must not leave an empty database behind
        _tell_unused(path, read_mapping, entity)
    outputs = _rejects_files(files, rejects)
    settings = load_settings()
    database = open_database(settings)
    try:
        keyring = open_keyring(settings, database)
        paths = [str(path) for path in files]
        job = Job(entity=entity, paths=paths, source=source, keyring=keyring, mapping=read_mapping)
        summary = _run(database, job, outputs)
    finally:
        database.close()
    written = [str(output.path) for output in dict.fromkeys(outputs) if output.written]
    summary.rejects_file = written[0] if written else None
    if json:
        typer.echo(msgspec.json.encode(summary).decode())
    else:
        _show(summary, written)
    if not summary.created + summary.updated + summary.unchanged:
        raise Refused(_nothing(summary))


def _tell_unused(path: Path, mapping: "Mapping", entity: Entity) -> None:
    """Names the columns of a table that become no field. Raises Refused when the file cannot be imported."""
    from firmograph.ingest.mapping import table_layout, unused
    from firmograph.ingest.readers import open_rows

    with open_rows(path) as rows:
        names = unused(table_layout(rows.columns, mapping, entity, path)) if rows.columns is not None else []
    if names:
        typer.echo(f"{path}: columns that are not used: {', '.join(names)}", err=True)


def _rejects_files(files: list[Path], given: Path | None) -> list["RejectsFile"]:
    """The rejects file of each file: its own, or the one that was asked for."""
    from firmograph.ingest.rejects import RejectsFile, rejects_path

    if given is None:
        by_path = {path: RejectsFile(rejects_path(path)) for path in files}
        return [by_path[path] for path in files]
    if given.resolve() in [path.resolve() for path in files]:
        raise Refused(f"{given} is to be imported; choose another file with --rejects")
    return [RejectsFile(given, tell_file=len(files) > 1)] * len(files)


def _run(database: "Database", job: "Job", outputs: list["RejectsFile"]) -> "Summary":
    from firmograph.cli.progress import import_progress
    from firmograph.ingest.service import import_files

    with ExitStack() as stack:
        for output in dict.fromkeys(outputs):
            stack.enter_context(output)
        told = stack.enter_context(import_progress(job.paths))
        try:
            return import_files(
                database,
                job,
                SystemClock(),
                lambda file, reject: outputs[file].add(reject, job.paths[file]),
                told,
                _tell_waiting,
            )
        except KeyboardInterrupt:
            raise Refused("Interrupted; what is in stays in. Run the same command again to go on") from None


def _tell_waiting(why: FirmographError) -> None:
    from firmograph.ingest.commits import WAIT_SECONDS

    reason = "is being written by another process" if isinstance(why, Busy) else "cannot be reached"
    typer.echo(f"The database {reason}; waiting for it, up to {WAIT_SECONDS:.0f} s", err=True)


def _show(summary: "Summary", written: list[str]) -> None:
    counts = msgspec.to_builtins(summary)
    counts.pop("rejectsFile")
    for name, count in counts.items():
        typer.echo(f"{name:<11}{count:>12,}")
    for path in written:
        typer.echo(f"Rows that were set aside, with the reason: {path}")


def _nothing(summary: "Summary") -> str:
    if not summary.read:
        return "Nothing was imported: there is no row in what was given"
    kept_out = f", {summary.suppressed:,} suppressed" if summary.suppressed else ""
    where = f"; see {summary.rejects_file}" if summary.rejects_file else ""
    return (
        f"Nothing was imported: of {summary.read:,} rows {summary.rejected:,} were rejected{kept_out}{where}"
    )
