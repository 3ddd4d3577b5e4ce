"""Paths of fields in the native record, such as `emails.0.email` or `technologies`."""

from functools import cache, lru_cache
from typing import Literal

import msgspec
from msgspec import inspect

FieldKind = Literal["list", "value"]


@lru_cache(maxsize=4096)
def field_kind(row: type[msgspec.Struct], path: str) -> FieldKind | None:
    """Return whether a field of a row type is a list or another value; None when there is no such field."""
    forms = [_row_type(row)]
    for part in path.split("."):
        forms = [inner for form in forms for inner in _inner_types(form, part)]
        if not forms:
            return None
    return "list" if any(isinstance(form, inspect.ListType) for form in forms) else "value"


@cache
def _row_type(row: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(row)


def _inner_types(form: inspect.Type, part: str) -> list[inspect.Type]:
    """Return the types that a field or item of this type may have."""
    if isinstance(form, inspect.StructType):
        return [
            one for field in form.fields if field.encode_name == part for one in _alternatives(field.type)
        ]
    if isinstance(form, inspect.ListType):
        return _alternatives(form.item_type) if part.isascii() and part.isdigit() and len(part) < 4 else []
    if isinstance(form, inspect.DictType):
        return _alternatives(form.value_type)
    return []


def _alternatives(form: inspect.Type) -> list[inspect.Type]:
    if isinstance(form, inspect.UnionType):
        return [one for one in form.types if not isinstance(one, inspect.NoneType)]
    return [form]
