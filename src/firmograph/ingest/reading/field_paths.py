"""Paths in the native record: `emails.0.email`, `jobTitle.title`, `technologies`."""

from functools import cache, lru_cache
from typing import Literal

import msgspec
from msgspec import inspect

Kind = Literal["list", "value"]


@lru_cache(maxsize=4096)
def kind_of(row: type[msgspec.Struct], path: str) -> Kind | None:
    """What stands at a path of a row's form: a list, anything else, or None when there is no such field."""
    forms = [_form(row)]
    for part in path.split("."):
        forms = [inner for form in forms for inner in _inside(form, part)]
        if not forms:
            return None
    return "list" if any(isinstance(form, inspect.ListType) for form in forms) else "value"


@cache
def _form(row: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(row)


def _inside(form: inspect.Type, part: str) -> list[inspect.Type]:
    """The forms that a field or an item of this form may have."""
    if isinstance(form, inspect.StructType):
        return [one for field in form.fields if field.encode_name == part for one in _forms(field.type)]
    if isinstance(form, inspect.ListType):
        return _forms(form.item_type) if part.isascii() and part.isdigit() and len(part) < 4 else []
    if isinstance(form, inspect.DictType):
        return _forms(form.value_type)
    return []


def _forms(form: inspect.Type) -> list[inspect.Type]:
    if isinstance(form, inspect.UnionType):
        return [one for one in form.types if not isinstance(one, inspect.NoneType)]
    return [form]
