"""Validation errors of a body, each with its path: the slow pass of `kit/body_decoder.py`.

A property that is null or a blank text counts as absent (docs/reference/requests.md#bodies); validation returns the
body without it.
"""

import json
import operator
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, Final, NamedTuple, NoReturn

import msgspec
from msgspec import inspect as mi

TAKES_BLANK: Final = "takesBlank"
"""Member of the `extra` of a text for which a blank one is a value."""

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_BRACES_AS_BRACKETS = bytes.maketrans(b"{}", b"[]")
_FORBIDDEN_CHARACTER = re.compile("[\x00\ud800-\udfff]")

_MAX_DIGITS = 4_300
"""Length of the longest integer that Python and the fast pass parse."""


class _Object(dict[str, Any]):
    """JSON object without its null properties, with the names of null and of repeated properties."""

    nulls: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


class _HugeNumber:
    """Number outside the range of a 64-bit integer or float."""


class ValidatedBody(NamedTuple):
    problems: list[str]
    """Problems in the order of the body, up to the limit; empty for a valid body."""
    body: dict[str, Any]
    """Body without nulls and blank texts; empty for malformed JSON."""


def validate_body(raw: bytes, kind: type[msgspec.Struct], max_depth: int, limit: int) -> ValidatedBody:
    try:
        body = _parse(raw, max_depth)
    except _UnreadableBody as error:
        return ValidatedBody([str(error)], {})
    return ValidatedBody(list(islice(_problems(_type_info(kind), body, ""), limit)), body)


class _UnreadableBody(ValueError):
    """Body that is not a JSON object."""


def _parse(raw: bytes, max_depth: int) -> dict[str, Any]:
    if not raw.strip(b" \t\r\n"):
        raise _UnreadableBody("The body is empty; send a JSON object")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise _UnreadableBody(f"The body is not valid UTF-8 (byte {error.start})") from error
    if is_deeper_than(raw, max_depth):
        raise _UnreadableBody(f"The body is nested more than {max_depth} levels deep")
    try:
        body = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_int=_parse_int,
            parse_float=_parse_float,
        )
    except json.JSONDecodeError as error:
        raise _UnreadableBody(
            f"The body is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from error
    if not isinstance(body, dict):
        raise _UnreadableBody("The body must be a JSON object")
    return body


_type_info = cache(mi.type_info)


def is_deeper_than(raw: bytes, levels: int) -> bool:
    """Return whether objects and arrays are nested more than `levels` deep."""
    if raw.count(b"{") + raw.count(b"[") <= levels:
        return False
    # without escapes every quote begins or ends a string, which is much faster to find than by the expression
    outside = _STRINGS.sub(b"", raw) if b"\\" in raw else b"".join(raw.split(b'"')[::2])
    brackets = outside.translate(_BRACES_AS_BRACKETS, _NO_BRACKETS)
    # each round removes the innermost pairs; something remains of what is too deep, or malformed
    remaining = brackets
    for _ in range(levels):
        remaining = remaining.replace(b"[]", b"")
    if not remaining:
        return False
    depth = 0
    for mark in brackets.decode():
        depth += 1 if mark == "[" else -1
        if depth > levels:
            return True
    return False


def _refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which are not JSON."""
    raise _UnreadableBody(f"The body is not valid JSON: {name} is not a JSON value")


def _parse_int(text: str) -> Any:
    return int(text) if len(text) <= _MAX_DIGITS else _HugeNumber()


def _parse_float(text: str) -> Any:
    value = float(text)
    return _HugeNumber() if value in (float("inf"), float("-inf")) else value


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    members = _Object(pair for pair in pairs if pair[1] is not None)
    if len(members) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        members.repeated = tuple(name for name, count in counts.items() if count > 1)
        members.nulls = tuple(name for name, value in pairs if value is None)
    return members


def _problems(kind: mi.Type, value: Any, path: str, meta: mi.Metadata | None = None) -> Iterator[str]:
    """Yield the problems of the value at `path`."""
    if isinstance(kind, mi.Metadata):
        yield from _problems(kind.type, value, path, kind)
    elif isinstance(kind, mi.UnionType):
        yield from _union_problems(kind, value, path, meta)
    elif isinstance(kind, mi.AnyType):
        if type(value) in _TYPES_OF_ANY_VALUE:
            yield from _problems(_TYPES_OF_ANY_VALUE[type(value)], value, path)
    elif not _has_json_type(kind, value):
        yield f"{_subject(path)} must be {_type_name(kind)}"
    elif isinstance(kind, mi.StructType):
        yield from _object_problems(kind, value, path)
    elif isinstance(kind, mi.ListType):
        yield from _size_problems(kind, len(value), path, "element")
        for index, item in enumerate(value):
            yield from _problems(kind.item_type, item, _join(path, str(index)))
    elif isinstance(kind, mi.DictType):
        yield from _repetition_problems(value, path)
        for name in (*value, *value.nulls):
            yield from _forbidden_character_problems(name, _join(path, _printable(name)))
        for name, item in value.items():
            yield from _problems(kind.value_type, item, _join(path, _printable(name)))
    elif isinstance(kind, mi.StrType):
        yield from _text_problems(kind, value, path, meta)
    elif isinstance(kind, mi.IntType | mi.FloatType):
        yield from _number_problems(kind, value, path)
    elif isinstance(kind, mi.LiteralType) and value not in kind.values:
        yield f"{_subject(path)} must be one of: {', '.join(map(str, kind.values))}"


def _union_problems(kind: mi.UnionType, value: Any, path: str, meta: mi.Metadata | None) -> Iterator[str]:
    # a text that is none of the choices may have been meant as a value of another type
    matching = [
        inner
        for inner, plain in ((inner, _without_metadata(inner)) for inner in kind.types)
        if _has_json_type(plain, value)
        and not (isinstance(plain, mi.LiteralType) and value not in plain.values)
    ]
    if matching:
        yield from _problems(matching[0], value, path, meta)
    else:
        names = dict.fromkeys(_type_name(_without_metadata(inner)) for inner in kind.types)
        yield f"{_subject(path)} must be {' or '.join(names)}"


_TYPES_OF_ANY_VALUE: dict[type, mi.Type] = {
    _Object: mi.DictType(mi.StrType(), mi.AnyType()),
    list: mi.ListType(mi.AnyType()),
    str: mi.StrType(),
    _HugeNumber: mi.FloatType(),
}
"""Types to validate a value of `Any` against; values of other types cannot be invalid."""


def _object_problems(kind: mi.StructType, value: _Object, path: str) -> Iterator[str]:
    yield from _repetition_problems(value, path)
    fields = {field.encode_name: field for field in kind.fields}
    for name, item in list(value.items()):
        if name in fields and _is_blank(item) and not _takes_blank(fields[name].type):
            del value[name]
        elif name in fields:
            yield from _problems(fields[name].type, item, _join(path, name))
        else:
            yield _unknown_property(name, path)
    for name in value.nulls:
        if name not in fields:
            yield _unknown_property(name, path)
    for field in kind.fields:
        if field.required and field.encode_name not in value:
            yield f"{_join(path, field.encode_name)} is required"


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip(" \t\r\n")


def _takes_blank(kind: mi.Type) -> bool:
    """Return whether a blank text is a value of a property, such as a name that it takes away."""
    if isinstance(kind, mi.Metadata):
        return bool((kind.extra or {}).get(TAKES_BLANK)) or _takes_blank(kind.type)
    if isinstance(kind, mi.UnionType):
        return any(map(_takes_blank, kind.types))
    return isinstance(kind, mi.AnyType)


def _unknown_property(name: str, path: str) -> str:
    return _join(path, f"property {_printable(name)} should not exist")


def _repetition_problems(value: _Object, path: str) -> Iterator[str]:
    for name in value.repeated:
        yield f"{_join(path, f'property {_printable(name)} should not be repeated')}"


def _text_problems(kind: mi.StrType, value: str, path: str, meta: mi.Metadata | None) -> Iterator[str]:
    yield from _forbidden_character_problems(value, path)
    yield from _size_problems(kind, len(value), path, "character")
    if kind.pattern is not None and not re.search(kind.pattern, value):
        expects = (meta.extra or {}).get("expects") if meta else None
        yield f"{_subject(path)} must {f'be {expects}' if expects else f'match {kind.pattern}'}"


def _forbidden_character_problems(value: str, path: str) -> Iterator[str]:
    found = _FORBIDDEN_CHARACTER.search(value)
    if found:
        kind = "NUL characters" if found[0] == "\0" else "unpaired surrogates"
        yield f"{_subject(path)} must not contain {kind}"


def _size_problems(kind: mi.StrType | mi.ListType, size: int, path: str, unit: str) -> Iterator[str]:
    if kind.min_length is not None and size < kind.min_length:
        yield f"{_subject(path)} must have at least {kind.min_length} {unit}{'s' * (kind.min_length != 1)}"
    if kind.max_length is not None and size > kind.max_length:
        yield f"{_subject(path)} must have at most {kind.max_length} {unit}{'s' * (kind.max_length != 1)}"


def _number_problems(kind: mi.IntType | mi.FloatType, value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _HugeNumber):
        yield f"{_subject(path)} is out of range"
        return
    for bound, fits, words in (
        (kind.ge, operator.ge, "at least"),
        (kind.gt, operator.gt, "more than"),
        (kind.le, operator.le, "at most"),
        (kind.lt, operator.lt, "less than"),
    ):
        if bound is not None and not fits(value, bound):
            yield f"{_subject(path)} must be {words} {bound}"


def _without_metadata(kind: mi.Type) -> mi.Type:
    return kind.type if isinstance(kind, mi.Metadata) else kind


def _has_json_type(kind: mi.Type, value: Any) -> bool:
    """Return whether the value has the JSON type of `kind`, ignoring constraints."""
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
        return any(_has_json_type(_without_metadata(inner), value) for inner in kind.types)
    return isinstance(value, str) if isinstance(kind, mi.StrType) else True


_TYPE_NAMES: dict[type[mi.Type], str] = {
    mi.StructType: "an object",
    mi.DictType: "an object",
    mi.ListType: "an array",
    mi.StrType: "a string",
    mi.BoolType: "a boolean",
    mi.IntType: "an integer",
    mi.FloatType: "a number",
}


def _type_name(kind: mi.Type) -> str:
    if isinstance(kind, mi.LiteralType):
        return f"one of: {', '.join(map(str, kind.values))}"
    return _TYPE_NAMES.get(type(kind), "of another type")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _subject(path: str) -> str:
    return path or "The body"


def _printable(name: str) -> str:
    """Return a property name for a message: truncated, without control characters."""
    printable = "".join(mark if mark.isprintable() else "?" for mark in name[:80])
    return printable + "..." * (len(name) > 80)
