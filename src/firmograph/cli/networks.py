"""Command group `firmograph networks`: owners of address ranges (docs/reference/visit-tracking.md#networks)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, note, plural, print_json, write_table
from firmograph.kit.clock import iso

if TYPE_CHECKING:
    from firmograph.visits.networks.files import ReadNetworks
    from firmograph.visits.networks.service import Networks
    from firmograph.visits.networks.types import NetworkSource

app = typer.Typer(no_args_is_help=True, help="Owners of networks, by which website visitors are recognised.")

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _open(*, creates: bool = False) -> "Networks":
    from firmograph.cli.context import open_installation
    from firmograph.visits.networks.service import Networks

    return open_installation(creates=creates).get(Networks)


@app.command(
    epilog=examples(
        "firmograph networks load networks.csv",
        "firmograph networks load GeoLite2-Country.mmdb --source maxmind",
    )
)
def load(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV or Parquet with network, name, domain, type, country; or a database in MaxMind's format.",
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Name of the source; by default that of the file without its ending."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Load the owners of networks, in place of those that the source had.

    Networks of type business, education and government name the company of a visitor; those of type isp, hosting and
    without a type give the country alone. They apply to page views that come in from then on.
    """
    name = file.name.partition(".")[0] if source is None else source.strip()
    if not name:
        raise typer.BadParameter("must be a name", param_hint="--source")
    counts = _open(creates=True).load(file, name)
    if json:
        rejected = [{"line": line, "reason": reason} for line, reason in counts.rejected.items()]
        shown = {"networks": counts.networks, "companies": counts.companies, "rejections": counts.rejections}
        print_json({"source": name, **shown, "rejected": rejected, "unknownTypes": counts.unknown_kinds})
    else:
        typer.echo(f"{counts.networks:,} networks of {name!r}, {counts.companies:,} of which name a company")
    _report_losses(counts)
    if counts.rejections:
        raise typer.Exit(3)


def _report_losses(counts: "ReadNetworks") -> None:
    for line, reason in counts.rejected.items():
        note(f"line {line}: {reason}")
    if counts.rejections > len(counts.rejected):
        note(f"{counts.rejections - len(counts.rejected):,} more lines are no network")
    for kind, count in counts.unknown_kinds.items():
        note(
            f"type {kind!r} of {count:,} {plural(count, 'network')} is none of business, education, government, isp,"
            " hosting: they name no company"
        )


@app.command("list", epilog=examples("firmograph networks list"))
def list_(json: Json = False) -> None:
    """List the loaded sources of networks."""
    sources = _open().sources()
    if json:
        print_json(
            [
                {
                    "source": one.name,
                    "file": one.file,
                    "loadedAt": iso(one.loaded_at),
                    "networks": one.networks,
                    "companies": one.companies,
                }
                for one in sources
            ]
        )
        return
    columns: list[Column[NetworkSource]] = [
        Column("SOURCE", lambda one: one.name, whole=True),
        Column("NETWORKS", lambda one: one.networks),
        Column("OF COMPANIES", lambda one: one.companies),
        Column("LOADED", lambda one: iso(one.loaded_at)[:10], 1, whole=True),
        Column("FILE", lambda one: one.file, 2),
    ]
    write_table(sources, columns, empty="No networks yet; load some with `firmograph networks load FILE`")


@app.command(epilog=examples("firmograph networks remove maxmind"))
def remove(source: Annotated[str, typer.Argument(metavar="NAME", help="Name of the source.")]) -> None:
    """Remove the networks of a source; sessions keep the company that they have."""
    removed = _open().remove(source)
    typer.echo(f"Removed {removed.networks:,} networks of {removed.name!r}")
