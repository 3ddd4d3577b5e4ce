"""Commands `firmograph lookalike contacts|companies|train`.

See docs/lookalikes.md. They show previews only, without e-mails and phones, so they need no account and are free.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.lookalike.output import csv_columns, table_layout
from firmograph.cli.output import Ids, note, open_output, plural
from firmograph.cli.progress import count_progress
from firmograph.cli.prospect.options import Raw
from firmograph.cli.prospect.output import OutputFormat, choose_format, write_previews
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.cli.lookalike.given_records import Identifier
    from firmograph.cli.lookalike.search import FoundLookalikes

app = typer.Typer(no_args_is_help=True)

SeedIds = Annotated[list[str] | None, typer.Option("--id", metavar="ID", help="Seed by its id; repeatable.")]
Domains = Annotated[
    list[str] | None, typer.Option("--domain", metavar="DOMAIN", help="Seed by its domain; repeatable.")
]
Pages = Annotated[
    list[str] | None, typer.Option("--linkedin", metavar="URL", help="Seed by its LinkedIn page; repeatable.")
]
Emails = Annotated[
    list[str] | None, typer.Option("--email", metavar="EMAIL", help="Seed by an e-mail; repeatable.")
]
Seeds = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Seeds: one a line, CSV or JSON Lines; - for standard input."),
]
Exclude = Annotated[
    str | None, typer.Option(metavar="FILE", help="Records that are no results, in a file as of --seeds.")
]
Limit = Annotated[int, typer.Option(min=1, max=10_000, metavar="N", help="Maximum results.")]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show for each result which attributes carried it, and how much.")
]
FormatOption = Annotated[
    OutputFormat | None,
    typer.Option("--format", help="Output format; by default a table, or that of the --output file."),
]
Output = Annotated[Path | None, typer.Option(metavar="FILE", help="File to write.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object: seeds that were not found, and results.")
]

_CONTACT_EXAMPLES = examples(
    "firmograph lookalike contacts --seeds champions.csv --exclude customers.csv --limit 100 --output found.csv",
    "firmograph lookalike contacts --seeds champions.csv --limit 5 --explain",
)
_COMPANY_EXAMPLES = examples(
    "firmograph lookalike companies --seeds best-customers.txt --explain",
    "firmograph lookalike companies --seeds best-customers.txt --exclude found.csv --output more.csv",
)


@app.callback()
def _group() -> None:
    """Find records that resemble others, and learn what makes them similar."""


@app.command(epilog=_CONTACT_EXAMPLES)
def contacts(
    id: SeedIds = None,
    linkedin: Pages = None,
    email: Emails = None,
    seeds: Seeds = None,
    exclude: Exclude = None,
    limit: Limit = 25,
    explain: Explain = False,
    format: FormatOption = None,
    output: Output = None,
    ids: Ids = False,
    raw: Raw = False,
    json: Json = False,
) -> None:
    """Find people like 5 to 100 others, the most similar first. Free previews without e-mails and phones."""
    options = {"id": id, "linkedin": linkedin, "email": email}
    chosen = choose_format(format, output, json=json)
    found = _find(Entity.CONTACT, options, seeds, exclude, limit, explain=explain)
    _print(found, Entity.CONTACT, chosen, output, explain=explain, ids=ids, raw=raw)


@app.command(epilog=_COMPANY_EXAMPLES)
def companies(
    id: SeedIds = None,
    domain: Domains = None,
    linkedin: Pages = None,
    seeds: Seeds = None,
    exclude: Exclude = None,
    limit: Limit = 25,
    explain: Explain = False,
    format: FormatOption = None,
    output: Output = None,
    ids: Ids = False,
    raw: Raw = False,
    json: Json = False,
) -> None:
    """Find companies like 5 to 100 others, the most similar first. Free previews."""
    options = {"id": id, "domain": domain, "linkedin": linkedin}
    chosen = choose_format(format, output, json=json)
    found = _find(Entity.COMPANY, options, seeds, exclude, limit, explain=explain)
    _print(found, Entity.COMPANY, chosen, output, explain=explain, ids=ids, raw=raw)


def _find(
    entity: Entity,
    options: Mapping[str, Sequence[str] | None],
    seeds: str | None,
    exclude: str | None,
    limit: int,
    *,
    explain: bool,
) -> "FoundLookalikes":
    from firmograph.cli.lookalike.given_records import read_records, records_of_options
    from firmograph.cli.lookalike.search import find_lookalikes

    given = records_of_options(options)
    if seeds is not None:
        in_file = read_records(seeds, entity)
        if not in_file:
            raise Refused(f"{'Standard input' if seeds == '-' else seeds} names no records")
        given += in_file
    elif not given:
        raise typer.BadParameter(
            f"give seeds with --seeds FILE, or one by one with {', '.join(f'--{name}' for name in options)}"
        )
    excluded = [] if exclude is None else read_records(exclude, entity)
    installation = open_installation()
    try:
        return find_lookalikes(installation, entity, given, excluded, limit, explain=explain)
    except KeyboardInterrupt:
        raise Refused("Interrupted") from None
    finally:
        installation.database.close()


def _print(
    found: "FoundLookalikes",
    entity: Entity,
    format: OutputFormat,
    output: Path | None,
    *,
    explain: bool,
    ids: bool,
    raw: bool,
) -> None:
    missing = [
        {"seed": _text(each.seed.identifiers), "given": each.seed.place, "reason": each.reason}
        for each in found.seeds.missing
    ]
    if format is not OutputFormat.JSON:
        for each in missing:
            note(f"Not found: {each['seed']} ({each['given']}: {each['reason']})")
    head: Mapping[str, object] = {"seeds": found.seeds.found, "notFound": missing}
    with open_output(output) as out:
        write_previews(
            found.rows,
            entity,
            head,
            format,
            out,
            csv_columns=csv_columns(explain=explain),
            table=table_layout(explain=explain, ids=ids),
            raw=raw,
        )
    if output or format is not OutputFormat.JSON:
        note(_summary(found, entity))


def _summary(found: "FoundLookalikes", entity: Entity) -> str:
    seeds = f"{found.seeds.found} of {found.seeds.given} seeds"
    if not found.rows:
        return f"No {entity.plural} resemble {seeds}"
    return f"{len(found.rows):,} {plural(len(found.rows), entity.singular, entity.plural)} like {seeds}"


def _text(identifiers: "Sequence[Identifier]") -> str:
    return ", ".join(each.text for each in identifiers) or "nothing"


class _TrainingReport(msgspec.Struct, rename="camel"):
    number: int
    bytes: int


@app.command(epilog=examples("firmograph lookalike train"))
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
