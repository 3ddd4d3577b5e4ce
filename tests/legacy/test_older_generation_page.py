"""docs/older-generation.md compared with the OpenAPI document: every older property has a row with its successor."""

import re
import runpy
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = pytest.mark.no_database

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "older-generation.md"

OTHERS = (
    "/v3/",
    "/api/subscriptions",
    "/api/audit-logs",
    "/api/account",
    "/health",
    "/metrics",
    "/docs",
    "/openapi.json",
)
"""Beginnings of the paths that are not of the older generation."""

CALL = re.compile(r"(GET|POST|PUT|PATCH|DELETE) /")
SIDES = ("Request", "Answer")


# --- the document ---


@pytest.fixture(scope="module")
def document():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        return Document(runpy.run_path(str(ROOT / "scripts" / "build_reference.py"))["openapi"]()[0])


class Document:
    """Calls of an OpenAPI document and the paths of their properties."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas = document["components"]["schemas"]
        self._operations = {
            f"{method.upper()} {path}": operation
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }
        self._found: dict[tuple[str, str], dict[str, bool]] = {}

    def calls(self) -> set[str]:
        return set(self._operations)

    def older_calls(self) -> set[str]:
        return {call for call in self._operations if not call.split()[1].startswith(OTHERS)}

    def paths(self, call: str, side: str) -> dict[str, bool]:
        """Return the paths of all properties, and whether each is a single value or holds others."""
        if (call, side) not in self._found:
            self._found[call, side] = dict(self._paths(self._operations[call], side))
        return self._found[call, side]

    def values(self, call: str, side: str) -> set[str]:
        """Return the paths of properties that hold no others."""
        return {path for path, is_single in self.paths(call, side).items() if is_single}

    def _paths(self, operation: dict[str, Any], side: str) -> Iterator[tuple[str, bool]]:
        if side == "Answer":
            responses = operation["responses"]
            yield from self._walk([_content(responses.get("200") or responses["201"])], "")
            return
        for parameter in operation.get("parameters", ()):
            if parameter.get("in") == "query":
                yield f"?{parameter['name']}", True
        if "requestBody" in operation:
            yield from self._walk([_content(operation["requestBody"])], "")

    def _walk(self, schemas: list[dict[str, Any]], path: str) -> Iterator[tuple[str, bool]]:
        inner = self._inner(schemas)
        if path and set(inner) == {"[]"} and not self._inner(inner["[]"]):
            # a list of plain values
            inner = {}
        if path:
            yield path.removeprefix("."), not inner
        for name, described in inner.items():
            yield from self._walk(described, f"{path}{name}")

    def _inner(self, schemas: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
        """Return the schemas inside of an object, list or map by the end of their paths."""
        found: dict[str, list[dict[str, Any]]] = {}
        for schema in (part for each in schemas for part in self._parts(each)):
            for name, described in schema.get("properties", {}).items():
                found.setdefault(f".{name}", []).append(described)
            for keyword, name in (("items", "[]"), ("additionalProperties", ".{key}")):
                if isinstance(schema.get(keyword), dict) and schema[keyword]:
                    found.setdefault(name, []).append(schema[keyword])
        return found

    def _parts(self, schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield a schema and all that it refers to and combines."""
        yield schema
        if "$ref" in schema:
            yield from self._parts(self._schemas[schema["$ref"].rpartition("/")[2]])
        for keyword in ("anyOf", "oneOf", "allOf"):
            for each in schema.get(keyword, ()):
                yield from self._parts(each)


def _content(described: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = described["content"]["application/json"]["schema"]
    return schema


# --- the page ---


class Row(NamedTuple):
    """Row of a table of properties, for one of the calls that the table is about."""

    side: str
    call: str
    older: list[str]
    """Paths of the properties."""
    successors: list[tuple[str, str]]
    """Current call and path of each."""
    text: str
    """What stands in the second column."""

    def __str__(self) -> str:
        return f"{self.side} of {self.call}: {', '.join(self.older)}"


def tables() -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield each table: the paragraph above it, its header and its rows."""
    paragraph = ""
    for block in PAGE.read_text("utf-8").split("\n\n"):
        if block.startswith("|"):
            header, _, *rows = [
                [cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()
            ]
            yield paragraph, header, rows
        paragraph = block


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@cache
def successor_of() -> dict[str, str]:
    """Return the table of calls."""
    return {
        call: quoted(current)[0]
        for _, header, rows in tables()
        if header == ["Older call", "Current call"]
        for older, current in rows
        for call in quoted(older)
    }


@cache
def property_rows() -> list[Row]:
    return [
        row
        for introduction, header, rows in tables()
        if introduction.startswith(SIDES)
        for row in _property_rows(introduction, header, rows)
    ]


def _property_rows(introduction: str, header: list[str], rows: list[list[str]]) -> Iterator[Row]:
    side = introduction.split()[0]
    for call, prefixes in _places(introduction):
        current = quoted(header[1]) or [successor_of()[call]]
        for older, successor in rows:
            paths = [
                f"{prefix}.{path}" if prefix else path
                for prefix in prefixes or [""]
                for name in quoted(older)
                for path in _spelled_out(name)
            ]
            yield Row(side, call, paths, list(_successors(successor, current[0])), successor)


def _places(introduction: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each call of a table, and under which of its properties the paths of the table stand."""
    calls: list[str] = []
    prefixes: list[str] = []
    for name in quoted(introduction):
        if not CALL.match(name):
            prefixes.append(name)
            continue
        if prefixes:
            yield from ((call, prefixes) for call in calls)
            calls, prefixes = [], []
        calls.append(name)
    yield from ((call, prefixes) for call in calls)


def _successors(cell: str, current: str) -> Iterator[tuple[str, str]]:
    """Yield call and path of each successor in a cell; a call in it is that of the paths after it."""
    for name in quoted(cell):
        if CALL.match(name):
            current = name
        else:
            yield from ((current, path) for path in _spelled_out(name))


def _spelled_out(path: str) -> list[str]:
    """Return the paths that `a.{b,c}` stands for; `{key}` stands for itself."""
    parts = re.split(r"\{([^{}]*,[^{}]*)\}", path)
    choices = [part.split(",") if position % 2 else [part] for position, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]


def inside(paths: set[str], outer: str) -> set[str]:
    """Return the ends of the paths that lead into an object or a list."""
    return {path.removeprefix(outer) for path in paths if path.startswith((f"{outer}.", f"{outer}["))}


# --- the comparison ---


def test_every_older_call_has_a_successor(document):
    assert set(successor_of()) == document.older_calls()
    assert set(successor_of().values()) <= document.calls()


@pytest.mark.parametrize("side", SIDES)
def test_every_older_property_has_a_row_on_the_page(document, side):
    listed = {call: [] for call in document.older_calls()}
    for row in property_rows():
        if row.side == side:
            listed[row.call] += row.older
    missing = []
    for call, paths in listed.items():
        values = document.values(call, side)
        covered = {path + end for path in paths for end in inside(values, path)}.union(paths)
        missing += [f"{side} of {call}: {path}" for path in sorted(values - covered)]
    assert missing == []


def test_every_row_is_about_existing_properties(document):
    assert [
        f"{row}: no {path}"
        for row in property_rows()
        for path in row.older
        if path not in document.paths(row.call, row.side)
    ] == []


def test_no_property_has_two_rows():
    listed = Counter((row.side, row.call, path) for row in property_rows() for path in row.older)
    assert [each for each, number in listed.items() if number > 1] == []


def test_every_row_names_a_successor_or_says_why_there_is_none():
    assert [
        str(row) for row in property_rows() if not row.successors and not row.text.startswith("none: ")
    ] == []


def test_every_successor_is_a_property_of_its_current_call(document):
    assert [
        f"{row}: no {path} in {call}"
        for row in property_rows()
        for call, path in row.successors
        if call not in document.calls() or path not in document.paths(call, row.side)
    ] == []


def test_a_row_for_an_object_or_a_list_has_a_successor_with_the_same_properties(document):
    different = []
    for row in property_rows():
        if row.text.startswith("none: "):
            continue
        for number, path in enumerate(row.older):
            current, successor = row.successors[number % len(row.successors)]
            held = document.paths(current, row.side)
            ends = inside(document.values(row.call, row.side), path)
            different += [
                f"{row}: no {successor}{end}" for end in sorted(ends) if successor + end not in held
            ]
    assert different == []
