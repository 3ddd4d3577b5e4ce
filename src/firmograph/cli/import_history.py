"""Commands that list, show and take back imports (docs/reference/import.md#undo)."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.sentences import say
from firmograph.kit.clock import iso
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.ingest.imports.effect_counts import EffectCounts
    from firmograph.ingest.imports.types import StoredImport
    from firmograph.ingest.imports.undo import UndoneImport
    from firmograph.ingest.imports.undo_preview import UndoPreview
    from firmograph.installation import Installation


def _number(text: str) -> int:
    """Return the number of an import. Raises BadParameter for a text that is none."""
    if not (text.isascii() and text.isdigit() and 0 < int(text[:20]) < 2**63):
        raise typer.BadParameter(f"{text!r} is no number of an import; `firmograph import list` shows them")
    return int(text)


Number = Annotated[
    int, typer.Argument(metavar="ID", help="Number of the import, from `import list`.", parser=_number)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AndLater = Annotated[
    bool,
    typer.Option("--and-later", help="Take back later imports of the source that met the same records too."),
]
OneImport = Annotated[
    int | None,
    typer.Option("--import", metavar="ID", help="Only people marked by this import.", parser=_number),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing; count all that would go.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]

USES: Final = {
    "paidRecords": ("paid record", "paid records"),
    "tableRows": ("row of tables", "rows of tables"),
    "subscriptions": ("subscription", "subscriptions"),
}
_STAYS: Final = (
    "What was delivered, charged or exported stays, and so do suppressions and earlier backups (a restore takes the"
    " import back again); receivers get no notice"
)
_OPTED_OUT_EXAMPLES: Final = examples(
    "firmograph import opted-out --import 7",
    "firmograph import opted-out --json > people.json",
    "firmograph suppress --file people.json",
)
_UNDO_EXAMPLES: Final = examples("firmograph import undo 7 --dry-run", "firmograph import undo 7")


def list_(json: Json = False) -> None:
    """List all imports, the newest first."""
    from firmograph.cli.output import Column, print_json, write_table
    from firmograph.ingest.imports.runs import ImportRuns

    installation = open_installation()
    now = installation.clock.seconds()
    imports = installation.get(ImportRuns).all()[::-1]
    if json:
        print_json([_fields(each, now) for each in imports])
        return
    columns: list[Column[StoredImport]] = [
        Column("IMPORT", lambda one: one.id),
        Column("SOURCE", lambda one: one.source, least=24),
        Column("KIND", lambda one: one.kind, whole=True),
        Column("FILE", lambda one: one.file),
        Column("STATE", lambda one: one.state_at(now), whole=True),
        Column("CREATED", lambda one: _counts(one).get("created", 0), 1),
        Column("UPDATED", lambda one: _counts(one).get("updated", 0), 2),
        Column("STARTED", lambda one: iso(one.started_at)[:16].replace("T", " "), 1, whole=True),
        Column("BY", lambda one: one.actor, 3),
    ]
    write_table(imports, columns, empty="No imports yet")


def show(number: Number, json: Json = False) -> None:
    """Show an import: its files, counts and state."""
    from firmograph.cli.output import json_text, print_json, write_fields
    from firmograph.ingest.imports.runs import ImportRuns

    installation = open_installation()
    fields = _fields(installation.get(ImportRuns).find(number), installation.clock.seconds())
    if json:
        print_json(fields)
    else:
        write_fields(
            (name, json_text(value) if isinstance(value, dict) else value) for name, value in fields.items()
        )


def undo(
    number: Number,
    and_later: AndLater = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Take an import of contacts or companies back.

    Each record is then merged from the rows that remain; one without any goes, with its signals, rows of tables and
    subscriptions. An interrupted undo goes on when the command runs again. --dry-run shows the counts first.
    """
    from firmograph.cli.context import clear_remains
    from firmograph.cli.output import print_json
    from firmograph.ingest.imports.runs import AlreadyTaken
    from firmograph.ingest.imports.undo_preview import UndoPreviews

    installation = open_installation()
    asks = not yes and sys.stdin.isatty() and sys.stderr.isatty()
    if dry_run or asks:
        preview = installation.get(UndoPreviews).preview(number, and_later=and_later)
        if dry_run and json:
            print_json(_preview_fields(preview))
        else:
            _print_preview(preview, err=not dry_run)
        if dry_run:
            return
        typer.confirm("Take it back?", abort=True, err=True)
    try:
        undone = _undo(installation, number, and_later=and_later)
    except AlreadyTaken:
        # the undo may have been killed before its last step
        clear_remains(installation.database)
        raise
    erased = clear_remains(installation.database)
    if json:
        print_json({"imports": [_undone_fields(each) for each in undone], **erased})
        return
    for each in undone:
        say(_undone_text(each))
    say(_STAYS, err=True)


def opted_out(one: OneImport = None, json: Json = False) -> None:
    """List the people who are marked as opted out by imports and are held, thus not suppressed."""
    from firmograph.cli.output import Column, hint, print_json, write_table
    from firmograph.ingest.imports.opt_out_marks import MarkedPerson, OptOutMarks

    people = open_installation().get(OptOutMarks).people(one)
    if json:
        print_json(
            [
                {
                    "id": each.id,
                    "fullName": each.full_name,
                    "company": each.company,
                    "email": each.email,
                    "imports": each.imports,
                }
                for each in people
            ]
        )
        return
    columns: list[Column[MarkedPerson]] = [
        Column("IMPORTS", lambda each: ", ".join(map(str, each.imports))),
        Column("NAME", lambda each: each.full_name),
        Column("COMPANY", lambda each: each.company, 2),
        Column("EMAIL", lambda each: each.email, 1),
        Column("ID", lambda each: each.id, whole=True),
    ]
    write_table(people, columns, empty="No import marks a person who is held")
    hint(
        "To keep out all who are listed, save them with --json and give the file to: firmograph suppress --file"
    )


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("list", epilog=examples("firmograph import list"))(list_)
    app.command("show", epilog=examples("firmograph import show 7"))(show)
    app.command("undo", epilog=_UNDO_EXAMPLES)(undo)
    app.command("opted-out", epilog=_OPTED_OUT_EXAMPLES)(opted_out)


def _fields(one: "StoredImport", now: float) -> dict[str, Any]:
    """Return an import as JSON shows it."""
    return {
        "id": one.id,
        "source": one.source,
        "kind": one.kind,
        "file": one.file,
        "state": one.state_at(now),
        "startedAt": iso(one.started_at),
        "endedAt": None if one.ended_at is None else iso(one.ended_at),
        "by": one.actor,
        **_counts(one),
        "sha256": one.sha256,
        "mapping": one.mapping and msgspec.json.decode(one.mapping),
        "canBeUndone": one.can_be_undone(now),
    }


def _counts(one: "StoredImport") -> dict[str, int]:
    return msgspec.json.decode(one.counts, type=dict[str, int])


def _undo(installation: "Installation", number: int, *, and_later: bool) -> "list[UndoneImport]":
    """Take imports back with a progress bar. Raises Refused if interrupted."""
    from firmograph.cli.import_run import print_waiting
    from firmograph.cli.progress import count_progress
    from firmograph.ingest.imports.undo import ImportUndo

    try:
        with count_progress("Taking back") as report:
            return installation.get(ImportUndo).undo(
                number, and_later=and_later, on_wait=print_waiting, on_progress=report
            )
    except KeyboardInterrupt:
        raise Refused("Interrupted; run the same command again to finish the undo") from None


def _preview_fields(preview: "UndoPreview") -> dict[str, Any]:
    return {
        "imports": preview.imports,
        "contactsRemoved": preview.removed[Entity.CONTACT],
        "companiesRemoved": preview.removed[Entity.COMPANY],
        "changed": preview.changed,
        "signals": preview.signals,
        "marks": preview.marks,
        **{name: preview.uses[name] for name in USES},
        **{f"{name}Accounts": len(preview.accounts[name]) for name in USES},
    }


def _print_preview(preview: "UndoPreview", *, err: bool) -> None:
    """Print the effects of a planned undo."""
    from firmograph.cli.output import plural

    imports = ", ".join(map(str, preview.imports))
    say(f"{plural(len(preview.imports), 'Import')} {imports}", err=err)
    print_effects(preview, err=err)
    signals, marks = preview.signals, preview.marks
    typer.echo(f"Deleted: {signals:,} {plural(signals, 'signal')} that no other import states", err=err)
    if marks:
        typer.echo(f"Taken back: {marks:,} do-not-call {plural(marks, 'mark')}", err=err)


def print_effects(preview: "EffectCounts", *, err: bool) -> None:
    """Print which records would go or change, and who uses them."""
    from firmograph.cli.output import plural

    def line(text: str) -> None:
        say(text, err=err)

    contacts, companies = preview.removed[Entity.CONTACT], preview.removed[Entity.COMPANY]
    line(
        f"Removed: {contacts:,} {plural(contacts, 'contact')} and {companies:,}"
        f" {plural(companies, 'company', 'companies')}. Companies that others still name stay, by name alone"
    )
    line(
        f"Changed: {preview.changed:,} {plural(preview.changed, 'record')}, merged from the rows that remain"
    )
    for name, (one, many) in USES.items():
        count, accounts = preview.uses[name], len(preview.accounts[name])
        if count:
            line(
                f"Of the removed: {count:,} {plural(count, one, many)} of {accounts:,}"
                f" {plural(accounts, 'account')}"
            )


def _undone_fields(each: "UndoneImport") -> dict[str, Any]:
    counts: dict[str, Any] = msgspec.to_builtins(each.counts)
    return {"id": each.id, **counts}


def _undone_text(each: "UndoneImport") -> str:
    from firmograph.cli.output import plural

    counts = each.counts
    parts = [
        f"{counts.contacts_removed:,} {plural(counts.contacts_removed, 'contact')} and"
        f" {counts.companies_removed:,} {plural(counts.companies_removed, 'company', 'companies')} removed",
        f"{counts.changed:,} {plural(counts.changed, 'record')} changed",
        f"{counts.signals:,} {plural(counts.signals, 'signal')} deleted",
    ]
    if counts.marks:
        parts.append(f"{counts.marks:,} do-not-call {plural(counts.marks, 'mark')} taken back")
    return f"Import {each.id} was taken back: {', '.join(parts)}"
