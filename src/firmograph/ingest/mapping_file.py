"""Mapping files written from a preview, for operators to edit."""

import json
from collections.abc import Sequence
from pathlib import Path

from firmograph.ingest.preview import PreviewResult
from firmograph.ingest.preview_columns import PreviewColumn
from firmograph.ingest.reading.mapping import column_labels
from firmograph.ingest.reading.row_layout import Layout
from firmograph.kit.errors import Refused


def write_mapping(result: PreviewResult, path: Path) -> None:
    """Write the mapping of a preview; an import with it gives the same records.

    Raises Refused when the file exists already or cannot be written.
    """
    preview = result.preview
    is_table = preview.format != "JSON Lines"
    text = f"# Columns of {json.dumps(preview.file)[1:-1]} as {preview.kind}: column = field, or a list of fields;\n"
    text += '# "" leaves a column out, and of several columns for one field the first that is not blank counts.\n\n'
    text += (
        _table_columns(result.layout, preview.columns)
        if is_table
        else _object_keys(result.layout, preview.columns)
    )
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Refused(f"{path} already exists; choose another name with --write-mapping") from None
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from None


def _table_columns(layout: Layout | None, columns: Sequence[PreviewColumn]) -> str:
    assert layout is not None
    names = column_labels(layout.header)
    by_name = {one.column: one for one in columns}
    lines = ["[columns]"]
    lines += [
        _column_line(by_name[names[position]])
        for position in dict.fromkeys(one.position for one in layout.columns)
    ]
    lines += [_column_line(one) for one in columns if not one.fields]
    return "\n".join([*lines, *_constants_and_options(layout), ""]) + "guess = false\n"


def _object_keys(layout: Layout | None, columns: Sequence[PreviewColumn]) -> str:
    """Return the lines for JSON keys; keys that are fields by themselves are commented out."""
    mapped = set(layout.header) if layout else set()
    lines = ["[columns]"]
    for one in columns:
        is_own = one.column not in mapped
        lines.append(("# " if is_own else "") + _column_line(one))
    rest = _constants_and_options(layout) if layout else ["", "[options]"]
    guess = layout.keeps_other_keys if layout else True
    return "\n".join([*lines, *rest, ""]) + f"guess = {json.dumps(guess)}\n"


def _column_line(one: PreviewColumn) -> str:
    value: object = one.fields if len(one.fields) > 1 else one.fields[0] if one.fields else ""
    hint = f"  # not used; perhaps {_toml_value(one.guess)}" if one.guess else ""
    return f"{_toml_value(one.column)} = {_toml_value(value)}{hint}"


def _constants_and_options(layout: Layout) -> list[str]:
    lines = []
    if layout.constants:
        lines += ["", "[constants]"]
        lines += [f"{_toml_value(path)} = {_toml_value(value)}" for path, value in layout.constants.items()]
    lines += ["", "[options]"]
    if layout.separator:
        lines.append(f"separator = {_toml_value(layout.separator)}")
    return lines


def _toml_value(value: object) -> str:
    """Return a value in TOML, which differs from JSON in one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
