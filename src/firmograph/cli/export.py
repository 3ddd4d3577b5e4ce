"""Commands `firmograph export contacts|companies`.

See docs/reference/command-line.md#export.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.kind_group import KindGroup
from firmograph.cli.output import hint, plural, print_json
from firmograph.cli.prospect.commands import Dnc, FiltersFile, Most, Partial
from firmograph.cli.prospect.options import Raw, refuse_option, with_filters
from firmograph.cli.sentences import say, stubs_text
from firmograph.kit.table_files.formats import FileFormat
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.installation import Installation
    from firmograph.prospecting.filters.requests import CompanyProspecting, ContactProspecting
    from firmograph.record_export.service import ExportedRecord, RecordContent

    Filters = ContactProspecting | CompanyProspecting

app = typer.Typer(
    cls=KindGroup,
    no_args_is_help=True,
    help="Write merged contacts or companies to a file, with e-mails and phones.",
)

File = Annotated[
    str, typer.Argument(metavar="FILE", help="CSV, JSON Lines, Parquet or Excel; - for standard output.")
]
Since = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Only records that changed since an export that ended with this number, and the deleted ones.",
    ),
]
Sources = Annotated[bool, typer.Option("--sources", help="Add the source of each value.")]
Format = Annotated[
    FileFormat | None, typer.Option("--format", help="Format; by default that of the file's name.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object about the export.")]

_CONTACT_EXAMPLES = examples(
    "firmograph export contacts people.csv",
    "firmograph export contacts sales.xlsx --title sales --country Germany --has work_email",
    "firmograph export contacts changes.jsonl --since 48211",
)
_COMPANY_EXAMPLES = examples(
    "firmograph export companies companies.parquet --sources",
    "firmograph export companies - --format jsonl --industry Finance | jq .domain",
)


@dataclass(frozen=True, slots=True)
class _Options:
    file: str
    format: FileFormat
    since: int | None
    sources: bool
    raw: bool
    force: bool
    json: bool


@app.command("contacts", epilog=_CONTACT_EXAMPLES)
@with_filters(Entity.CONTACT)
def contacts(
    file: File,
    filters: FiltersFile = None,
    exclude_dnc: Dnc = False,
    max_per_company: Most = None,
    partial: Partial = None,
    since: Since = None,
    sources: Sources = False,
    format: Format = None,
    raw: Raw = False,
    force: Force = False,
    json: Json = False,
    **given: Any,
) -> None:
    """Write all people, or those that match filters, to a file. Free; the file is there only once it is whole."""
    from firmograph.cli.prospect.request import contact_request

    options = _options(file, format, since, sources=sources, raw=raw, force=force, json=json)
    body = None
    others = (filters, max_per_company, partial)
    if any(given.values()) or exclude_dnc or any(each is not None for each in others):
        body = contact_request(
            filters, given, exclude_dnc=exclude_dnc, max_per_company=max_per_company, partial=partial
        )
    _export(Entity.CONTACT, body, options)


@app.command("companies", epilog=_COMPANY_EXAMPLES)
@with_filters(Entity.COMPANY)
def companies(
    file: File,
    filters: FiltersFile = None,
    partial: Partial = None,
    since: Since = None,
    sources: Sources = False,
    format: Format = None,
    raw: Raw = False,
    force: Force = False,
    json: Json = False,
    **given: Any,
) -> None:
    """Write all companies, or those that match filters, to a file. Free; the file is there only once it is whole."""
    from firmograph.cli.prospect.request import company_request

    options = _options(file, format, since, sources=sources, raw=raw, force=force, json=json)
    body = None
    if any(given.values()) or filters is not None or partial is not None:
        body = company_request(filters, given, partial=partial)
    _export(Entity.COMPANY, body, options)


def _options(
    file: str,
    format: FileFormat | None,
    since: int | None,
    *,
    sources: bool,
    raw: bool,
    force: bool,
    json: bool,
) -> _Options:
    from firmograph.cli.files import STANDARD_OUTPUT, check_file, choose_file_format

    if json and file == STANDARD_OUTPUT:
        refuse_option("json", "standard output has the records; name a file for them")
    chosen = choose_file_format(file, format)
    check_file(file, replace=force)
    return _Options(file, chosen, since, sources, raw, force, json)


def _export(entity: Entity, body: "Filters | None", options: _Options) -> None:
    from firmograph.cli.context import open_installation
    from firmograph.cli.files import open_file
    from firmograph.operator_audit.service import OperatorAudit

    if body is not None and options.since is not None:
        refuse_option("since", "cannot be combined with filters: what matches no more could not be named")
    installation = open_installation()
    try:
        content = _content(installation, entity, body, options)
        _check_size(content, options.format)
        records = _Records(content)

        def record_export() -> None:
            OperatorAudit().record_export(
                installation.database,
                installation.clock.seconds(),
                f"export {entity.plural}",
                details={entity.plural: records.written + records.stubs},
            )

        try:
            with open_file(options.file, replace=options.force) as out:
                _write(records, options, out)
        except BrokenPipeError:
            # a part has left
            record_export()
            raise
        record_export()
    finally:
        installation.database.close()
    _report(records, options)


def _content(
    installation: "Installation", entity: Entity, body: "Filters | None", options: _Options
) -> "RecordContent":
    from firmograph.record_export.service import FoundNumbers, RecordExport

    export = installation.get(RecordExport)
    if options.since is not None:
        return export.changed(entity, options.since, origins=options.sources)
    if body is None:
        return export.everything(entity, origins=options.sources)

    def find() -> FoundNumbers:
        from firmograph.cli.prospect.search import open_search
        from firmograph.prospecting.current_search import CurrentSearch

        open_search(installation)
        matches = installation.get(CurrentSearch).every_match(body, installation.clock.seconds())
        return FoundNumbers(matches.total, matches.batches(0, matches.total))

    return export.matching(entity, find, origins=options.sources)


def _check_size(content: "RecordContent", format: FileFormat) -> None:
    """Raise Refused if a file of the format cannot hold the records."""
    from firmograph.kit.table_files.formats import check_row_count, most_rows

    if content.most > most_rows(format):
        check_row_count(format, content.closer_bound())


class _Records:
    """Records of an export, counted as they go."""

    def __init__(self, content: "RecordContent") -> None:
        self.content = content
        self.written = 0
        self.stubs = 0
        self.deleted = 0

    def __iter__(self) -> "Iterator[ExportedRecord]":
        from firmograph.cli.progress import CountedRows

        for record in CountedRows(self.content.records, self.content.most):
            if record.record is None:
                self.deleted += 1
            elif getattr(record.record, "stub", False):
                self.stubs += 1
            else:
                self.written += 1
            yield record


def _write(records: _Records, options: _Options, out: BinaryIO) -> None:
    from firmograph.kit.table_files.formats import write_rows
    from firmograph.record_export.columns import RecordColumns
    from firmograph.record_export.native import json_line

    if options.format is FileFormat.JSONL:
        for record in records:
            out.write(json_line(record) + b"\n")
        return
    columns = RecordColumns(
        records.content.entity, deleted=options.since is not None, sources=options.sources
    )
    write_rows(out, options.format, columns.columns, columns.rows(records), raw=options.raw)


def _report(records: _Records, options: _Options) -> None:
    entity, reached = records.content.entity, records.content.reached
    if options.json:
        print_json(
            {
                "file": options.file,
                entity.plural: records.written,
                **({"stubs": records.stubs} if entity is Entity.COMPANY else {}),
                "deleted": records.deleted,
                "reached": reached,
            }
        )
        return
    kind = plural(records.written, entity.singular, entity.plural)
    where = "" if options.file == "-" else f" to {options.file}"
    deleted = "" if options.since is None else f", and the ids of {records.deleted:,} deleted"
    stubs = stubs_text(records.stubs)
    say(f"{records.written:,} {kind}{stubs}{',' if stubs else ''} written{where}{deleted}", err=True)
    say(f"This export reached {reached}", err=True)
    hint(f"--since {reached} writes what changes from now on")
