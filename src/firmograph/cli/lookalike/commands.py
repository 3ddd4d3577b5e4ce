"""Command `firmograph lookalike`: its sub-commands."""

from typing import Annotated

import msgspec
import typer

from firmograph.cli.context import open_installation
from firmograph.cli.progress import count_progress
from firmograph.kit.errors import Refused

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Find records that resemble others, and learn what makes them similar."""


class _TrainingReport(msgspec.Struct, rename="camel"):
    number: int
    bytes: int


@app.command()
def train(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Learn a new similarity model from the records now.

    Servers change over to it by themselves. They also learn one in the background whenever the records have doubled.
    """
    report = _train()
    if as_json:
        typer.echo(msgspec.json.encode(report))
    else:
        typer.echo(f"Similarity model {report.number} is in force ({report.bytes / 1e6:,.1f} MB)")


def _train() -> _TrainingReport:
    from firmograph.lookalikes.model.training import learn_next, put_in_force

    installation = open_installation()
    try:
        with count_progress("Records") as show_progress:
            model = learn_next(installation.database, show_progress)
        is_in_force = put_in_force(installation.database, installation.clock, model)
    except KeyboardInterrupt:
        raise Refused("Interrupted; the model in force is unchanged") from None
    finally:
        installation.database.close()
    if not is_in_force:
        raise Refused("Another process has put a newer model in force first")
    return _TrainingReport(model.number, len(model.content))
