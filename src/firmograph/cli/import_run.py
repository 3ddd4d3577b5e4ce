"""Options, execution and report shared by all import commands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from firmograph.cli import dry_run
from firmograph.cli.losses import exit_if_lost
from firmograph.kit.errors import FirmographError, Refused

if TYPE_CHECKING:
    from firmograph.database.connection import Database
    from firmograph.directory.normalise.written_dates import Order
    from firmograph.ingest.reading.readers import ReadOptions
    from firmograph.ingest.records.prepared_rows import Reject
    from firmograph.ingest.records.unread_values import UnreadValues
    from firmograph.ingest.rejects import RejectsFile
    from firmograph.ingest.service import Progress
    from firmograph.ingest.summary import Summary
    from firmograph.security.keyring import Keyring
    from firmograph.settings import Settings
    from firmograph.webhooks.deliveries.forecast import Forecast

_MAX_SOURCE = 100
_MAX_UNKNOWN = 20
"""Unknown columns or keys that are printed."""
DEFAULT_SOURCE = "default"
"""Source without `--source`, so that a renamed file stays the same source."""

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...", help="JSON Lines, CSV, Parquet or .xlsx files, plain, gzipped or in a ZIP."
    ),
]
Source = Annotated[
    str,
    typer.Option(
        help="Source of the data. The last row of each source counts; sources are merged.",
        metavar="NAME",
    ),
]
Encoding = Annotated[
    str,
    typer.Option(metavar="NAME", help="Encoding of text files if detected wrongly, such as windows-1250."),
]
Sheet = Annotated[str, typer.Option(metavar="NAME", help="Sheet of Excel workbooks; the first by default.")]
Rejects = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File for rejected rows; FILE.rejects.jsonl by default."),
]
NoDeliver = Annotated[
    bool, typer.Option("--no-deliver", help="Detect signals without delivering them to webhooks.")
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Change nothing; report the results, signals, deliveries and their cost. Rejects are written only with"
        " --rejects.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

OnReject = Callable[[int, "Reject"], None]
OnProgress = Callable[["Progress"], None]


class ImportRequest(NamedTuple):
    """Options common to all kinds of imports."""

    files: list[Path]
    source: str
    rejects: Path | None
    no_deliver: bool
    dry_run: bool
    json: bool


class ImportHooks(NamedTuple):
    on_reject: OnReject
    on_progress: OnProgress


class FileForm(NamedTuple):
    """How a file is read; empty parts do not apply to its format."""

    encoding: str
    delimiter: str


ImportFunction = Callable[["Database", "Keyring", ImportHooks], "Summary"]
"""Function that performs the import."""


def check_source(name: str) -> str:
    """Return a source's name on one line. Raises Refused for an invalid one."""
    source = " ".join(name.split())
    if not 0 < len(source) <= _MAX_SOURCE or not source.isprintable():
        raise Refused(
            f"A source name has 1 to {_MAX_SOURCE} printable characters; choose another with --source"
        )
    return source


def make_read_options(encoding: str, sheet: str, dates: "Order | None" = None) -> "ReadOptions":
    """Return the reading options of files. Raises Refused for an unknown encoding."""
    from firmograph.ingest.reading.encodings import resolve_encoding
    from firmograph.ingest.reading.readers import ReadOptions

    return ReadOptions(encoding=resolve_encoding(encoding) if encoding else "", sheet=sheet, dates=dates)


def print_unused_columns(path: Path, names: Sequence[str]) -> None:
    """Print the columns of a table without a meaning."""
    if names:
        typer.echo(f"{path}: unused columns: {', '.join(names)}", err=True)


def print_other_sheets(path: Path, sheet: str, others: Sequence[str]) -> None:
    """Print which sheet of a workbook is read, if it has others."""
    if others:
        typer.echo(
            f"{path}: sheet {sheet!r} is read, not {', '.join(others)}; --sheet NAME reads another", err=True
        )


def print_other_lists(path: Path, name: str, others: Sequence[str]) -> None:
    """Print which list in a JSON object is read, if it has others."""
    if others:
        typer.echo(f"{path}: the list {name!r} is read, not {', '.join(others)}", err=True)


def suggest_other_kind(path: Path, kind: str) -> None:
    """Suggest the command for a file that looks like another kind."""
    typer.echo(f"{path} looks like a file of {kind}: firmograph import {kind} {path}", err=True)


def suggest_date_order(unread: Iterable[str], dates: AbstractSet[str]) -> None:
    """Suggest `--dates` for unreadable columns of dates; `unread` and `dates` are columns."""
    columns = [repr(column) for column in unread if column in dates]
    if columns:
        typer.echo(
            f"Dates in {', '.join(columns)} could not be read; if the file does not show whether day or month comes"
            " first, give --dates dmy or --dates mdy",
            err=True,
        )


def run_import(
    settings: "Settings", request: ImportRequest, import_: ImportFunction, forms: Sequence[FileForm]
) -> None:
    """Run or dry-run an import, and report its results and the forms of the files.

    Raises Refused if it is interrupted, or if no row was imported or unchanged.
    """
    from firmograph.cli.context import open_installation

    outputs = _rejects_files(request)
    if request.dry_run:
        with dry_run.open_dry_run(settings) as copy:
            before = dry_run.last_signal(copy.database)
            summary = _run(request, outputs, lambda hooks: import_(copy.database, copy.keyring, hooks))
            _report(summary, outputs, request, forms, dry_run.forecast(copy, before))
        return
    installation = open_installation(settings)
    try:
        database, keyring = installation.database, installation.keyring
        summary = _run(request, outputs, lambda hooks: import_(database, keyring, hooks))
    finally:
        installation.database.close()
    _report(summary, outputs, request, forms)


def _rejects_files(request: ImportRequest) -> list["RejectsFile"]:
    """Return each file's rejects file: the requested one, or its own, which a dry run does not write."""
    from firmograph.ingest.rejects import NoRejectsFile, RejectsFile, default_rejects_path

    files, given = request.files, request.rejects
    if given is None:
        kind = NoRejectsFile if request.dry_run else RejectsFile
        by_path = {path: kind(default_rejects_path(path)) for path in files}
        return [by_path[path] for path in files]
    if given.resolve() in [path.resolve() for path in files]:
        raise Refused(f"{given} is one of the files to import; choose another file with --rejects")
    return [RejectsFile(given, with_file_names=len(files) > 1)] * len(files)


def _run(
    request: ImportRequest, outputs: list["RejectsFile"], import_: Callable[[ImportHooks], "Summary"]
) -> "Summary":
    """Import with a progress bar and rejects files. Raises Refused if interrupted."""
    from firmograph.cli.progress import import_progress

    paths = [str(path) for path in request.files]
    with ExitStack() as stack:
        for output in dict.fromkeys(outputs):
            stack.enter_context(output)
        report = stack.enter_context(import_progress(paths))
        try:
            return import_(ImportHooks(lambda file, reject: outputs[file].add(reject, paths[file]), report))
        except KeyboardInterrupt:
            if request.dry_run:
                raise Refused("Interrupted; nothing was changed") from None
            raise Refused(
                "Interrupted; rows imported so far are kept. Run the same command again to continue"
            ) from None


def print_waiting(why: FirmographError) -> None:
    from firmograph.ingest.commits import waiting_message

    typer.echo(waiting_message(why), err=True)


def _report(
    summary: "Summary",
    outputs: list["RejectsFile"],
    request: ImportRequest,
    forms: Sequence[FileForm],
    forecast: "Forecast | None" = None,
) -> None:
    written = [str(output.path) for output in dict.fromkeys(outputs) if output.written]
    summary.rejects_file = written[0] if written else None
    if request.json:
        from firmograph.cli.output import print_json

        report = (
            summary.json_fields() | form_json(forms) | (dry_run.forecast_json(forecast) if forecast else {})
        )
        print_json(report)
    else:
        _print_summary(summary, written)
        _print_encodings(request.files, forms)
        if forecast:
            dry_run.print_forecast(forecast)
    if not summary.accepted:
        raise Refused(_no_rows_message(summary))
    unreadable = list(summary.values.poorly_read())
    if unreadable:
        typer.echo(f"More than a tenth of the values could not be read: {', '.join(unreadable)}", err=True)
    exit_if_lost(summary.lost, summary.values.count_unread())


def _print_summary(summary: "Summary", written: list[str]) -> None:
    from firmograph.cli.output import write_fields

    values = summary.values
    write_fields((name, count) for name, count in summary.json_fields().items() if isinstance(count, int))
    print_unread(values.unread)
    print_changed_lines({"repaired": values.repaired, "skipped": values.skipped})
    print_unknown(values.unknown)
    for path in written:
        typer.echo(f"Rejected rows, with reasons: {path}")


def print_unread(values: Mapping[str, "UnreadValues"]) -> None:
    """Print the unread values of each column."""
    for column, unread in values.items():
        typer.echo(f"Not read: {unread.count:,} of {column!r}, lines {_first_lines(unread)}")


_CHANGED_LINES = {"repaired": "Rows repaired", "skipped": "Skipped, as they are no rows"}


def print_changed_lines(lines: Mapping[str, "UnreadValues"]) -> None:
    """Print the repaired and skipped lines, if there are any."""
    for name, each in lines.items():
        if each.count:
            typer.echo(f"{_CHANGED_LINES[name]}: {each.count:,}, lines {_first_lines(each)}")


def print_unknown(counts: Mapping[str, int]) -> None:
    """Print the columns and keys that nothing reads, if there are any."""
    if counts:
        columns = [f"{name!r} ({count:,})" for name, count in list(counts.items())[:_MAX_UNKNOWN]]
        more = ", ..." if len(counts) > _MAX_UNKNOWN else ""
        typer.echo(f"Not used, with the rows that have a value: {', '.join(columns)}{more}")


def _first_lines(values: "UnreadValues") -> str:
    more = ", ..." if values.count > len(values.lines) else ""
    return ", ".join(map(str, values.lines)) + more


def form_json(forms: Sequence[FileForm]) -> dict[str, object]:
    """Return encoding and delimiter; a list of those of each file where the files differ."""
    from firmograph.ingest.reading.encodings import encoding_label

    encodings = [encoding_label(form.encoding) or None for form in forms]
    delimiters = [form.delimiter or None for form in forms]
    shown = {"encoding": encodings, "delimiter": delimiters}
    return {name: each[0] if len(set(each)) == 1 else each for name, each in shown.items()}


def _print_encodings(files: Sequence[Path], forms: Sequence[FileForm]) -> None:
    """Print the encoding of each text file."""
    from firmograph.ingest.reading.encodings import UTF_8, encoding_label

    for path, form in zip(files, forms, strict=True):
        if encoding := form.encoding:
            hint = "" if encoding == UTF_8 else "; if that is wrong, choose another with --encoding"
            typer.echo(f"Encoding of {path}: {encoding_label(encoding)}{hint}")


def _no_rows_message(summary: "Summary") -> str:
    if not summary.read:
        return "Nothing was imported: the files have no rows"
    suppressed = f", {summary.suppressed:,} suppressed" if summary.suppressed else ""
    where = f"; see {summary.rejects_file}" if summary.rejects_file else ""
    return f"Nothing was imported: of {summary.read:,} rows {summary.rejected:,} were rejected{suppressed}{where}"
