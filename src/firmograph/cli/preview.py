"""Previews of imports: how a file would be interpreted."""

from pathlib import Path
from typing import TYPE_CHECKING

from firmograph.cli.import_run import (
    ImportRequest,
    print_other_sheets,
    suggest_country,
    suggest_date_order,
    suggest_other_kind,
)
from firmograph.cli.import_summary import print_changed_lines, quoted_samples
from firmograph.cli.losses import exit_if_lost
from firmograph.cli.sentences import say
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.ingest.preview import PreviewResult
    from firmograph.ingest.preview_columns import PreviewColumn
    from firmograph.ingest.reading.mapping import ColumnMapping
    from firmograph.ingest.reading.readers import ReadOptions

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def show_preview(
    entity: Entity,
    request: ImportRequest,
    mapping: "ColumnMapping",
    read_options: "ReadOptions",
    write_to: Path | None,
) -> None:
    """Print how an import would interpret the file. Raises Refused if nothing could be imported."""
    from firmograph.cli.output import print_json
    from firmograph.ingest.mapping_file import write_mapping
    from firmograph.ingest.preview import preview_file

    if len(request.files) > 1:
        raise Refused("A preview is of one file; give only one")
    previewed = preview_file(entity, request.files[0], mapping, read_options)
    if request.json:
        print_json(previewed.preview)
    else:
        _print_preview(previewed)
        if previewed.layout and not read_options.dates:
            suggest_date_order(previewed.preview.unread, previewed.layout.date_columns())
        suggest_country(previewed.preview.local_numbers)
    if write_to:
        write_mapping(previewed, write_to)
        say(f"Written: {write_to}; edit it, and import with --mapping {write_to}", err=True)
    if previewed.preview.problem:
        raise Refused(previewed.preview.problem)
    exit_if_lost(previewed.lost, previewed.unread)


def _print_preview(previewed: "PreviewResult") -> None:
    from firmograph.cli.output import Column, Details, note, write_table

    preview = previewed.preview
    details = [preview.format]
    details += [preview.encoding] if preview.encoding else []
    details += (
        [f"separated by {_DELIMITERS.get(preview.delimiter, preview.delimiter)}"] if preview.delimiter else []
    )
    details += [f"sheet {preview.sheet!r}"] if preview.sheet else []
    which = f"all {preview.rows:,} rows" if preview.complete else f"the first {preview.rows:,} rows"
    note(f"{preview.file}: {', '.join(details)}; {which} were read, nothing was imported")
    columns: list[Column[PreviewColumn]] = [
        Column("COLUMN", lambda column: column.column),
        Column("INTERPRETED AS", _meaning),
        Column("STORED VALUES", lambda column: ", ".join(column.values)),
    ]
    write_table(preview.columns, columns, details=Details("NOTE", _precedence))
    if preview.sheet:
        print_other_sheets(Path(preview.file), preview.sheet, preview.other_sheets)
    for name, unread in preview.unread.items():
        note(
            f"Not read: {unread.count:,} of {name!r}, {_lines(unread.count, unread.lines)}"
            + quoted_samples(previewed.samples.get(name, ()))
        )
    print_changed_lines({"repaired": preview.repaired, "skipped": preview.skipped}, note)
    for one in preview.rejected:
        note(f"Rejected rows: {one.count:,}, {_lines(one.count, one.lines)}: {one.reason}")
    if preview.looks_like:
        suggest_other_kind(Path(preview.file), preview.looks_like)


def _meaning(column: "PreviewColumn") -> str:
    guess = f"unused; perhaps {column.guess}" if column.guess else "unused"
    return ", ".join(column.fields) or guess


def _precedence(column: "PreviewColumn") -> list[str]:
    """Return a line about the columns that fill the same field first, if there are any."""
    return [f"counts where {' and '.join(map(repr, column.after))} has no value"] if column.after else []


def _lines(count: int, lines: list[int]) -> str:
    more = ", ..." if count > len(lines) else ""
    return f"line{'s' if count > 1 else ''} {', '.join(map(str, lines))}{more}"
