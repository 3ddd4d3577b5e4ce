"""Command group `firmograph source`: sources, and their removal (docs/reference/import.md#removal-of-a-source)."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.import_history import USES
from firmograph.cli.sentences import say
from firmograph.kit.clock import iso
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.ingest.imports.removal_run import RemovalCounts
    from firmograph.ingest.imports.sources import RemovalPreview, SourceView
    from firmograph.installation import Installation

app = typer.Typer(no_args_is_help=True, help="List sources; remove one.")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Source, as given with --source; `default` without one.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing; count all that would go.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]

_OUT_OF_REACH: Final = (
    "Not reached by this: backups made before (a restore takes the source out again), the imported files, exports, and"
    " what receivers have got. What was delivered and charged stays in ledger and audit"
)


@app.command("list", epilog=examples("firmograph source list"))
def list_(json: Json = False) -> None:
    """List all sources with their counts."""
    from firmograph.cli.output import Column, print_json, write_table
    from firmograph.ingest.imports.sources import Sources

    views = open_installation().get(Sources).all()
    if json:
        print_json([_fields(each) for each in views])
        return
    columns: list[Column[SourceView]] = [
        Column("SOURCE", lambda one: one.name, least=24),
        Column("STATE", lambda one: one.state, whole=True),
        Column("CONTACTS", lambda one: one.sizes[Entity.CONTACT].records),
        Column("COMPANIES", lambda one: one.sizes[Entity.COMPANY].records),
        Column("FACTS", lambda one: ", ".join(one.feeds), 1),
        Column("CONTACT ROWS", lambda one: one.sizes[Entity.CONTACT].rows, 3),
        Column("COMPANY ROWS", lambda one: one.sizes[Entity.COMPANY].rows, 3),
        Column("FIRST IMPORT", lambda one: _day(one, 0), 2, whole=True),
        Column("LAST IMPORT", lambda one: _day(one, -1), 1, whole=True),
    ]
    write_table(views, columns, empty="No sources yet")


@app.command(epilog=examples("firmograph source show crm"))
def show(name: Name, json: Json = False) -> None:
    """Show the records, rows by kind, facts, signals and imports of a source."""
    from firmograph.cli.output import print_json, write_fields
    from firmograph.ingest.imports.sources import Sources

    fields = _fields(open_installation().get(Sources).find(name))
    if json:
        print_json(fields)
        return
    removed = fields.pop("removed") or {}
    fields["facts"] = ", ".join(fields["facts"])
    write_fields((fields | {f"removed {name}": count for name, count in removed.items()}).items())


@app.command(epilog=examples("firmograph source remove crm --dry-run", "firmograph source remove crm"))
def remove(name: Name, dry_run: DryRun = False, yes: Yes = False, json: Json = False) -> None:
    """Remove everything that a source stated.

    Its rows, facts and the signals that no other source states go. Each record is then merged from the rows of other
    sources; one without any goes, with its signals and rows of tables. Removed data leaves the files of an embedded
    database. An interrupted removal goes on when the command runs again. --dry-run shows
    the counts first.
    """
    from firmograph.cli.output import print_json
    from firmograph.ingest.imports.runs import AlreadyTaken
    from firmograph.ingest.imports.sources import Sources

    installation = open_installation()
    asks = not yes and sys.stdin.isatty() and sys.stderr.isatty()
    if dry_run or asks:
        preview = installation.get(Sources).preview_removal(name)
        if dry_run and json:
            print_json(_preview_fields(name, preview))
        else:
            _print_preview(preview, err=not dry_run)
        if dry_run:
            return
        typer.confirm(f"Remove the source {name!r}?", abort=True, err=True)
    try:
        counts = _remove(installation, name)
    except AlreadyTaken:
        # the removal may have been killed before its last step
        _clear(installation)
        raise
    erased = _clear(installation)
    if json:
        print_json({"source": name, **msgspec.to_builtins(counts), **erased})
        return
    say(_removed_text(name, counts))
    say(_OUT_OF_REACH, err=True)


def _remove(installation: "Installation", name: str) -> "RemovalCounts":
    """Remove a source with a progress bar. Raises Refused if interrupted."""
    from firmograph.cli.import_run import print_waiting
    from firmograph.cli.progress import count_progress
    from firmograph.ingest.imports.removal import SourceRemoval

    try:
        with count_progress("Removing") as report:
            return installation.get(SourceRemoval).remove(name, on_wait=print_waiting, on_progress=report)
    except KeyboardInterrupt:
        raise Refused("Interrupted; run the same command again to finish the removal") from None


def _clear(installation: "Installation") -> dict[str, bool]:
    """Clear removed values from the files of the database, and delete the checkpoints of indexes that hold them.

    The next user of an index builds it again.
    """
    from firmograph.cli.context import clear_remains
    from firmograph.indexing.checkpoints import Checkpoints
    from firmograph.indexing.index_kind import IndexKind
    from firmograph.lookalikes.index.index_kind import SIMILARITY
    from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH

    erased = clear_remains(installation.database)
    kinds: Sequence[IndexKind[Any]] = (MEMORY_SEARCH, SIMILARITY)
    for kind in kinds:
        checkpoints = Checkpoints(kind, installation.database, installation.settings.search_folder)
        if checkpoints.path.exists():
            with checkpoints.locked():
                checkpoints.delete()
    return erased


def _day(one: "SourceView", index: int) -> str:
    return iso(one.imports[index].started_at)[:10] if one.imports else ""


def _fields(one: "SourceView") -> dict[str, Any]:
    contacts, companies = one.sizes[Entity.CONTACT], one.sizes[Entity.COMPANY]
    return {
        "name": one.name,
        "state": one.state,
        "contacts": contacts.records,
        "companies": companies.records,
        "contactRows": contacts.rows,
        "companyRows": companies.rows,
        "facts": one.feeds,
        "figures": one.figures,
        "postings": one.postings,
        "signals": one.signals,
        "imports": len(one.imports),
        "firstImport": iso(one.imports[0].started_at) if one.imports else None,
        "lastImport": iso(one.imports[-1].started_at) if one.imports else None,
        "removedAt": None if one.removed_at is None else iso(one.removed_at),
        "removed": None if one.removed is None else msgspec.to_builtins(one.removed),
    }


def _preview_fields(name: str, preview: "RemovalPreview") -> dict[str, Any]:
    return {
        "source": name,
        "contactsRemoved": preview.removed[Entity.CONTACT],
        "companiesRemoved": preview.removed[Entity.COMPANY],
        "changed": preview.changed,
        "figures": preview.figures,
        "postings": preview.postings,
        "signals": preview.signals,
        **{name: preview.uses[name] for name in USES},
        **{f"{name}Accounts": len(preview.accounts[name]) for name in USES},
    }


def _print_preview(preview: "RemovalPreview", *, err: bool) -> None:
    from firmograph.cli.import_history import print_effects
    from firmograph.cli.output import plural

    print_effects(preview, err=err)
    figures, postings, signals = preview.figures, preview.postings, preview.signals
    say(
        f"Deleted: {figures:,} {plural(figures, 'figure')}, {postings:,} {plural(postings, 'job posting')} and"
        f" {signals:,} {plural(signals, 'signal')} that no other source states",
        err=err,
    )


def _removed_text(name: str, counts: "RemovalCounts") -> str:
    from firmograph.cli.output import plural

    contacts, companies = counts.contacts_removed, counts.companies_removed
    return (
        f"Removed the source {name}: {contacts:,} {plural(contacts, 'contact')} and {companies:,}"
        f" {plural(companies, 'company', 'companies')} removed, {counts.changed:,} {plural(counts.changed, 'record')}"
        f" changed, {counts.signals:,} {plural(counts.signals, 'signal')} deleted, {counts.cells:,}"
        f" {plural(counts.cells, 'cell')} of tables emptied or filled again"
    )
