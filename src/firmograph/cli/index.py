"""Command `firmograph index`: updates the checkpoint of the search index, for fast server starts."""

from typing import Annotated

import msgspec
import typer

from firmograph.cli.context import open_database
from firmograph.cli.help_texts import examples
from firmograph.cli.progress import count_progress
from firmograph.kit.errors import Refused
from firmograph.settings import load_settings

app = typer.Typer()


class _IndexReport(msgspec.Struct, rename="camel"):
    path: str
    bytes: int
    contacts: int
    companies: int
    applied: int
    """Last applied number of the change sequence."""
    rebuilt: bool
    """Built from the records, not from an earlier checkpoint."""


@app.command(epilog=examples("firmograph index", "firmograph index --rebuild"))
def index(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild it from all records.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Update the checkpoint of the search index, or rebuild it if there is no usable one.

    Servers update it themselves; run this after a large import or before the first server starts.
    The similarity index is prepared by `firmograph lookalike` or by the server.
    """
    report = _renew(rebuild)
    if as_json:
        typer.echo(msgspec.json.encode(report))
        return
    typer.echo(
        f"{'Rebuilt' if report.rebuilt else 'Up to date'}: {report.path} ({report.bytes / 1e6:,.1f} MB)"
    )
    typer.echo(f"{report.contacts:,} contacts, {report.companies:,} companies, {report.applied:,} changes")


def _renew(rebuild: bool) -> _IndexReport:
    from firmograph.kit.logs import set_up_logs
    from firmograph.prospecting.engines.registry import engine_factory

    settings = load_settings()
    factory = engine_factory(settings)
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    database = open_database(settings)
    try:
        with count_progress("Search index") as show_progress:
            summary = factory.update(database, settings, show_progress, rebuild=rebuild)
    except KeyboardInterrupt:
        raise Refused("Interrupted; the checkpoint is unchanged") from None
    finally:
        database.close()
    return _IndexReport(
        summary.location,
        summary.bytes,
        summary.contacts,
        summary.companies,
        summary.applied,
        summary.rebuilt,
    )
