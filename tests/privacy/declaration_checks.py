"""Checks of the declarations of personal data against the schema, the source and the content of a database."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from planted_identity import PERSON, contains_person

import firmograph
from firmograph.conversations.people import DIGEST_BYTES
from firmograph.privacy.declarations import Impersonal, PersonalData, TableData
from firmograph.visits.packing import SESSION

SOURCE = Path(firmograph.__file__).parent
_FREE = (sa.String, sa.LargeBinary, sa.JSON)
"""Types of columns that could hold anything."""

Column = tuple[str, str]
"""Table and column."""


class Trace(Enum):
    """What a value shows of the planted person."""

    TEXT = "a text"
    KEY = "a key"
    REFERENCE = "the number or id"


def tables_of(declarations: Iterable[PersonalData]) -> Iterator[TableData]:
    return (table for each in declarations for table in each.tables)


# --- schema ---


def check_schema(metadata: sa.MetaData, declarations: Iterable[PersonalData]) -> list[str]:
    """Return what is declared twice, or not, or does not exist."""
    found = [*tables_of(declarations)]
    counts = Counter(each.table.name for each in found)
    problems = [f"{name} is declared {count} times" for name, count in counts.items() if count > 1]
    problems += [f"{name} is not declared" for name in metadata.tables.keys() - counts.keys()]
    problems += [f"{name} does not exist" for name in counts.keys() - metadata.tables.keys()]
    for each in found:
        problems += [f"{each.table.name}.{problem}" for problem in _check_columns(each)]
    return sorted(problems)


def _check_columns(table: TableData) -> Iterator[str]:
    declared = Counter([*table.erased, *table.retained, *table.impersonal])
    free = {column.name for column in table.table.c if isinstance(column.type, _FREE)}
    yield from (f"{name} is declared {count} times" for name, count in declared.items() if count > 1)
    yield from (f"{name} is not declared" for name in free - declared.keys())
    yield from (f"{name} does not exist" for name in declared.keys() - table.table.c.keys())
    yield from (f"{name}: no reason" for name, reason in table.retained.items() if not reason)
    numbers = Counter([*table.removed, *table.kept])
    yield from (f"{name} is declared {count} times" for name, count in numbers.items() if count > 1)
    yield from (f"{name} does not exist" for name in numbers.keys() - table.table.c.keys())
    yield from (f"{name}: no reason" for name, reason in table.kept.items() if not reason)
    of_records = {column.name for column in table.table.c if _may_number_records(column)}
    yield from (f"{name}: what goes with its record?" for name in of_records - numbers.keys())
    if bool(table.erased or table.retained) != (table.find is not None):
        yield "find: belongs to tables with data of people, and to no others"
    if bool(table.place) != (table.find is not None):
        yield "place: names what is found and exported, and nothing else"


_OTHER_IDS = {
    "account_id", "table_id", "column_id", "run_id", "user_id", "owner_id", "subscription_id", "signal_id",
    "import_id",
}  # fmt: skip
"""Columns with numbers of something else than records."""


def _may_number_records(column: sa.Column[Any]) -> bool:
    """Return whether a column may hold record numbers, by its name and type."""
    return (
        isinstance(column.type, sa.Integer) and column.name.endswith("_id") and column.name not in _OTHER_IDS
    )


# --- files ---

_WRITERS = {
    "atomic_write", "private_folder", "mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile",
    "TemporaryDirectory", "SpooledTemporaryFile", "write_text", "write_bytes", "fdopen", "copyfile", "copyfileobj",
    "copytree", "copy2", "make_archive", "unpack_archive", "extractall", "backup", "ParquetWriter", "savez", "tofile",
}  # fmt: skip
_MODULE_WRITERS = {
    ("sqlite3", "connect"),
    ("shutil", "copy"),
    ("shutil", "move"),
    ("numpy", "save"),
    ("np", "save"),
}
_MODULES_THAT_OPEN = {"io", "codecs", "gzip", "bz2", "lzma", "tarfile", "zipfile", "builtins"}
"""Modules whose function `open` takes the path first and the mode second, as the function without a module."""
_OS_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND"}


@cache
def writing_modules(root: Path = SOURCE) -> frozenset[str]:
    """Return the modules below a folder that write files, by their syntax trees."""
    return frozenset(
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in root.rglob("*.py")
        if any(_writes(node) for node in ast.walk(ast.parse(path.read_text())))
    )


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in _OS_FLAGS:
        return True
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = getattr(node.func.value, "id", "") if isinstance(node.func, ast.Attribute) else "builtins"
    if name in _WRITERS or (owner, name) in _MODULE_WRITERS:
        return True
    return name == "open" and owner != "os" and any(_may_write(*each) for each in _modes(node, owner))


def _modes(call: ast.Call, owner: str) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what may be the mode of an opened file, and whether it cannot be anything else."""
    for keyword in call.keywords:
        if keyword.arg == "mode":
            yield keyword.value, True
    if owner in _MODULES_THAT_OPEN:
        yield from ((each, True) for each in call.args[1:2])
    else:
        # the first argument of a path's method is the mode; other things are opened too
        yield from ((each, False) for each in call.args)


def _may_write(mode: ast.expr, certain: bool) -> bool:
    """Return whether a mode may be one of writing, as one that is only known when the program runs may."""
    if isinstance(mode, ast.Constant):
        return isinstance(mode.value, str) and _is_writing_mode(mode.value)
    if certain:
        return True
    named = mode.attr if isinstance(mode, ast.Attribute) else getattr(mode, "id", "")
    texts = (each.value for each in ast.walk(mode) if isinstance(each, ast.Constant))
    return "mode" in named.lower() or any(isinstance(each, str) and _is_writing_mode(each) for each in texts)


def _is_writing_mode(text: str) -> bool:
    return 0 < len(text) <= 4 and set(text) <= set("rwxabt+") and bool(set(text) & set("wxa+"))


def check_files(modules: Set[str], declarations: Iterable[PersonalData]) -> list[str]:
    """Return writing modules that are not declared, and declared ones that do not write."""
    counts = Counter(file.module for each in declarations for file in each.files)
    problems = [f"{name} is declared {count} times" for name, count in counts.items() if count > 1]
    problems += [f"{name} is not declared" for name in modules - counts.keys()]
    problems += [f"{name} writes no file" for name in counts.keys() - modules]
    return sorted(problems)


# --- content ---


def trace(value: object, keys: set[bytes]) -> Trace | None:
    """Return what a value shows of the planted person."""
    if isinstance(value, int):
        return Trace.REFERENCE if value == PERSON.number else None
    if not isinstance(value, bytes | str):
        return None
    raw = value.encode() if isinstance(value, str) else value
    if contains_person(raw):
        return Trace.TEXT
    if isinstance(value, bytes) and (
        value[:16] in keys or _has_beginning(value, keys) or _has_visitor(value, keys)
    ):
        return Trace.KEY
    return Trace.REFERENCE if str(PERSON.number).encode() in raw or PERSON.id.encode() in raw else None


def _has_beginning(value: bytes, keys: set[bytes]) -> bool:
    """Return whether a value is a list of the beginnings of keys, with one of the person's."""
    beginnings = (value[start : start + DIGEST_BYTES] for start in range(0, len(value), DIGEST_BYTES))
    return not {key[:DIGEST_BYTES] for key in keys}.isdisjoint(beginnings)


def _has_visitor(value: bytes, keys: set[bytes]) -> bool:
    """Return whether a value is packed sessions with one of the person's."""
    starts = range(0, len(value), SESSION.itemsize)
    return not {key[:8] for key in keys}.isdisjoint(value[start : start + 8] for start in starts)


Traces = Mapping[Column, set[Trace]]


def traces(rows: Iterable[tuple[str, Mapping[str, Any]]], keys: set[bytes]) -> Traces:
    """Return the columns that show the planted person."""
    found: dict[Column, set[Trace]] = defaultdict(set)
    for table, row in rows:
        for column, value in row.items():
            if shown := trace(value, keys):
                found[table, column].add(shown)
    return found


def planted_columns(rows: Iterable[tuple[str, Mapping[str, Any]]], keys: set[bytes]) -> set[Column]:
    """Return the columns with a value in a row of the planted person."""
    return {
        (table, column)
        for table, row in rows
        if any(trace(value, keys) for value in row.values())
        for column, value in row.items()
        if value is not None
    }


def check_filled(found: Traces, filled: set[Column], declarations: Iterable[PersonalData]) -> list[str]:
    """Return columns that show the person and are not declared so, and declared ones that were not filled."""
    by_column = {
        (table.table.name, column): impersonal
        for table in tables_of(declarations)
        for column, impersonal in [
            *((name, None) for name in (*table.erased, *table.retained)),
            *table.impersonal.items(),
        ]
    }
    problems = []
    for column, shown in found.items():
        declared = by_column.get(column, Impersonal.CODE)
        only_refers = shown == {Trace.REFERENCE} and declared is Impersonal.REFERENCE
        if declared is not None and not only_refers:
            problems.append(f"{'.'.join(column)} shows {', '.join(sorted(each.value for each in shown))}")
    personal = {column for column, declared in by_column.items() if declared is None}
    problems += [f"{'.'.join(column)} was not filled" for column in personal - filled]
    return sorted(problems)


def check_erased(found: Traces, declarations: Iterable[PersonalData]) -> list[str]:
    """Return columns that still show the person, except those that may."""
    allowed = {
        (table.table.name, column)
        for table in tables_of(declarations)
        for column in [
            *table.retained,
            *(name for name, kind in table.impersonal.items() if kind is Impersonal.REFERENCE),
        ]
    }
    return sorted(f"{'.'.join(column)} still shows the person" for column in found.keys() - allowed)
