"""Write the generated tables of docs/reference: `build_reference.py [FOLDER]`.

A page marks a table with `<!-- table: KIND ARGUMENTS -->` and `<!-- end of table -->`. What stands between the two
comes from the OpenAPI document, the plans and the vocabularies of the program; the rest of a page is prose. The kinds
are the functions in `KINDS`.
"""

import asyncio
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx

from firmograph.api.envelope import item_message
from firmograph.app import create_app
from firmograph.billing.plans import load_plans
from firmograph.cli.main import COMMANDS, load
from firmograph.database.connection import Database
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.vocabulary import DEPARTMENTS, REVENUE_BANDS, SENIORITIES, SIZE_BANDS
from firmograph.prospecting.indexing.completeness import COMPANY_POINTS, CONTACT_POINTS
from firmograph.rate_limits.windows import PATH_LIMITS
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity
from firmograph.settings import Settings
from firmograph.signals.types import NEWS_EVENTS, TYPES

FOLDER = Path(__file__).parents[1] / "docs" / "reference"

_MARKED = re.compile(r"(<!-- table: (\w+)(?: ([^>]*?))? -->\n).*?(<!-- end of table -->)", re.DOTALL)
_MOST_LISTED = 12
"""Longer enumerations are only counted."""
_EVERYWHERE = {"200", "201", "400", "401", "403", "413", "415", "429", "499", "500", "503"}
"""Statuses that a table of calls leaves out."""

Rows = Iterable[tuple[str, ...]]
Schema = dict[str, Any]


def openapi() -> Schema:
    """Return the OpenAPI document of the whole application. No database is opened."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/unused.db")
        app = create_app(Settings(), database, Keyring(hash="00" * 32, tokens={1: "00" * 32}))
        return asyncio.run(_get_openapi(app))


async def _get_openapi(app: Any) -> Schema:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        answer = await client.get("/openapi.json")
    return dict(json.loads(answer.content))


def filled(text: str, document: Schema) -> str:
    """Return a page with its tables from the program. Raises KeyError for an unknown kind, call or field."""

    def table(match: re.Match[str]) -> str:
        begin, kind, arguments, end = match.groups()
        header, rows = KINDS[kind](document, arguments or "")
        return f"{begin}\n{_rendered(header, rows)}\n{end}"

    return _MARKED.sub(table, text)


def _rendered(header: tuple[str, ...], rows: Rows) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", r"\|").split())


# --- calls and their fields ---

_AT = re.compile(r"(?P<call>[A-Z]+ \S+)(?: at (?P<at>\S+))?(?: levels (?P<levels>\d+))?$")


def _calls(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    rows = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if not set(operation.get("tags", ())) & set(arguments.split(", ")):
                continue
            own = sorted(set(operation["responses"]) - _EVERYWHERE)
            rows.append((f"`{method.upper()} {path}`", operation["summary"], ", ".join(own)))
    if not rows:
        raise KeyError(arguments)
    return ("Call", "Purpose", "Statuses of its own"), rows


def _request(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    operation, at, levels = _operation(document, arguments)
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    fields = _Fields(document, nullable=False)
    return ("Field", "Value", "Meaning"), list(fields.rows(fields.inside(body, at), levels))


def _answer(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    operation, at, levels = _operation(document, arguments)
    status = "201" if "201" in operation["responses"] else "200"
    body = operation["responses"][status]["content"]["application/json"]["schema"]
    fields = _Fields(document, nullable=True)
    return ("Field", "Value", "Meaning"), list(fields.rows(fields.inside(body, at), levels))


def _refusal(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    operation, _, levels = _operation(document, arguments)
    name = operation["responses"]["400"]["$ref"].rpartition("/")[2]
    body = document["components"]["responses"][name]["content"]["application/json"]["schema"]
    return ("Field", "Value", "Meaning"), list(_Fields(document, nullable=True).rows(body, levels))


def _query(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    operation, _, _ = _operation(document, arguments)
    fields = _Fields(document, nullable=False)
    rows = []
    for parameter in operation["parameters"]:
        if parameter.get("in") == "query":
            schema = parameter["schema"]
            value = fields.value(schema, required=parameter.get("required", False))
            rows.append(
                (f"`{parameter['name']}`", value, parameter.get("description", schema.get("description", "")))
            )
    return ("Parameter", "Value", "Meaning"), rows


def _operation(document: Schema, arguments: str) -> tuple[Schema, str, int]:
    match = _AT.match(arguments)
    if match is None:
        raise KeyError(arguments)
    method, path = match["call"].split(" ")
    return document["paths"][path][method.lower()], match["at"] or "", int(match["levels"] or 20)


class _Fields:
    """The properties of a JSON schema as rows of a table."""

    def __init__(self, document: Schema, *, nullable: bool) -> None:
        self._components = document["components"]["schemas"]
        self._nullable = nullable
        """Whether null is a value of its own; in requests it stands for an absent property."""

    def inside(self, schema: Schema, at: str) -> Schema:
        """Return the schema at a path such as `results[].jobTitle`."""
        for name in filter(None, at.split(".")):
            schema = self._properties(schema)[name.removesuffix("[]")][0]
            if name.endswith("[]"):
                schema = self._resolved(schema)["items"]
        return schema

    def rows(self, schema: Schema, levels: int, prefix: str = "") -> Iterator[tuple[str, ...]]:
        """Yield a row for each property, those inside objects and lists with their paths."""
        for name, (described, required) in self._properties(schema).items():
            resolved = self._resolved(described)
            meaning = described.get("description") or resolved.get("description", "")
            yield f"`{prefix}{name}`", self.value(described, required=required), meaning
            if levels > 1:
                yield from self._inner(resolved, levels - 1, f"{prefix}{name}")

    def _inner(self, resolved: Schema, levels: int, path: str) -> Iterator[tuple[str, ...]]:
        if resolved.get("type") == "array":
            yield from self.rows(resolved.get("items") or {}, levels, f"{path}[].")
        elif isinstance(resolved.get("additionalProperties"), dict):
            yield from self.rows(resolved["additionalProperties"], levels, f"{path}.KEY.")
        else:
            yield from self.rows(resolved, levels, f"{path}.")

    def _properties(self, schema: Schema) -> dict[str, tuple[Schema, bool]]:
        """Return the properties of an object, or of every object in a union, and whether each is always present."""
        resolved = self._resolved(schema)
        options = [self._resolved(one) for one in resolved.get("anyOf", [resolved])]
        options = [one for one in options if "properties" in one]
        # an item that failed is described once, in errors.md
        options = [one for one in options if "error" not in one.get("required", ())] or options
        found: dict[str, tuple[Schema, bool]] = {}
        for option in options:
            for name, described in option["properties"].items():
                always = all(name in other.get("required", ()) for other in options)
                found.setdefault(name, (described, always))
        return found

    def _resolved(self, schema: Schema) -> Schema:
        while True:
            if "$ref" in schema:
                schema = self._components[schema["$ref"].rpartition("/")[2]]
            elif "anyOf" in schema and len(present := _without_null(schema["anyOf"])) == 1:
                schema = {name: value for name, value in schema.items() if name != "anyOf"} | present[0]
            else:
                return schema

    def value(self, schema: Schema, *, required: bool = False) -> str:
        """Describe the allowed values of a property."""
        resolved = self._resolved(schema)
        parts = [self._kind(resolved)]
        if self._nullable and {"type": "null"} in schema.get("anyOf", ()):
            parts[0] += " or null"
        default = schema.get("default", resolved.get("default"))
        if required:
            parts.append("required" if not self._nullable else "always")
        elif isinstance(default, bool | int | str) and default != "":
            parts.append(f"default `{json.dumps(default) if isinstance(default, bool) else default}`")
        return ", ".join(parts)

    def _kind(self, schema: Schema) -> str:
        if "enum" in schema:
            return _enumerated(schema["enum"])
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        kind = schema.get("type")
        if kind == "array":
            return _list_of(self._items(schema), schema)
        if kind == "string":
            return " ".join(filter(None, [_text(schema), _characters(schema)]))
        if kind in ("integer", "number"):
            return ", ".join(
                filter(None, ["whole number" if kind == "integer" else "number", _bounds(schema)])
            )
        if kind == "boolean":
            return "`true` or `false`"
        options = _without_null(schema.get("anyOf", []))
        if options and "properties" not in schema:
            return " or ".join(dict.fromkeys(self._kind(self._resolved(one)) for one in options))
        return "object"

    def _items(self, schema: Schema) -> str:
        if "prefixItems" in schema:
            return "numbers"
        item = self._resolved(schema.get("items", {}))
        if "properties" in item or all(
            "properties" in self._resolved(one) for one in item.get("anyOf", [{}])
        ):
            return "objects"
        kind = self._kind(item)
        if "enum" in item:
            return f"values, {len(item['enum'])} known" if kind.startswith("one of") else f"values: {kind}"
        for one in (*_FORMATS.values(), "text", "whole number", "number"):
            if kind == one or kind.startswith((f"{one} of ", f"{one}, ")):
                return f"{one}{'es' if one.endswith('s') else 's'}{kind.removeprefix(one)}"
        return kind


def _without_null(options: list[Schema]) -> list[Schema]:
    return [one for one in options if one != {"type": "null"}]


def _enumerated(values: list[Any]) -> str:
    if len(values) > _MOST_LISTED:
        return f"one of {len(values)} values"
    return ", ".join(f"`{value}`" for value in values)


_FORMATS = {
    "date": "date",
    "date-time": "date and time",
    "email": "e-mail address",
    "uuid": "UUID",
    "uri": "URL",
    "webhook-url": "URL",
    "linkedin-url": "LinkedIn profile URL",
    "linkedin-company-url": "LinkedIn company URL",
    "domain": "domain",
}


def _text(schema: Schema) -> str:
    return _FORMATS.get(schema.get("format", ""), "text")


def _characters(schema: Schema) -> str:
    if schema.get("format") in ("date", "date-time"):
        return ""
    bounds = _between(schema.get("minLength"), schema.get("maxLength"))
    return f"of {bounds} characters" if bounds else ""


def _bounds(schema: Schema) -> str:
    return _between(schema.get("minimum"), schema.get("maximum"))


def _between(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
    if high is not None:
        return f"up to {high:,.0f}"
    return f"at least {low:,.0f}" if low is not None else ""


def _list_of(items: str, schema: Schema) -> str:
    size = _between(schema.get("minItems"), schema.get("maxItems")).replace("at least 1", "one or more")
    return f"list of {size} {items}".replace("  ", " ")


# --- plans, prices, statuses ---


def _plans(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    rows = [
        (f"`{plan.name}`", *(_limit(limit) for limit in (plan.second, plan.minute, plan.hour, plan.day)))
        for plan in load_plans()
    ]
    return ("Plan", "Requests a second", "a minute", "an hour", "a day"), rows


def _limit(limit: int | None) -> str:
    return "no limit" if limit is None else f"{limit:,}"


def _prices(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    prices = next(iter(load_plans())).prices
    names = arguments.split() or list(prices)
    return ("Price key", "Credits", "For each started"), [
        (f"`{name}`", str(prices[name].credits), str(prices[name].per_quantity)) for name in names
    ]


def _features(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    plans = list(load_plans())
    closed = {name: [plan.name for plan in plans if not plan.features[name]] for name in plans[0].features}
    rows = [(f"`{name}`", ", ".join(plans) or "none") for name, plans in closed.items()]
    return ("Feature", "Packaged plans without it"), rows


def _windows(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    return ("Paths", "Requests a minute"), [(f"`{name}`", str(limit)) for name, limit in PATH_LIMITS.items()]


def _statuses(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    meanings: dict[str, str] = {}
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if "$ref" in answer:
                    answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
                meanings.setdefault(status, answer["description"])
    return ("Status", "Meaning"), sorted(
        (status, meaning) for status, meaning in meanings.items() if status > "299"
    )


def _item_errors(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    codes = document["components"]["schemas"]["ErrorDetail"]["properties"]["code"]["enum"]
    return ("Code", "Message for a contact", "for a company"), [
        (f"`{code}`", _item_message(Entity.CONTACT, code), _item_message(Entity.COMPANY, code))
        for code in codes
    ]


def _item_message(entity: Entity, code: Any) -> str:
    try:
        return item_message(entity, code)
    except KeyError:
        return ""


# --- vocabularies and rules ---


def _departments(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    return ("Department", "Id in webhook payloads"), [
        (name, str(place)) for place, name in enumerate(DEPARTMENTS, 1)
    ]


def _seniorities(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    return ("Id", "Label in records"), [
        (str(id), SENIORITIES[id]) for id in sorted(SENIORITIES, reverse=True)
    ]


def _bands(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    bands = {"sizes": SIZE_BANDS, "revenues": REVENUE_BANDS}[arguments]
    return ("From", "To"), [(f"{low:,}", f"{high:,}" if high else "no upper bound") for low, high in bands]


def _industries(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    return ("Id", "Main industry", "Sub-industries with their ids"), [
        (str(main.id), main.name, "; ".join(f"{sub.name} ({sub.id})" for sub in main.subs))
        for main in MAIN_INDUSTRIES
    ]


def _signals(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    entity = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}[arguments]
    rows = [(f"`{name}`", ", ".join(NEWS_EVENTS.get(name, ()))) for name in TYPES[entity]]
    if entity is Entity.CONTACT:
        return ("Type",), [row[:1] for row in rows]
    return ("Type", "Events of news"), rows


def _thresholds(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    packaged = tomllib.loads(files("firmograph.signals").joinpath("thresholds.toml").read_text())
    return ("Threshold", "Value"), [
        (f"`{section}.{name}`", str(value))
        for section, values in packaged.items()
        for name, value in values.items()
    ]


def _points(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    points: Any = {"contacts": CONTACT_POINTS, "companies": COMPANY_POINTS}[arguments]
    return ("What a record holds", "Points"), [(point.data, str(point.points)) for point in points]


def _commands(document: Schema, arguments: str) -> tuple[tuple[str, ...], Rows]:
    return ("Command", "Purpose"), [row for name in COMMANDS for row in _command_rows(name, load(name))]


def _command_rows(words: str, command: Any) -> Iterator[tuple[str, str]]:
    inner = getattr(command, "commands", None)
    if inner:
        for name, each in inner.items():
            yield from _command_rows(f"{words} {name}", each)
    else:
        arguments = "".join(
            f" {parameter.metavar or parameter.name.upper()}"
            for parameter in command.params
            if parameter.param_type_name == "argument"
        )
        purpose = command.help or COMMANDS[words.split()[0]][2]
        yield f"`firmograph {words}{arguments}`", _first_sentence(purpose)


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph)[0]


KINDS: dict[str, Callable[[Schema, str], tuple[tuple[str, ...], Rows]]] = {
    "calls": _calls,
    "request": _request,
    "answer": _answer,
    "refusal": _refusal,
    "query": _query,
    "plans": _plans,
    "prices": _prices,
    "features": _features,
    "windows": _windows,
    "statuses": _statuses,
    "item_errors": _item_errors,
    "departments": _departments,
    "seniorities": _seniorities,
    "bands": _bands,
    "industries": _industries,
    "signals": _signals,
    "thresholds": _thresholds,
    "points": _points,
    "commands": _commands,
}


def main(folder: Path) -> None:
    document = openapi()
    for page in sorted(FOLDER.glob("*.md")):
        (folder / page.name).write_text(filled(page.read_text("utf-8"), document), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
