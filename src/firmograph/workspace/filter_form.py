"""Form of a request's body, made from its struct: fields, what was typed, and the body as JSON takes it.

Names of fields are the paths of the properties, as in the messages of the decoder, so that a problem finds its field.
A body keeps what was typed: a text where a number is expected stays one, for the decoder to refuse.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import inspect as mi

Kind = Literal["group", "entries", "lines", "choices", "choice", "flag", "day", "number", "text"]
Query = Mapping[str, Sequence[str]]
"""Values by name, of a query or of a form."""

_SPELLINGS: Final = {
    "ids": "IDs",
    "id": "ID",
    "ipo": "IPO",
    "iso2": "ISO 2",
    "linkedin": "LinkedIn",
    "naics": "NAICS",
    "sic": "SIC",
    "sics": "SICs",
    "urls": "URLs",
    "gte": "at least",
    "lte": "at most",
    "dnc": "do-not-call",
}
_CASE: Final = re.compile(r"(; )?in any letter case$", re.IGNORECASE)


class FormField(NamedTuple):
    """Property of a body as a field."""

    name: str
    kind: Kind
    label: str
    hint: str = ""
    example: str = ""
    options: Sequence[tuple[str, str]] = ()
    """Values and labels of a vocabulary."""
    numbers: Literal["", "int", "float"] = ""
    """Numbers that the values are."""
    fields: Sequence["FormField"] = ()
    """Fields of a group, or of each entry."""


class FilledField(NamedTuple):
    """Field with what was typed, and what is wrong with it."""

    path: str
    field: FormField
    values: Sequence[str] = ()
    problems: Sequence[str] = ()
    fields: Sequence["FilledField"] = ()
    """Fields of a group; of entries a group for each, and an empty one."""

    @property
    def filled(self) -> int:
        """Fields below that have a value."""
        return sum(one.filled for one in self.fields) + bool(self.values)

    @property
    def has_problem(self) -> bool:
        return bool(self.problems) or any(one.has_problem for one in self.fields)

    def find(self, name: str) -> "FilledField":
        """Return the field of a group."""
        return next(one for one in self.fields if one.field.name == name)


# --- fields of a struct ---


@cache
def form_of(kind: type[msgspec.Struct]) -> FormField:
    """Return the form of a body."""
    return _field("", mi.type_info(kind), {})


def _field(name: str, kind: mi.Type, about: Mapping[str, Any]) -> FormField:
    kind, about = _unwrapped(kind, about)
    label, hint = label_of(name), _hint(kind, about)
    if isinstance(kind, mi.StructType):
        # a name with an underscore is a second spelling of another one
        fields = [_field(one.encode_name, one.type, {}) for one in kind.fields if "_" not in one.encode_name]
        return FormField(name, "group", label, hint, fields=fields)
    if isinstance(kind, mi.ListType):
        item = _field(name, kind.item_type, {})
        hint = hint or item.hint
        if item.kind == "group":
            return item._replace(kind="entries", hint=hint)
        return item._replace(kind="choices" if item.options else "lines", hint=hint)
    return FormField(
        name, _scalar(kind, about), label, hint, _example(about), _options(about), _numbers(kind)
    )


def _unwrapped(kind: mi.Type, about: Mapping[str, Any]) -> tuple[mi.Type, Mapping[str, Any]]:
    """Return a type without its annotations, and what they say."""
    while isinstance(kind, mi.Metadata):
        about = {**(kind.extra or {}), **(kind.extra_json_schema or {}), **about}
        kind = kind.type
    if isinstance(kind, mi.UnionType):
        # of a number and a text: whatever is typed is a text
        return _unwrapped(kind.types[-1], about)
    return kind, about


def _scalar(kind: mi.Type, about: Mapping[str, Any]) -> Kind:
    if isinstance(kind, mi.BoolType):
        return "flag"
    if about.get("enum"):
        return "choice"
    if about.get("format") == "date":
        return "day"
    return "number" if _numbers(kind) else "text"


def _numbers(kind: mi.Type) -> Literal["", "int", "float"]:
    if isinstance(kind, mi.IntType):
        return "int"
    return "float" if isinstance(kind, mi.FloatType) else ""


def _options(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    labels = about.get("labels", {})
    return [(str(value), str(labels.get(value, value))) for value in about.get("enum", ())]


def _example(about: Mapping[str, Any]) -> str:
    return ", ".join(map(str, about.get("examples", ())))


def _hint(kind: mi.Type, about: Mapping[str, Any]) -> str:
    """Return the description of a property, or of its struct, without marks."""
    text = about.get("description", "")
    if not text and isinstance(kind, mi.StructType):
        text = " ".join((kind.cls.__doc__ or "").split())
    return _CASE.sub("", text).replace("`", "")


def label_of(name: str) -> str:
    """Return the words of a property's name."""
    words = [_SPELLINGS.get(word, word) for word in re.sub(r"([A-Z])", r" \1", name).lower().split()]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


# --- body and query ---


def read_body(form: FormField, query: Query) -> dict[str, Any]:
    """Return the body that was typed; a name of no field is a property as it stands, for the decoder to refuse."""
    nonblank = {name: kept for name, values in query.items() if (kept := _nonblank(values))}
    used: set[str] = set()
    body = _read(form, "", nonblank, used) or {}
    return {**{name: nonblank[name][-1] for name in nonblank if name not in used}, **body}


def _nonblank(values: Sequence[str]) -> list[str]:
    return [line for value in values for part in value.splitlines() if (line := part.strip())]


def _read(field: FormField, path: str, query: Query, used: set[str]) -> Any:
    if field.kind == "group":
        return _read_group(field, path, query, used)
    if field.kind == "entries":
        entry = re.compile(re.escape(path) + r"\.([0-9]{1,5})\.")
        places = sorted({int(found[1]) for name in query if (found := entry.match(name))})
        entries = [_read_group(field, f"{path}.{place}", query, used) for place in places]
        return [one for one in entries if one is not None] or None
    values = query.get(path)
    if not values:
        return None
    used.add(path)
    typed = [_typed(field, value) for value in values]
    return typed if field.kind in ("lines", "choices") else typed[-1]


def _read_group(field: FormField, path: str, query: Query, used: set[str]) -> dict[str, Any] | None:
    read = ((one.name, _read(one, _join(path, one.name), query, used)) for one in field.fields)
    return {name: value for name, value in read if value is not None} or None


def _typed(field: FormField, value: str) -> Any:
    if field.kind == "flag":
        return {"true": True, "false": False}.get(value, value)
    if field.numbers and re.fullmatch(r"-?[0-9]{1,18}", value):
        return int(value)
    if field.numbers == "float" and re.fullmatch(r"-?[0-9]{1,18}\.[0-9]{1,18}", value):
        return float(value)
    return value


def pairs_of(body: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the names and values of a query that `read_body` reads as this body."""
    if isinstance(body, dict):
        for name, value in body.items():
            yield from pairs_of(value, _join(path, name))
    elif isinstance(body, list):
        for place, value in enumerate(body):
            yield from pairs_of(value, f"{path}.{place}" if isinstance(value, dict) else path)
    else:
        yield path, _text(body)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


# --- what a page shows ---


def fill(form: FormField, body: Mapping[str, Any], problems: Sequence[str]) -> tuple[FilledField, list[str]]:
    """Return the form with what was typed, and the problems of no field."""
    left = list(problems)
    return _fill(form, "", body, left), left


def _fill(field: FormField, path: str, value: Any, left: list[str]) -> FilledField:
    fields: list[FilledField] = []
    values: list[str] = []
    if field.kind == "group":
        held = value if isinstance(value, Mapping) else {}
        fields = [_fill(one, _join(path, one.name), held.get(one.name), left) for one in field.fields]
    elif field.kind == "entries":
        entry = field._replace(kind="group", hint="")
        entries = value if isinstance(value, list) else []
        fields = [_fill(entry, f"{path}.{place}", one, left) for place, one in enumerate([*entries, None])]
    elif value is not None:
        values = [_text(one) for one in (value if isinstance(value, list) else [value])]
    own = [one for one in left if path and _is_about(one, path)]
    left[:] = [one for one in left if one not in own]
    return FilledField(path, field, values, own, fields)


def _is_about(problem: str, path: str) -> bool:
    return problem.startswith(path) and problem[len(path) : len(path) + 1] in (" ", ".", ":", "")
