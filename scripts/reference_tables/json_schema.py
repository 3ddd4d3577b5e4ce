"""Properties of a JSON schema as rows of a table."""

import json
from collections.abc import Iterator
from typing import Any

from firmograph.api.descriptions import BLANK

Schema = dict[str, Any]

_MOST_LISTED = 12
"""Longer enumerations are only counted."""


class Properties:
    """Properties of the schemas of one OpenAPI document."""

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
            elif "anyOf" in schema and len(present := _without_absent(schema["anyOf"])) == 1:
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
        options = _without_absent(schema.get("anyOf", []))
        if options and "properties" not in schema:
            return " or ".join(dict.fromkeys(self._kind(self._resolved(one)) for one in options))
        return "object" if kind or "properties" in schema or options else "any value"

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


def _without_absent(options: list[Schema]) -> list[Schema]:
    """Leave out null and blank texts, which count as absent."""
    return [one for one in options if one not in ({"type": "null"}, {"type": "string", "pattern": BLANK})]


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
