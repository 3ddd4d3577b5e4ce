"""What all commands of `firmograph import` have in common: their options, the rejects files, the run and its report."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
import typer

from firmograph.kit.errors import Busy, FirmographError, Refused

if TYPE_CHECKING:
    from firmograph.ingest.prepared import Reject
    from firmograph.ingest.rejects import RejectsFile
    from firmograph.ingest.service import Progress
    from firmograph.ingest.summary import Summary

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
Rejects = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Where rows that were set aside are noted; by default FILE.rejects.jsonl."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

OnReject = Callable[[int, "Reject"], None]
OnProgress = Callable[["Progress"], None]
S = TypeVar("S", bound="Summary")


def checked_source(given: str) -> str:
    """A source's name on one line. Raises Refused."""
    source = " ".join(given.split())
    if not 0 < len(source) <= _MAX_SOURCE or not source.isprintable():
        raise Refused(
            f"A source's name has 1 to {_MAX_SOURCE} printable characters; give another one with --source"
        )
    return source


def tell_unused(path: Path, names: Sequence[str]) -> None:
    """Name the columns of a table that mean nothing."""
    if names:
        typer.echo(f"{path}: columns that are not used: {', '.join(names)}", err=True)


def rejects_files(files: list[Path], given: Path | None) -> list["RejectsFile"]:
    """The rejects file of each file: its own, or the one that was asked for."""
    from firmograph.ingest.rejects import RejectsFile, rejects_path

    if given is None:
        by_path = {path: RejectsFile(rejects_path(path)) for path in files}
        return [by_path[path] for path in files]
    if given.resolve() in [path.resolve() for path in files]:
        raise Refused(f"{given} is to be imported; choose another file with --rejects")
    return [RejectsFile(given, tell_file=len(files) > 1)] * len(files)


def run(
    paths: Sequence[str], outputs: list["RejectsFile"], importing: Callable[[OnReject, OnProgress], S]
) -> S:
    """Import with a progress bar, rejects going to their files. Raises Refused when it is interrupted."""
    from firmograph.cli.progress import import_progress

    with ExitStack() as stack:
        for output in dict.fromkeys(outputs):
            stack.enter_context(output)
        told = stack.enter_context(import_progress(paths))
        try:
            return importing(lambda file, reject: outputs[file].add(reject, paths[file]), told)
        except KeyboardInterrupt:
            raise Refused("Interrupted; what is in stays in. Run the same command again to go on") from None


def tell_waiting(why: FirmographError) -> None:
    from firmograph.ingest.commits import WAIT_SECONDS

    reason = "is being written by another process" if isinstance(why, Busy) else "cannot be reached"
    typer.echo(f"The database {reason}; waiting for it, up to {WAIT_SECONDS:.0f} s", err=True)


def report(summary: "Summary", outputs: list["RejectsFile"], json: bool) -> None:
    """Say what an import did. Raises Refused when no row went in or was there already."""
    written = [str(output.path) for output in dict.fromkeys(outputs) if output.written]
    summary.rejects_file = written[0] if written else None
    if json:
        typer.echo(msgspec.json.encode(summary).decode())
    else:
        _show(summary, written)
    if not summary.taken:
        raise Refused(_nothing(summary))


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
