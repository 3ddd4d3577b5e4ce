"""What can be known of a body's type before any body comes."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import inspect as mi

ANY_LENGTH: Final = {"any length": True}
"""The `extra` of an integer without bounds, where none of it reaches the database."""

_LEAVES = (mi.StrType, mi.IntType, mi.FloatType, mi.BoolType, mi.LiteralType)


def parts(kind: Any) -> Iterator[mi.Type]:
    """Every type inside `kind`, itself first; a recursive one once."""
    seen: set[Any] = set()
    waiting = [mi.type_info(kind)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, mi.StructType):
            if part.cls in seen:
                continue
            seen.add(part.cls)
        yield part
        waiting += reversed(_inside(part))


def _inside(part: mi.Type) -> list[mi.Type]:
    if isinstance(part, mi.Metadata):
        return [part.type]
    if isinstance(part, mi.StructType):
        return [field.type for field in part.fields]
    if isinstance(part, mi.UnionType):
        return list(part.types)
    if isinstance(part, mi.ListType):
        return [part.item_type]
    if isinstance(part, mi.DictType):
        return [part.value_type]
    return []


def problems_of(kind: Any) -> str | None:
    """Why `kind` cannot be decoded strictly and explained; None when it can."""
    allowed = (*_LEAVES, mi.Metadata, mi.StructType, mi.UnionType, mi.ListType, mi.DictType, mi.AnyType)
    above: mi.Type | None = None
    for part in parts(kind):
        if not isinstance(part, allowed):
            return f"{type(part).__name__} is not of JSON, or null, which means that a property is absent"
        if isinstance(part, mi.StructType) and not part.forbid_unknown_fields:
            return f"{part.cls.__name__} must forbid unknown fields"
        if isinstance(part, mi.IntType) and not (_is_bounded(part) or _may_be_of_any_length(above)):
            return "an integer must have bounds, or one of any length reaches the database"
        above = part
    return None


def _is_bounded(part: mi.IntType) -> bool:
    return (part.ge, part.gt) != (None, None) != (part.le, part.lt)


def _may_be_of_any_length(part: mi.Type | None) -> bool:
    return isinstance(part, mi.Metadata) and part.extra == ANY_LENGTH


def always_omits_defaults(kind: Any) -> bool:
    """Whether encoding a value never writes a property that was not sent."""
    return all(
        _is_left_out(field, part.cls.__struct_config__.omit_defaults)
        for part in parts(kind)
        if isinstance(part, mi.StructType)
        for field in part.fields
    )


def _is_left_out(field: mi.Field, omits: bool) -> bool:
    if field.required or field.default is msgspec.UNSET:
        return True
    # of what a factory makes, only empty collections are recognised as defaults
    return omits and (
        field.default_factory is msgspec.NODEFAULT or field.default_factory in (list, dict, set)
    )


def is_unbounded(kind: Any) -> bool:
    """Whether a value can be nested deeper than its type is written: it holds anything, or itself."""
    return any(isinstance(part, mi.AnyType) for part in parts(kind)) or _holds_itself(mi.type_info(kind), ())


def _holds_itself(part: mi.Type, above: tuple[Any, ...]) -> bool:
    if isinstance(part, mi.StructType):
        if part.cls in above:
            return True
        above = (*above, part.cls)
    return any(_holds_itself(inner, above) for inner in _inside(part))
