"""Inspection of body types at declaration time."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import inspect as mi

ANY_LENGTH: Final = {"any length": True}
"""`extra` metadata that permits an integer without bounds, for values that never reach the database."""

_LEAVES = (mi.StrType, mi.IntType, mi.FloatType, mi.BoolType, mi.LiteralType)


def nested_types(kind: Any) -> Iterator[mi.Type]:
    """Yield `kind` and every type nested in it, a recursive type once."""
    seen: set[Any] = set()
    pending = [mi.type_info(kind)]
    while pending:
        part = pending.pop()
        if isinstance(part, mi.StructType):
            if part.cls in seen:
                continue
            seen.add(part.cls)
        yield part
        pending += reversed(_child_types(part))


def _child_types(part: mi.Type) -> list[mi.Type]:
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


def find_unsupported(kind: Any) -> str | None:
    """Return why `kind` cannot be decoded strictly, None if it can."""
    allowed = (*_LEAVES, mi.Metadata, mi.StructType, mi.UnionType, mi.ListType, mi.DictType, mi.AnyType)
    parent: mi.Type | None = None
    for part in nested_types(kind):
        if not isinstance(part, allowed):
            return (
                f"{type(part).__name__} is not a JSON type, or is null, which stands for an absent property"
            )
        if isinstance(part, mi.StructType) and not part.forbid_unknown_fields:
            return f"{part.cls.__name__} must forbid unknown fields"
        if isinstance(part, mi.IntType) and not (_is_bounded(part) or _allows_any_length(parent)):
            return "an integer must have bounds, as the database has no unbounded integers"
        parent = part
    return None


def _is_bounded(part: mi.IntType) -> bool:
    return (part.ge, part.gt) != (None, None) != (part.le, part.lt)


def _allows_any_length(part: mi.Type | None) -> bool:
    return isinstance(part, mi.Metadata) and part.extra == ANY_LENGTH


def always_omits_defaults(kind: Any) -> bool:
    """Return whether encoding a decoded body never adds a property that was not sent."""
    return all(
        _is_omitted(field, part.cls.__struct_config__.omit_defaults)
        for part in nested_types(kind)
        if isinstance(part, mi.StructType)
        for field in part.fields
    )


def _is_omitted(field: mi.Field, omits: bool) -> bool:
    if field.required or field.default is msgspec.UNSET:
        return True
    # msgspec recognises only empty collections as defaults made by a factory
    return omits and (
        field.default_factory is msgspec.NODEFAULT or field.default_factory in (list, dict, set)
    )


def is_unbounded(kind: Any) -> bool:
    """Return whether the nesting depth of a value is unlimited: the type contains Any or itself."""
    return any(isinstance(part, mi.AnyType) for part in nested_types(kind)) or _is_recursive(
        mi.type_info(kind), ()
    )


def _is_recursive(part: mi.Type, parents: tuple[Any, ...]) -> bool:
    if isinstance(part, mi.StructType):
        if part.cls in parents:
            return True
        parents = (*parents, part.cls)
    return any(_is_recursive(inner, parents) for inner in _child_types(part))
