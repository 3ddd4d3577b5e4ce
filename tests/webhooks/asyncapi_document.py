"""Validation of payloads by docs/asyncapi.yaml, without additional properties."""

from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import yaml

ROOT = Path(__file__).parents[2]
DOCUMENT = yaml.safe_load((ROOT / "docs" / "asyncapi.yaml").read_text())


def validation_errors(message: str, payload: bytes) -> list[str]:
    """Return the validation errors of a payload by its message, which is named by its signal type."""
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
    # a message combines the envelope with the schema of its type
    return schema if name == "Payload" else {**schema, "additionalProperties": False}
