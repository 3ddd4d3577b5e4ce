"""docs/asyncapi.yaml as what payloads are held to, more strictly than it says itself: without any further property."""

from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import yaml

ROOT = Path(__file__).parents[2]
DOCUMENT = yaml.safe_load((ROOT / "docs" / "asyncapi.yaml").read_text())


def problems(message: str, payload: bytes) -> list[str]:
    """What is wrong with a payload of a message, which is named by its type."""
    return [
        f"{error.instance_path}: {error.message}"
        for error in _validator(message).iter_errors(_parsed(payload))
    ]


def _parsed(payload: bytes) -> Any:
    return msgspec.json.decode(payload)


@cache
def _validator(message: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(
        {
            **DOCUMENT["components"]["messages"][message]["payload"],
            "unevaluatedProperties": False,
            "components": {"schemas": {name: _strict(name, schema) for name, schema in _schemas().items()}},
        },
        validate_formats=True,
    )


def _schemas() -> dict[str, Any]:
    schemas: dict[str, Any] = DOCUMENT["components"]["schemas"]
    return schemas


def _strict(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    # the envelope is one half of what a message is
    return schema if name == "Payload" else {**schema, "additionalProperties": False}
