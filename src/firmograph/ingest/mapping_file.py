"""A mapping written out as a file for `--mapping`, to be edited."""

import json
from collections.abc import Sequence
from pathlib import Path

from firmograph.ingest.preview import Previewed, PreviewedColumn
from firmograph.ingest.reading.mapping import addresses
from firmograph.ingest.reading.row_layout import Layout
from firmograph.kit.errors import Refused


def write_mapping(previewed: Previewed, path: Path) -> None:
    """Write what a preview shows; imported with it, the file gives the same. Raises Refused where a file is already."""
    shown = previewed.preview
    is_table = shown.format != "JSON Lines"
    text = (
        f"# Columns of {json.dumps(shown.file)[1:-1]} as {shown.kind}: column = field, or a list of fields;\n"
    )
    text += '# "" leaves a column out, and of several columns for one field the first that is not blank counts.\n\n'
    text += _table(previewed.layout, shown.columns) if is_table else _objects(previewed.layout, shown.columns)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Refused(f"{path} is there already; choose another name with --write-mapping") from None
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from None


def _table(layout: Layout | None, columns: Sequence[PreviewedColumn]) -> str:
    assert layout is not None
    names = addresses(layout.header)
    by_name = {one.column: one for one in columns}
    lines = ["[columns]"]
    lines += [_line(by_name[names[place]]) for place in dict.fromkeys(one.place for one in layout.columns)]
    lines += [_line(one) for one in columns if not one.fields]
    return "\n".join([*lines, *_rest(layout), ""]) + "guess = false\n"


def _objects(layout: Layout | None, columns: Sequence[PreviewedColumn]) -> str:
    """Keys that are fields already need no line."""
    mapped = set(layout.header) if layout else set()
    lines = ["[columns]"]
    for one in columns:
        is_own = one.column not in mapped
        lines.append(("# " if is_own else "") + _line(one))
    rest = _rest(layout) if layout else ["", "[options]"]
    guess = layout.keeps_rest if layout else True
    return "\n".join([*lines, *rest, ""]) + f"guess = {json.dumps(guess)}\n"


def _line(one: PreviewedColumn) -> str:
    value: object = one.fields if len(one.fields) > 1 else one.fields[0] if one.fields else ""
    hint = f"  # not used; perhaps {_text(one.guess)}" if one.guess else ""
    return f"{_text(one.column)} = {_text(value)}{hint}"


def _rest(layout: Layout) -> list[str]:
    lines = []
    if layout.constants:
        lines += ["", "[constants]"]
        lines += [f"{_text(path)} = {_text(value)}" for path, value in layout.constants.items()]
    lines += ["", "[options]"]
    if layout.separator:
        lines.append(f"separator = {_text(layout.separator)}")
    return lines


def _text(value: object) -> str:
    """A value in TOML, which takes JSON but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
