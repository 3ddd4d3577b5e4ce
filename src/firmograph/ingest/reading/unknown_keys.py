"""Keys of JSON rows that no field of their record reads (docs/reference/import.md#summary)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

REJECT_REASON = "rejectReason"
"""Column or key of the reason in a file of rejected rows."""
OWN_KEYS = frozenset(
    [
        *"has canReveal clientReferenceId partialProfile isEuContact signalTypes sources token stub".split(),
        "company.industry",
        REJECT_REASON,
    ]
)
"""Keys of this service's own answers and files that are no data of the record."""


class _Fields(NamedTuple):
    """Fields of objects of one or several types."""

    names: frozenset[str]
    inner: Mapping[str, "_Fields"]
    """Those that hold objects, or lists of them."""


def find_unknown_keys(row: type[msgspec.Struct], value: Any, mapped: Collection[str] = ()) -> set[str]:
    """Return the paths, without indexes, of a row's keys with a value that are neither fields nor in `mapped`."""
    found: set[str] = set()
    if isinstance(value, dict):
        _collect(value, _fields_of_row(row), "", found)
    if found and mapped:
        return {path for path in found if not any(f"{name}.".startswith(f"{path}.") for name in mapped)}
    return found


def has_value(value: Any) -> bool:
    """Return whether a cell or a key's value is not blank."""
    if isinstance(value, str):
        return bool(value) and not value.isspace()
    return value is not None and value != [] and value != {}


def _collect(value: dict[str, Any], fields: _Fields, path: str, found: set[str]) -> None:
    names, inner = fields
    for name, each in value.items():
        if name not in names:
            if has_value(each) and name not in OWN_KEYS and path + name not in OWN_KEYS:
                found.add(path + name)
        elif isinstance(each, dict):
            if name in inner:
                _collect(each, inner[name], f"{path}{name}.", found)
        elif isinstance(each, list) and name in inner:
            for one in each:
                if isinstance(one, dict):
                    _collect(one, inner[name], f"{path}{name}.", found)


@cache
def _fields_of_row(row: type[msgspec.Struct]) -> _Fields:
    found = _fields([inspect.type_info(row)])
    assert found is not None
    return found


def _fields(forms: Sequence[inspect.Type]) -> _Fields | None:
    """Return the fields of the objects among these types; None without any."""
    fields = [field for form in forms if isinstance(form, inspect.StructType) for field in form.fields]
    if not fields:
        return None
    inner = {field.encode_name: _fields(list(_alternatives(field.type))) for field in fields}
    return _Fields(frozenset(inner), {name: below for name, below in inner.items() if below is not None})


def _alternatives(form: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the types that a field may have, and those of its items if it is a list."""
    for one in form.types if isinstance(form, inspect.UnionType) else (form,):
        if isinstance(one, inspect.ListType):
            yield from _alternatives(one.item_type)
        else:
            yield one
