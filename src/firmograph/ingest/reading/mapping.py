"""Mapping of columns to fields of the native record.

A mapping file completes the header; all its parts are optional:

    [columns]                      # column = path in the native record, or several; "" leaves the column out
    "E-mail (office)" = "emails.0.email"
    "Phone (2)" = "phones.1.number"  # the second of several columns named Phone
    "Funktion" = "jobTitle.title"
    "Firma" = "company.name"

    [constants]                    # path = the value of rows without one
    "emails.0.type" = "work"       # in a list only where the row has that item
    "location.country" = "Germany"

    [options]
    separator = ";"                # between the items of a list in one cell; by default ; | line ends or ,
    guess = false                  # ignore columns that are not in [columns]; by default the usual names are known

For JSON Lines the columns are keys, with a dot between an object and its key. Keys that a mapping does not name are
taken as native fields, unless `guess` is false. A column of a table needs no mapping when it is named like a field
(`company.domain`) or as in common exports (`data/columns.toml`).
"""

import re
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from firmograph.ingest.reading.field_paths import field_kind
from firmograph.ingest.reading.header_names import Guess, NameTable, find_guess, name_tables, plain_name
from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.reading.row_layout import Layout, MappedColumn
from firmograph.ingest.reading.table_rows import ColumnCheck, accepts
from firmograph.kit.errors import Refused
from firmograph.kit.toml_file import read_toml_file
from firmograph.security.record_ids import Entity


class MappingOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    separator: str = ""
    guess: bool = True


class ColumnMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    columns: dict[str, str | list[str]] = {}
    constants: dict[str, str | int | float | bool] = {}
    options: MappingOptions = MappingOptions()

    def paths(self, name: str) -> list[str]:
        """Return the fields of a column that the mapping names."""
        given = self.columns[name]
        return given if isinstance(given, list) else [given] if given else []


NO_MAPPING = ColumnMapping()
ROW_TYPES: dict[Entity, type[msgspec.Struct]] = {Entity.CONTACT: ContactInput, Entity.COMPANY: CompanyInput}
_IDENTITY = {
    Entity.CONTACT: ("sourceId", "firstName", "lastName", "fullName", "emails", "linkedinUrl", "socialLinks.linkedin"),
    Entity.COMPANY: ("name", "domain", "linkedinUrl", "socialLinks.linkedin", "homepageUrl"),
}  # fmt: skip
"""Fields that identify a record; a table needs a column for at least one."""


def load_mapping(path: Path, entity: Entity) -> ColumnMapping:
    """Load a mapping file. Raises Refused with the line or path that is wrong."""
    table = read_toml_file(path, "mapping")
    try:
        mapping = msgspec.convert(table, ColumnMapping)
    except msgspec.ValidationError as error:
        raise Refused(
            f"The mapping {path} may contain only columns, constants and options: {error}"
        ) from None
    for target in (*(path for name in mapping.columns for path in mapping.paths(name)), *mapping.constants):
        if field_kind(ROW_TYPES[entity], target) is None:
            raise Refused(
                f"The mapping {path} names {target!r}, which is no field of a {entity.singular}; "
                "fields are written like emails.0.email, jobTitle.title or location.city"
            )
    return mapping


def build_table_layout(header: Sequence[str], mapping: ColumnMapping, entity: Entity, path: Path) -> Layout:
    """Return the layout of a table. Raises Refused when no column identifies a record."""
    layout = build_layout(header, mapping, entity, path)
    if not any(_identifies(column.path, entity) for column in layout.columns):
        raise Refused(_no_identity_message(header, layout.columns, entity, path))
    return layout


def fits_table(mapping: ColumnMapping, entity: Entity, path: Path) -> ColumnCheck:
    """Return a check whether a table with some columns has a layout."""
    return accepts(lambda header: build_table_layout(header, mapping, entity, path))


def build_layout(header: Sequence[str], mapping: ColumnMapping, entity: Entity, path: Path) -> Layout:
    """Return the layout of a table, even if no column identifies a record.

    Raises Refused when the mapping names a column that the header lacks.
    """
    columns = []
    positions = _mapped_positions(header, mapping, path)
    for name in mapping.columns:
        columns += [
            MappedColumn(position, field) for position in positions[name] for field in mapping.paths(name)
        ]
    constants: dict[str, object] = dict(mapping.constants)
    if mapping.options.guess:
        named = {position for found in positions.values() for position in found}
        free = {position: name for position, name in enumerate(header) if position not in named}
        guessed, types = _guess_columns(free, [column.path for column in columns], entity)
        columns += guessed
        constants = types | constants
    return Layout(header, columns, constants, mapping.options.separator, ROW_TYPES[entity])


def _mapped_positions(header: Sequence[str], mapping: ColumnMapping, path: Path) -> dict[str, list[int]]:
    """Return the positions of the columns that each name of a mapping refers to.

    A name refers to all columns of that name, except those that the mapping names singly (`Phone (2)`).
    """
    single = {name: position for position, name in enumerate(column_labels(header)) if name not in header}
    one_by_one = {single[name] for name in mapping.columns if name in single}
    positions = {}
    for name in mapping.columns:
        same = [position for position, one in enumerate(header) if one == name and position not in one_by_one]
        positions[name] = [single[name]] if name in single else same
        if name not in single and name not in header:
            raise Refused(
                f"{path} has no column {name!r}, which the mapping names; it has: {_join_names(header)}"
            )
    return positions


def column_labels(header: Sequence[str]) -> list[str]:
    """Return each column's name in a mapping: its header, with ` (2)` for the second of the same name."""
    found: list[str] = []
    seen: set[str] = set()
    taken = set(header)
    for name in header:
        address = name
        if name in seen:
            address = next(one for number in count(2) if (one := f"{name} ({number})") not in taken)
            taken.add(address)
        seen.add(name)
        found.append(address)
    return found


def build_object_layout(mapping: ColumnMapping, entity: Entity) -> Layout | None:
    """Return the layout of JSON objects; None if they are native records already."""
    if mapping == NO_MAPPING:
        return None
    header = list(mapping.columns)
    columns = [
        MappedColumn(position, field) for position, name in enumerate(header) for field in mapping.paths(name)
    ]
    layout = Layout(header, columns, dict(mapping.constants), mapping.options.separator, ROW_TYPES[entity])
    layout.keeps_other_keys = mapping.options.guess
    return layout


# --- guesses ---


def _guess(name: str, entity: Entity, tables: Sequence[NameTable]) -> Guess | None:
    if field_kind(ROW_TYPES[entity], name) is not None:
        return Guess(name, "", -1)
    return find_guess(name, tables)


def _guess_columns(
    free: dict[int, str], taken: Sequence[str], entity: Entity
) -> tuple[list[MappedColumn], dict[str, object]]:
    """Return columns with the usual names, and the constant types that these names imply."""
    tables = name_tables(free.values(), entity)
    every = [(guess, position) for position, name in free.items() if (guess := _guess(name, entity, tables))]
    found = [(guess, position) for guess, position in every if guess.path]
    paths = {*taken, *(guess.path for guess, _ in found)}
    found = [(_narrow_guess(guess, paths, tables), position) for guess, position in found]
    single = sorted((pair for pair in found if "+" not in pair[0].path), key=lambda pair: pair[0].rank)
    free_of = {*taken, *_parent_paths(paths)}
    columns = [MappedColumn(position, guess.path) for guess, position in single if guess.path not in free_of]
    types: dict[str, object] = {}
    next_item = _next_free_items(taken)
    items: dict[str, str] = {}
    for guess, position in found:
        root, plus, rest = guess.path.partition(".+")
        if plus:
            item = next_item.get(root, 0)
            next_item[root] = item + 1
            columns.append(MappedColumn(position, f"{root}.{item}{rest}"))
            items[plain_name(free[position]).removesuffix("value")] = f"{root}.{item}"
            if guess.type:
                types[f"{root}.{item}.type"] = guess.type
    known = {position for _, position in every}
    others = {position: plain_name(name) for position, name in free.items() if position not in known}
    return columns + list(_attribute_columns(others, items, types, tables)), types


_DO_NOT_CALL = re.compile(r"(?:is|on)?(?:donotcall|dnc)(?:flag|status|registry|registered|listed|list)?")
_ADDRESS_FIELDS = ("emails.", "phones.")
_ATTRIBUTES = {"type": "type", "label": "type", "confidence": "confidence"}
"""Suffixes of columns with a further attribute of an address or number in another column."""


def _attribute_columns(
    others: dict[int, str], items: dict[str, str], types: dict[str, object], tables: Sequence[NameTable]
) -> Iterable[MappedColumn]:
    """Yield columns with the type, confidence or do-not-call mark of an address or number in another column."""
    for position, name in others.items():
        for suffix, field in _ATTRIBUTES.items():
            item = items.get(name.removesuffix(suffix)) if name.endswith(suffix) else None
            if item and item.startswith(_ADDRESS_FIELDS) and field_kind(ContactInput, f"{item}.{field}"):
                yield MappedColumn(position, f"{item}.{field}")
        whose, is_mark = _DO_NOT_CALL.subn("", name)
        if is_mark and whose:
            yield from (
                MappedColumn(position, f"{item}.doNotCall")
                for item in _marked_numbers(whose, items, types, tables)
            )


def _marked_numbers(
    whose: str, items: dict[str, str], types: dict[str, object], tables: Sequence[NameTable]
) -> Iterable[str]:
    """Return the numbers that a do-not-call column marks: that of the named column, else all of the named type."""
    if whose in items:
        found = [items[whose]]
    else:
        guess = find_guess(whose, tables)
        type = guess.type if guess else ""
        found = [item for item in items.values() if type and types.get(f"{item}.type") == type]
    return (item for item in found if item.startswith("phones."))


def _narrow_guess(guess: Guess, paths: set[str], tables: Sequence[NameTable]) -> Guess:
    """Return the finer guess if other columns fill parts of the field: `company` next to `company.domain` is a name."""
    return (find_guess(guess.path, tables) or guess) if guess.path in _parent_paths(paths) else guess


def _parent_paths(paths: set[str]) -> set[str]:
    """Return the paths that are a prefix of another one."""
    return {path for path in paths if any(other.startswith(path + ".") for other in paths)}


_ITEM = re.compile(r"(.+?)\.(\d+)(?:\.|\Z)", re.ASCII)


def _next_free_items(paths: Sequence[str]) -> dict[str, int]:
    """Return the first free index of each list that these paths fill."""
    free: dict[str, int] = {}
    for path in paths:
        if first := _ITEM.match(path):
            free[first[1]] = max(free.get(first[1], 0), int(first[2]) + 1)
    return free


def _identifies(path: str, entity: Entity) -> bool:
    return any(path == known or path.startswith(known + ".") for known in _IDENTITY[entity])


def _no_identity_message(
    header: Sequence[str], columns: Sequence[MappedColumn], entity: Entity, path: Path
) -> str:
    if not any(name.strip() for name in header):
        return f"{path} is empty: it has no header"
    known = ", ".join(f"{header[column.position]} ({column.path})" for column in columns) or "none of them"
    example = '"Column" = "emails.0.email"' if entity is Entity.CONTACT else '"Column" = "domain"'
    return (
        f"{path}: no column names a {entity.singular}. Columns: {_join_names(header)}. Known: {known}. "
        f"Write a mapping, a TOML file with [columns] and lines like {example}, and give it with --mapping; "
        "--write-mapping FILE begins one"
    )


def _join_names(header: Sequence[str]) -> str:
    return ", ".join(header[:50]) + (", ..." if len(header) > 50 else "") or "none"


def unused_columns(layout: Layout) -> list[str]:
    """Return the columns without a field."""
    used = {column.position for column in layout.columns}
    return [name for position, name in enumerate(layout.header) if position not in used]


def row_cells(layout: Layout, value: Any) -> list[Any]:
    """Return a row's values under the layout's header, from a table's cells or an object."""
    return value if isinstance(value, list) else [value_at(value, name) for name in layout.header]


def native_record(layout: Layout, value: Any) -> Any:
    """Return an object in native form: the mapped fields, and its other keys if the layout keeps them."""
    if not isinstance(value, dict):
        return value
    record = layout.build_record(row_cells(layout, value))
    if layout.keeps_other_keys:
        for name in value.keys() - set(layout.header):
            record.setdefault(name, value[name])
    return record


def value_at(value: Any, name: str) -> Any:
    """Return an object's value under a name or a dotted path; None if it has none."""
    if isinstance(value, dict) and name in value:
        return value[name]
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
