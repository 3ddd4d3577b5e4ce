"""Building blocks of the JSON schemas of requests."""

from typing import Any, Final

from msgspec import Meta

BLANK: Final = r"^[ \t\r\n]*$"
"""Pattern of the texts that count as absent."""
NOT_BLANK: Final = r"[^ \t\r\n]"


def requires_strings(*names: str) -> dict[str, Any]:
    """Return the schema of objects in which these properties are present: neither null nor blank."""
    text = {"type": "string", "pattern": NOT_BLANK}
    return {"required": list(names), "properties": dict.fromkeys(names, text)}


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional property, which may be null or a blank text: both count as absent.

    See docs/reference/requests.md#bodies.
    """
    annotations = {name: schema[name] for name in ("description", "default") if name in schema}
    constraints = {name: value for name, value in schema.items() if name not in annotations}
    return annotations | {"anyOf": [constraints, {"type": "null"}, {"type": "string", "pattern": BLANK}]}


def in_any_case(*values: str, description: str = "") -> Meta:
    """Document the texts of a fixed vocabulary, which the reader of the request takes in any letter case."""
    case = "in any letter case" if description else "In any letter case"
    return Meta(
        max_length=64,
        description="; ".join(filter(None, [description, case])),
        extra_json_schema={"enum": list(values)},
    )
