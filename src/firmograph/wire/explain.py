"""The slow pass of `wire/decoding.py`: what is wrong with a body, problem by problem, each with its path.

It reads a property that is null as absent (decisions N), and gives back the body without nulls.
"""

import json
import operator
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, NoReturn

import msgspec
from msgspec import inspect as mi

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_UNFIT_TEXT = re.compile("[\x00\ud800-\udfff]")

_MAX_DIGITS = 4_300
"""Neither Python nor the fast pass reads longer whole numbers."""


class _Members(dict[str, Any]):
    """A JSON object without its nulls, which remembers their names and those it was given twice."""

    nulls: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


class _HugeNumber:
    """A number beyond what a 64-bit integer or float holds."""


class Explained(NamedTuple):
    problems: list[str]
    """Up to the limit, in the order of the body; none when it is sound."""
    body: dict[str, Any]
    """Without nulls; empty where it cannot be read."""


def explain(raw: bytes, kind: type[msgspec.Struct], max_depth: int, limit: int) -> Explained:
    try:
        body = _read(raw, max_depth)
    except _Unreadable as error:
        return Explained([str(error)], {})
    return Explained(list(islice(_problems(_described(kind), body, ""), limit)), body)


class _Unreadable(ValueError):
    """No JSON object."""


def _read(raw: bytes, max_depth: int) -> dict[str, Any]:
    if not raw.strip(b" \t\r\n"):
        raise _Unreadable("The body is empty; send a JSON object")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise _Unreadable(f"The body is not valid UTF-8 (byte {error.start})") from error
    if deeper_than(raw, max_depth):
        raise _Unreadable(f"The body is nested more than {max_depth} levels deep")
    try:
        body = json.loads(
            text, object_pairs_hook=_members, parse_constant=_no_constant, parse_int=_int, parse_float=_float
        )
    except json.JSONDecodeError as error:
        raise _Unreadable(
            f"The body is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from error
    if not isinstance(body, dict):
        raise _Unreadable("The body must be a JSON object")
    return body


_described = cache(mi.type_info)


def deeper_than(raw: bytes, levels: int) -> bool:
    """Whether objects and arrays stand inside each other more than `levels` times."""
    if raw.count(b"{") + raw.count(b"[") <= levels:
        return False
    depth = 0
    for mark in re.findall(rb"[\[\]{}]", _STRINGS.sub(b"", raw)):
        depth += 1 if mark in b"[{" else -1
        if depth > levels:
            return True
    return False


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise _Unreadable(f"The body is not valid JSON: {name} is not a JSON value")


def _int(text: str) -> Any:
    return int(text) if len(text) <= _MAX_DIGITS else _HugeNumber()


def _float(text: str) -> Any:
    value = float(text)
    return _HugeNumber() if value in (float("inf"), float("-inf")) else value


def _members(pairs: list[tuple[str, Any]]) -> _Members:
    members = _Members(pair for pair in pairs if pair[1] is not None)
    if len(members) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        members.repeated = tuple(name for name, count in counts.items() if count > 1)
        members.nulls = tuple(name for name, value in pairs if value is None)
    return members


def _problems(kind: mi.Type, value: Any, path: str, meta: mi.Metadata | None = None) -> Iterator[str]:
    """The problems of one value at `path`."""
    if isinstance(kind, mi.Metadata):
        yield from _problems(kind.type, value, path, kind)
    elif isinstance(kind, mi.UnionType):
        yield from _union_problems(kind, value, path, meta)
    elif isinstance(kind, mi.AnyType):
        if type(value) in _ANY:
            yield from _problems(_ANY[type(value)], value, path)
    elif not _is_of(kind, value):
        yield f"{_at(path)} must be {_a(kind)}"
    elif isinstance(kind, mi.StructType):
        yield from _object_problems(kind, value, path)
    elif isinstance(kind, mi.ListType):
        yield from _size_problems(kind, len(value), path, "element")
        for index, item in enumerate(value):
            yield from _problems(kind.item_type, item, _join(path, str(index)))
    elif isinstance(kind, mi.DictType):
        yield from _repeated(value, path)
        for name in (*value, *value.nulls):
            yield from _unfit_text(name, _join(path, _shown(name)))
        for name, item in value.items():
            yield from _problems(kind.value_type, item, _join(path, _shown(name)))
    elif isinstance(kind, mi.StrType):
        yield from _text_problems(kind, value, path, meta)
    elif isinstance(kind, mi.IntType | mi.FloatType):
        yield from _number_problems(kind, value, path)
    elif isinstance(kind, mi.LiteralType) and value not in kind.values:
        yield f"{_at(path)} must be one of: {', '.join(map(str, kind.values))}"


def _union_problems(kind: mi.UnionType, value: Any, path: str, meta: mi.Metadata | None) -> Iterator[str]:
    fitting = [inner for inner in kind.types if _is_of(_bare(inner), value)]
    if fitting:
        yield from _problems(fitting[0], value, path, meta)
    else:
        yield f"{_at(path)} must be {' or '.join(dict.fromkeys(_a(_bare(inner)) for inner in kind.types))}"


_ANY: dict[type, mi.Type] = {
    _Members: mi.DictType(mi.StrType(), mi.AnyType()),
    list: mi.ListType(mi.AnyType()),
    str: mi.StrType(),
    _HugeNumber: mi.FloatType(),
}
"""What a value that may be anything is looked at as; nothing else can be wrong."""


def _object_problems(kind: mi.StructType, value: _Members, path: str) -> Iterator[str]:
    yield from _repeated(value, path)
    fields = {field.encode_name: field for field in kind.fields}
    for name, item in value.items():
        if name in fields:
            yield from _problems(fields[name].type, item, _join(path, name))
        else:
            yield _unknown(name, path)
    for name in value.nulls:
        if name not in fields:
            yield _unknown(name, path)
    for field in kind.fields:
        if field.required and field.encode_name not in value:
            yield f"{_join(path, field.encode_name)} is required"


def _unknown(name: str, path: str) -> str:
    return _join(path, f"property {_shown(name)} should not exist")


def _repeated(value: _Members, path: str) -> Iterator[str]:
    for name in value.repeated:
        yield f"{_join(path, f'property {_shown(name)} should not be repeated')}"


def _text_problems(kind: mi.StrType, value: str, path: str, meta: mi.Metadata | None) -> Iterator[str]:
    yield from _unfit_text(value, path)
    yield from _size_problems(kind, len(value), path, "character")
    if kind.pattern is not None and not re.search(kind.pattern, value):
        expects = (meta.extra or {}).get("expects") if meta else None
        yield f"{_at(path)} must {f'be {expects}' if expects else f'match {kind.pattern}'}"


def _unfit_text(value: str, path: str) -> Iterator[str]:
    unfit = _UNFIT_TEXT.search(value)
    if unfit:
        what = "NUL characters" if unfit[0] == "\0" else "unpaired surrogates"
        yield f"{_at(path)} must not contain {what}"


def _size_problems(kind: mi.StrType | mi.ListType, size: int, path: str, unit: str) -> Iterator[str]:
    if kind.min_length is not None and size < kind.min_length:
        yield f"{_at(path)} must have at least {kind.min_length} {unit}{'s' * (kind.min_length != 1)}"
    if kind.max_length is not None and size > kind.max_length:
        yield f"{_at(path)} must have at most {kind.max_length} {unit}{'s' * (kind.max_length != 1)}"


def _number_problems(kind: mi.IntType | mi.FloatType, value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _HugeNumber):
        yield f"{_at(path)} is out of range"
        return
    for bound, fits, words in (
        (kind.ge, operator.ge, "at least"),
        (kind.gt, operator.gt, "more than"),
        (kind.le, operator.le, "at most"),
        (kind.lt, operator.lt, "less than"),
    ):
        if bound is not None and not fits(value, bound):
            yield f"{_at(path)} must be {words} {bound}"


def _bare(kind: mi.Type) -> mi.Type:
    return kind.type if isinstance(kind, mi.Metadata) else kind


def _is_of(kind: mi.Type, value: Any) -> bool:
    """Whether the value is of the JSON type that `kind` asks for, its constraints aside."""
    if isinstance(kind, mi.StructType | mi.DictType):
        return isinstance(value, dict)
    if isinstance(kind, mi.ListType):
        return isinstance(value, list)
    if isinstance(kind, mi.BoolType):
        return isinstance(value, bool)
    if isinstance(kind, mi.FloatType):
        return isinstance(value, int | float | _HugeNumber) and not isinstance(value, bool)
    if isinstance(kind, mi.IntType):
        return isinstance(value, int | _HugeNumber) and not isinstance(value, bool)
    if isinstance(kind, mi.LiteralType):
        return type(value) in {type(choice) for choice in kind.values}
    if isinstance(kind, mi.UnionType):
        return any(_is_of(_bare(inner), value) for inner in kind.types)
    return isinstance(value, str) if isinstance(kind, mi.StrType) else True


_NAMES: dict[type[mi.Type], str] = {
    mi.StructType: "an object",
    mi.DictType: "an object",
    mi.ListType: "an array",
    mi.StrType: "a string",
    mi.BoolType: "a boolean",
    mi.IntType: "an integer",
    mi.FloatType: "a number",
}


def _a(kind: mi.Type) -> str:
    if isinstance(kind, mi.LiteralType):
        return f"one of: {', '.join(map(str, kind.values))}"
    return _NAMES.get(type(kind), "of another type")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _at(path: str) -> str:
    return path or "The body"


def _shown(name: str) -> str:
    """A property name as a message may show it: short, and without what a terminal would act upon."""
    shown = "".join(mark if mark.isprintable() else "?" for mark in name[:80])
    return shown + "..." * (len(name) > 80)
