"""`firmograph import contacts|companies FILE --preview`: what an import would make of a file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from firmograph.cli.import_run import ImportRequest, suggest_date_order, suggest_other_kind
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.ingest.preview import Preview
    from firmograph.ingest.reading.mapping import ColumnMapping
    from firmograph.ingest.reading.readers import ReadOptions

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def show_preview(
    entity: Entity,
    asked: ImportRequest,
    mapping: "ColumnMapping",
    reading: "ReadOptions",
    write_to: Path | None,
) -> None:
    """Show what an import would make of the file. Raises Refused where nothing could go in as it is."""
    from firmograph.ingest.mapping_file import write_mapping
    from firmograph.ingest.preview import preview_file

    if len(asked.files) > 1:
        raise Refused("A preview is of one file; give one at a time")
    previewed = preview_file(entity, asked.files[0], mapping, reading)
    if asked.json:
        typer.echo(msgspec.json.encode(previewed.preview).decode())
    else:
        _show(previewed.preview)
        if previewed.layout and not reading.dates:
            suggest_date_order(previewed.preview.unread, previewed.layout.date_columns())
    if write_to:
        write_mapping(previewed, write_to)
        typer.echo(f"Written: {write_to}; edit it, and import with --mapping {write_to}", err=True)
    if previewed.preview.problem:
        raise Refused(previewed.preview.problem)


def _show(shown: "Preview") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    form = [shown.format]
    form += [shown.encoding] if shown.encoding else []
    form += [f"parted by {_DELIMITERS.get(shown.delimiter, shown.delimiter)}"] if shown.delimiter else []
    form += [f"sheet {shown.sheet!r}"] if shown.sheet else []
    which = f"all {shown.rows:,} rows" if shown.complete else f"the first {shown.rows:,} rows"
    typer.echo(f"{shown.file}: {', '.join(form)}; {which} were looked at, nothing was imported")
    table = Table("Column", "Taken for", "As it would be stored")
    for column in shown.columns:
        taken = ", ".join(column.fields) or (f"not used; {column.guess}?" if column.guess else "not used")
        values = "\n".join(column.values)
        table.add_row(Text(column.column), Text(taken), Text(values, style="" if column.fields else "dim"))
    # without a terminal as wide as the table needs, so that each line is a whole one
    width = None if sys.stdout.isatty() else 200
    Console(width=width).print(table)
    for name, unread in shown.unread.items():
        typer.echo(f"Not read: {unread.count:,} of {name!r}, {_lines(unread.count, unread.lines)}")
    for one in shown.rejected:
        typer.echo(f"Rows set aside: {one.count:,}, {_lines(one.count, one.lines)}: {one.reason}")
    if shown.looks_like:
        suggest_other_kind(Path(shown.file), shown.looks_like)


def _lines(count: int, lines: list[int]) -> str:
    more = ", ..." if count > len(lines) else ""
    return f"line{'s' if count > 1 else ''} {', '.join(map(str, lines))}{more}"
