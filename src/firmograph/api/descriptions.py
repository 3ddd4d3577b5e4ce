"""Building blocks of the JSON schemas of requests."""

from typing import Any


def requires_strings(*names: str) -> dict[str, Any]:
    """Return the schema of objects in which these properties are present and are not null."""
    return {"required": list(names), "properties": {name: {"type": "string"} for name in names}}


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional property, which may be null: null counts as absent.

    See docs/reference/requests.md#bodies.
    """
    annotations = {name: schema[name] for name in ("description", "default") if name in schema}
    constraints = {name: value for name, value in schema.items() if name not in annotations}
    return annotations | {"anyOf": [constraints, {"type": "null"}]}
