"""`firmograph index`: the checkpoint of the search index, up to date, so that a server starts at once."""

from typing import Annotated

import msgspec
import typer

from firmograph.cli.context import open_database
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
    """The place in the change sequence up to which every change can be found."""
    rebuilt: bool
    """Made from the records, not from an earlier checkpoint."""


@app.command()
def index(
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make it from all records, whatever there is.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Bring the checkpoint of the search index up to date, or make it where there is none that can be used.

    Servers keep it by themselves; run this after a large import, before the first server starts, or to be sure.
    """
    held = _renew(rebuild)
    if as_json:
        typer.echo(msgspec.json.encode(held))
        return
    typer.echo(f"{'Made anew' if held.rebuilt else 'Up to date'}: {held.path} ({held.bytes / 1e6:,.1f} MB)")
    typer.echo(f"{held.contacts:,} contacts, {held.companies:,} companies, {held.applied:,} changes")


def _renew(anew: bool) -> _IndexReport:
    from firmograph.cli.logs import set_up_logs
    from firmograph.prospecting.engines.memory.checkpoints import Checkpoints

    settings = load_settings()
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    database = open_database(settings)
    checkpoints = Checkpoints(database, settings.search_folder)
    try:
        with count_progress("Search index") as told:
            renewed = checkpoints.renew(force_rebuild=anew, report=told)
    except KeyboardInterrupt:
        raise Refused("Interrupted; the checkpoint is as it was") from None
    except OSError as error:
        raise Refused(f"The checkpoint cannot be written to {checkpoints.path}: {error.strerror}") from error
    finally:
        database.close()
    engine = renewed.engine
    return _IndexReport(
        str(checkpoints.path),
        checkpoints.path.stat().st_size,
        engine.contacts.documents.living,
        engine.companies.documents.living,
        engine.applied,
        renewed.rebuilt,
    )
