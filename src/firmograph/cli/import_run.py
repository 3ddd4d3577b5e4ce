"""Options, execution and report shared by all import commands."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from firmograph.cli import dry_run
from firmograph.cli.import_summary import (
    FileForm,
    form_json,
    no_rows_message,
    print_encodings,
    print_summary,
    print_values_file,
)
from firmograph.cli.losses import exit_if_lost
from firmograph.cli.sentences import say
from firmograph.kit.errors import FirmographError, Refused

if TYPE_CHECKING:
    from firmograph.directory.normalise.written_dates import Order
    from firmograph.ingest.reading.readers import ReadOptions
    from firmograph.ingest.records.prepared_rows import Reject
    from firmograph.ingest.rejected_rows import RejectedRowsFile
    from firmograph.ingest.rejects import RejectsFile
    from firmograph.ingest.service import Progress
    from firmograph.ingest.summary import Summary
    from firmograph.installation import Installation
    from firmograph.settings import Settings
    from firmograph.webhooks.deliveries.forecast import Forecast

_MAX_SOURCE = 100
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
RejectsWithValues = Annotated[
    Path | None,
    typer.Option(
        "--rejects-with-values",
        metavar="FILE",
        help="New file for rejected rows with all their values, to mend and import again.",
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
    with_values: Path | None = None
    """File for rejected rows with their values."""
    merged: Path | None = None
    """File for joined records."""
    suppress_opted_out: bool = False
    complete: bool = False
    """Whether the files are all of the source."""


class ImportHooks(NamedTuple):
    on_reject: OnReject
    on_progress: OnProgress


ImportFunction = Callable[["Installation", ImportHooks], "Summary"]
"""Function that performs the import."""


def check_source(name: str) -> str:
    """Return a source's name on one line. Raises Refused for an invalid one."""
    source = " ".join(name.split())
    if not 0 < len(source) <= _MAX_SOURCE or not source.isprintable():
        raise Refused(
            f"A source name has 1 to {_MAX_SOURCE} printable characters; choose another with --source"
        )
    return source


def make_read_options(
    encoding: str, sheet: str, dates: "Order | None" = None, country: str = ""
) -> "ReadOptions":
    """Return the reading options of files. Raises Refused for an unknown encoding or country."""
    from firmograph.directory.normalise.locations import country_code
    from firmograph.ingest.reading.encodings import resolve_encoding
    from firmograph.ingest.reading.readers import ReadOptions

    code = country_code(country) if country else ""
    if code is None:
        raise Refused(
            f"{country!r} is no country; give --country a name or a code of two letters, such as DE"
        )
    return ReadOptions(
        encoding=resolve_encoding(encoding) if encoding else "", sheet=sheet, dates=dates, country=code
    )


def print_unused_columns(path: Path, names: Sequence[str]) -> None:
    """Print the columns of a table without a meaning."""
    if names:
        say(f"{path}: unused columns: {', '.join(names)}", err=True)


def print_other_sheets(path: Path, sheet: str, others: Sequence[str]) -> None:
    """Print which sheet of a workbook is read, if it has others."""
    if others:
        say(f"{path}: sheet {sheet!r} is read, not {', '.join(others)}; --sheet NAME reads another", err=True)


def print_other_lists(path: Path, name: str, others: Sequence[str]) -> None:
    """Print which list in a JSON object is read, if it has others."""
    if others:
        say(f"{path}: the list {name!r} is read, not {', '.join(others)}", err=True)


def suggest_other_kind(path: Path, kind: str) -> None:
    """Suggest the command for a file that looks like another kind."""
    say(f"{path} looks like a file of {kind}: firmograph import {kind} {path}", err=True)


def suggest_date_order(unread: Iterable[str], dates: AbstractSet[str]) -> None:
    """Suggest `--dates` for unreadable columns of dates; `unread` and `dates` are columns."""
    columns = [repr(column) for column in unread if column in dates]
    if columns:
        say(
            f"Dates in {', '.join(columns)} could not be read; if the file does not show whether day or month comes"
            " first, give --dates dmy or --dates mdy",
            err=True,
        )


def suggest_country(local_numbers: int) -> None:
    """Suggest `--country` for telephone numbers that no country tells how to read."""
    from firmograph.cli.output import plural

    if local_numbers:
        say(
            f"{local_numbers:,} telephone {plural(local_numbers, 'number')} without a country code, in rows without a"
            " country. If all of them are of one country, give it (--country DE); else add a column with the country",
            err=True,
        )


def run_import(
    settings: "Settings", request: ImportRequest, import_: ImportFunction, forms: Sequence[FileForm]
) -> None:
    """Run or dry-run an import, and report its results and the forms of the files.

    Raises Refused if it is interrupted, or if no row was imported or unchanged.
    """
    from firmograph.cli.context import open_installation

    rejects = _rejects_files(request)
    outputs = _Outputs(rejects, _values_file(request, forms, rejects))
    if request.dry_run:
        with dry_run.open_dry_run(settings) as copy:
            before = dry_run.last_signal(copy.database)
            summary = _run(request, outputs, lambda hooks: import_(copy, hooks))
            _report(summary, outputs, request, forms, dry_run.forecast(copy, before))
        return
    installation = open_installation(settings, creates=True)
    try:
        summary = _run(request, outputs, lambda hooks: import_(installation, hooks))
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


def _values_file(
    request: ImportRequest, forms: Sequence[FileForm], rejects: Iterable["RejectsFile"]
) -> "RejectedRowsFile | None":
    """Return the file of rejected rows with their values, if it was asked for."""
    from firmograph.ingest.rejected_rows import RejectedRowsFile

    path = request.with_values
    if path is None:
        return None
    if path.resolve() in {each.path.resolve() for each in rejects}:
        raise Refused(f"{path} is the rejects file; choose another one with --rejects-with-values")
    if any((form.columns, form.delimiter) != (forms[0].columns, forms[0].delimiter) for form in forms):
        raise Refused(
            "The files have different columns, so --rejects-with-values cannot write their rows to one file; import"
            " them one by one"
        )
    return RejectedRowsFile(path, forms[0].columns, forms[0].delimiter)


class _Outputs(NamedTuple):
    """Files of rejected rows."""

    rejects: list["RejectsFile"]
    """One per file to import, or one for all."""
    values: "RejectedRowsFile | None"

    def add(self, file: int, path: str, reject: "Reject") -> None:
        self.rejects[file].add(reject, path)
        if self.values:
            self.values.add(reject)


def _run(request: ImportRequest, outputs: _Outputs, import_: Callable[[ImportHooks], "Summary"]) -> "Summary":
    """Import with a progress bar and rejects files. Raises Refused if interrupted."""
    from firmograph.cli.progress import import_progress

    paths = [str(path) for path in request.files]
    with ExitStack() as stack:
        if outputs.values:
            stack.enter_context(outputs.values)
        for output in dict.fromkeys(outputs.rejects):
            stack.enter_context(output)
        report = stack.enter_context(import_progress(paths))
        try:
            return import_(ImportHooks(lambda file, reject: outputs.add(file, paths[file], reject), report))
        except KeyboardInterrupt:
            if request.dry_run:
                raise Refused("Interrupted; nothing was changed") from None
            raise Refused(
                "Interrupted; rows imported so far are kept. Run the same command again to continue"
            ) from None


def print_waiting(why: FirmographError) -> None:
    from firmograph.ingest.commits import waiting_message

    say(waiting_message(why), err=True)


def _report(
    summary: "Summary",
    outputs: _Outputs,
    request: ImportRequest,
    forms: Sequence[FileForm],
    forecast: "Forecast | None" = None,
) -> None:
    written = [str(output.path) for output in dict.fromkeys(outputs.rejects) if output.written]
    summary.rejects_file = written[0] if written else None
    if outputs.values and outputs.values.written:
        summary.values_file = str(outputs.values.path)
    if request.json:
        from firmograph.cli.output import print_json

        report = (
            summary.json_fields() | form_json(forms) | (dry_run.forecast_json(forecast) if forecast else {})
        )
        if not forecast:
            report["import"] = summary.import_id
        print_json(report)
    else:
        print_summary(summary, written, suppresses=request.suppress_opted_out)
        if outputs.values:
            print_values_file(outputs.values)
        print_encodings(request.files, forms)
        if forecast:
            dry_run.print_forecast(forecast)
    if not request.json and not forecast and summary.can_be_undone and summary.accepted:
        number = summary.import_id
        say(f"This was import {number}; to take it back: firmograph import undo {number}", err=True)
    if not summary.accepted:
        raise Refused(no_rows_message(summary))
    unreadable = list(summary.values.poorly_read())
    if unreadable:
        say(f"More than a tenth of the values could not be read: {', '.join(unreadable)}", err=True)
    exit_if_lost(summary.lost, summary.values.count_unread())
