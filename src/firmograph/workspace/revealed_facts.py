"""Values of a record as lines of a page. Their texts are untrusted; templates escape them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from firmograph.workspace.filter_form import label_of

_NOT_SHOWN: Final = (
    "id",
    "has",
    "canReveal",
    "logoUrl",
    "firstName",
    "lastName",
    "fullName",
    "name",
    "partialProfile",
)


class RecordFact(NamedTuple):
    """Property of a record, with its values."""

    label: str
    values: Sequence[str]


def read_facts(record: Mapping[str, Any]) -> list[RecordFact]:
    """Return the properties of a record as JSON has it, in its order."""
    return [
        RecordFact(label_of(name), values)
        for name, value in record.items()
        if name not in _NOT_SHOWN and (values := list(_texts(value)))
    ]


def _texts(value: Any) -> Iterator[str]:
    """Yield a line for each entry of a list, and for each other value one."""
    if isinstance(value, list):
        for one in value:
            yield from _texts(one) if isinstance(one, list) else [_line(one)]
    elif isinstance(value, Mapping):
        nested = {name: one for name, one in value.items() if isinstance(one, list | Mapping)}
        if plain := _line({name: one for name, one in value.items() if name not in nested}):
            yield plain
        for name, one in nested.items():
            yield from (f"{label_of(name)}: {text}" for text in _texts(one))
    elif value not in (None, ""):
        yield _line(value)


def _line(value: Any) -> str:
    if isinstance(value, Mapping):
        shown = ((name, one) for name, one in value.items() if name != "id" and one not in (None, ""))
        return " · ".join(
            f"{label_of(name).lower()} {_line(one)}" if isinstance(one, int | float) else _line(one)
            for name, one in shown
        )
    if isinstance(value, list):
        return ", ".join(map(_line, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
