"""Query parameters: decoded as strictly as bodies are, into a Struct of texts, and described.

A parameter that the Struct does not name is ignored, as callers and proxies add their own.
"""

from typing import Any
from urllib.parse import parse_qsl

import msgspec

from firmograph.kit.errors import BadRequest
from firmograph.wire.decoding import Decoder

_encode = msgspec.json.Encoder().encode


class Parameters:
    """Decodes the query strings of one endpoint."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self._names = frozenset(field.encode_name for field in msgspec.structs.fields(kind))
        self._decode = Decoder(kind, max_depth=1).decode

    def decode(self, raw: bytes) -> msgspec.Struct:
        """Raises BadRequest, its message naming the parameter."""
        try:
            pairs = parse_qsl(raw.decode(), keep_blank_values=True, errors="strict")
        except UnicodeDecodeError as error:
            raise BadRequest("The query string is not valid UTF-8") from error
        given: dict[str, str] = {}
        for name, value in pairs:
            if name in given:
                problem = f"{name} should not be repeated"
                raise BadRequest(problem, [problem])
            if name in self._names:
                given[name] = value
        return self._decode(_encode(given))


def described_parameters(kind: type[msgspec.Struct]) -> list[dict[str, Any]]:
    """The parameters as OpenAPI lists them."""
    (described,) = msgspec.json.schema_components([kind])[1].values()
    required = described.get("required", ())
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": schema.pop("description", ""),
            "schema": schema,
        }
        for name, schema in described["properties"].items()
    ]
