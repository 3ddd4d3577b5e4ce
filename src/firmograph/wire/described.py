"""Parts of the JSON schemas that describe requests."""

from typing import Any


def with_texts(*names: str) -> dict[str, Any]:
    """The schema of objects that have all of these properties, as texts: null is none."""
    return {"required": list(names), "properties": {name: {"type": "string"} for name in names}}


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an optional property: null counts as absent (decisions N)."""
    about = {name: schema[name] for name in ("description", "default") if name in schema}
    own = {name: value for name, value in schema.items() if name not in about}
    return about | {"anyOf": [own, {"type": "null"}]}
