"""What all commands of `firmograph import` have in common: their options, the rejects files, the run and its report."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
import typer

from firmograph.cli import dry_run
from firmograph.kit.errors import Busy, FirmographError, Refused, Unwritable

if TYPE_CHECKING:
    from firmograph.database.connection import Database
    from firmograph.directory.normalise.written_dates import Order
    from firmograph.ingest.reading.readers import ReadOptions
    from firmograph.ingest.records.prepared_rows import Reject
    from firmograph.ingest.rejects import RejectsFile
    from firmograph.ingest.service import Progress
    from firmograph.ingest.summary import Summary
    from firmograph.security.keyring import Keyring
    from firmograph.settings import Settings
    from firmograph.webhooks.deliveries.forecast import Forecast

_MAX_SOURCE = 100
EXIT_POORLY_READ = 3
"""The exit code of an import that is done and committed, although a column could mostly not be read."""
DEFAULT_SOURCE = "default"
"""One source for all who do not tell sources apart: a renamed file is the same source as before."""

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help="JSON Lines, CSV, Parquet or .xlsx, plain, gzipped or in a ZIP."),
]
Source = Annotated[
    str,
    typer.Option(
        help="Where the data come from. Each source's last row of a record counts; sources are merged.",
        metavar="NAME",
    ),
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="Of text files, where it is found out wrong: windows-1250, ...")
]
Sheet = Annotated[str, typer.Option(metavar="NAME", help="Of Excel workbooks, in place of the first one.")]
Rejects = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Where rows that were set aside are noted; by default FILE.rejects.jsonl."
    ),
]
NoDeliver = Annotated[
    bool, typer.Option("--no-deliver", help="Detect signals, but have no webhook tell of them.")
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Change nothing; tell what would come of it, signals, deliveries and their cost included."
        " Rejects are noted only with --rejects.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

OnReject = Callable[[int, "Reject"], None]
OnProgress = Callable[["Progress"], None]


class ImportRequest(NamedTuple):
    """What every kind of import is asked for."""

    files: list[Path]
    source: str
    rejects: Path | None
    no_deliver: bool
    dry_run: bool
    json: bool


class ImportHooks(NamedTuple):
    on_reject: OnReject
    on_progress: OnProgress


ImportFunction = Callable[["Database", "Keyring", ImportHooks], "Summary"]
"""Does the import itself."""


def check_source(given: str) -> str:
    """A source's name on one line. Raises Refused."""
    source = " ".join(given.split())
    if not 0 < len(source) <= _MAX_SOURCE or not source.isprintable():
        raise Refused(
            f"A source's name has 1 to {_MAX_SOURCE} printable characters; give another one with --source"
        )
    return source


def make_reading(encoding: str, sheet: str, dates: "Order | None" = None) -> "ReadOptions":
    """Return how files are to be read. Raises Refused when there is no such encoding."""
    from firmograph.ingest.reading.encodings import resolve_encoding
    from firmograph.ingest.reading.readers import ReadOptions

    return ReadOptions(encoding=resolve_encoding(encoding) if encoding else "", sheet=sheet, dates=dates)


def print_unused_columns(path: Path, names: Sequence[str]) -> None:
    """Name the columns of a table that mean nothing."""
    if names:
        typer.echo(f"{path}: columns that are not used: {', '.join(names)}", err=True)


def suggest_other_kind(path: Path, kind: str) -> None:
    """Say that a file rather is of another kind."""
    typer.echo(f"{path} looks like a file of {kind}: firmograph import {kind} {path}", err=True)


def suggest_date_order(unread: Iterable[str], dates: AbstractSet[str]) -> None:
    """Say what helps where dates could not be read; `unread` and `dates` are columns."""
    columns = [repr(column) for column in unread if column in dates]
    if columns:
        typer.echo(
            f"Dates in {', '.join(columns)} could not be read; where the file does not show whether the day or the"
            " month comes first, say it with --dates dmy or --dates mdy",
            err=True,
        )


def run_import(
    settings: "Settings", asked: ImportRequest, importing: ImportFunction, encodings: Sequence[str] = ()
) -> None:
    """Import, or rehearse it, and say what it did, and in which encoding the files are.

    Raises Refused when it is interrupted, or no row went in or was there already.
    """
    from firmograph.cli.context import open_database, open_keyring

    outputs = _rejects_files(asked)
    if asked.dry_run:
        with dry_run.open_dry_run(settings) as (database, keyring):
            before = dry_run.last_signal(database)
            summary = _run(asked, outputs, lambda hooks: importing(database, keyring, hooks))
            _report(summary, outputs, asked, encodings, dry_run.forecast(settings, database, keyring, before))
        return
    database = open_database(settings)
    try:
        keyring = open_keyring(settings, database)
        summary = _run(asked, outputs, lambda hooks: importing(database, keyring, hooks))
    finally:
        database.close()
    _report(summary, outputs, asked, encodings)


def _rejects_files(asked: ImportRequest) -> list["RejectsFile"]:
    """The rejects file of each file: its own, or the one that was asked for; a dry run writes no other."""
    from firmograph.ingest.rejects import NoRejectsFile, RejectsFile, default_rejects_path

    files, given = asked.files, asked.rejects
    if given is None:
        kind = NoRejectsFile if asked.dry_run else RejectsFile
        by_path = {path: kind(default_rejects_path(path)) for path in files}
        return [by_path[path] for path in files]
    if given.resolve() in [path.resolve() for path in files]:
        raise Refused(f"{given} is to be imported; choose another file with --rejects")
    return [RejectsFile(given, with_file_names=len(files) > 1)] * len(files)


def _run(
    asked: ImportRequest, outputs: list["RejectsFile"], importing: Callable[[ImportHooks], "Summary"]
) -> "Summary":
    """Import with a progress bar, rejects going to their files. Raises Refused when it is interrupted."""
    from firmograph.cli.progress import import_progress

    paths = [str(path) for path in asked.files]
    with ExitStack() as stack:
        for output in dict.fromkeys(outputs):
            stack.enter_context(output)
        told = stack.enter_context(import_progress(paths))
        try:
            return importing(ImportHooks(lambda file, reject: outputs[file].add(reject, paths[file]), told))
        except KeyboardInterrupt:
            if asked.dry_run:
                raise Refused("Interrupted; nothing was changed") from None
            raise Refused("Interrupted; what is in stays in. Run the same command again to go on") from None


def print_waiting(why: FirmographError) -> None:
    from firmograph.ingest.commits import WAIT_SECONDS

    if isinstance(why, Unwritable):
        reason = "cannot be written, as its disk has no room"
    else:
        reason = "is being written by another process" if isinstance(why, Busy) else "cannot be reached"
    typer.echo(f"The database {reason}; waiting for it, up to {WAIT_SECONDS:.0f} s", err=True)


def _report(
    summary: "Summary",
    outputs: list["RejectsFile"],
    asked: ImportRequest,
    encodings: Sequence[str],
    forecast: "Forecast | None" = None,
) -> None:
    written = [str(output.path) for output in dict.fromkeys(outputs) if output.written]
    summary.rejects_file = written[0] if written else None
    if asked.json:
        shown = summary.shown() | (dry_run.told(forecast) if forecast else {})
        typer.echo(msgspec.json.encode(shown).decode())
    else:
        _show(summary, written)
        _show_encodings(asked.files, encodings)
        if forecast:
            dry_run.show(forecast)
    if not summary.accepted:
        raise Refused(_nothing(summary))
    poor = list(summary.values.poorly_read())
    if poor:
        typer.echo(f"More than a tenth of the values could not be read: {', '.join(poor)}", err=True)
        raise typer.Exit(EXIT_POORLY_READ)


def _show(summary: "Summary", written: list[str]) -> None:
    counts = summary.shown()
    unread = counts.pop("unread")
    counts.pop("rejectsFile")
    for name, count in counts.items():
        typer.echo(f"{name:<11}{count:>12,}")
    for column, values in unread.items():
        first = ", ".join(map(str, values["lines"]))
        more = ", ..." if values["count"] > len(values["lines"]) else ""
        typer.echo(f"Not read: {values['count']:,} of {column!r}, lines {first}{more}")
    for path in written:
        typer.echo(f"Rows that were set aside, with the reason: {path}")


def _show_encodings(files: Sequence[Path], encodings: Sequence[str]) -> None:
    """Name the encoding of each file of plain text."""
    from firmograph.ingest.reading.encodings import UTF_8, encoding_label

    for path, encoding in zip(files, encodings, strict=False):
        if encoding:
            how = "" if encoding == UTF_8 else "; if that is wrong, give another one with --encoding"
            typer.echo(f"Encoding of {path}: {encoding_label(encoding)}{how}")


def _nothing(summary: "Summary") -> str:
    if not summary.read:
        return "Nothing was imported: there is no row in what was given"
    kept_out = f", {summary.suppressed:,} suppressed" if summary.suppressed else ""
    where = f"; see {summary.rejects_file}" if summary.rejects_file else ""
    return (
        f"Nothing was imported: of {summary.read:,} rows {summary.rejected:,} were rejected{kept_out}{where}"
    )
