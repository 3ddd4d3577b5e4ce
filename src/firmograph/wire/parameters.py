"""Parameters of queries and paths: decoded as strictly as bodies are, into a Struct of texts and whole numbers.

A query parameter that the Struct does not name is ignored, as callers and proxies add their own. An empty one counts as
absent (decisions N).
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal
from urllib.parse import parse_qsl

import msgspec
from msgspec import inspect as mi

from firmograph.kit.errors import BadRequest
from firmograph.wire.body_types import parts
from firmograph.wire.decoding import Decoder

_encode = msgspec.json.Encoder().encode


_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)


class Parameters:
    """Decodes the parameters of one endpoint that stand in one place: the query, or the path."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self._names, self._numbers = _names(kind)
        self._decode = Decoder(kind, max_depth=1).decode

    def of_path(self, given: Mapping[str, str]) -> msgspec.Struct:
        """Raises BadRequest, its message naming the parameter."""
        return self._decode(_encode({name: self._value(name, text) for name, text in given.items()}))

    def of_query(self, raw: bytes) -> msgspec.Struct:
        """Raises BadRequest, its message naming the parameter."""
        try:
            pairs = parse_qsl(raw.decode(), errors="strict")
        except UnicodeDecodeError as error:
            raise BadRequest("The query string is not valid UTF-8") from error
        given: dict[str, str | int] = {}
        for name, value in pairs:
            if name in given:
                problem = f"{name} should not be repeated"
                raise BadRequest(problem, [problem])
            if name in self._names:
                given[name] = self._value(name, value)
        return self._decode(_encode(given))

    def _value(self, name: str, text: str) -> str | int:
        return int(text) if name in self._numbers and _WHOLE.fullmatch(text) else text


@cache
def _names(kind: type[msgspec.Struct]) -> tuple[frozenset[str], frozenset[str]]:
    """Of all parameters, and of those that are numbers."""
    fields = msgspec.structs.fields(kind)
    numbers = (field.encode_name for field in fields if _is_number(field.type))
    return frozenset(field.encode_name for field in fields), frozenset(numbers)


def _is_number(kind: Any) -> bool:
    return any(isinstance(part, mi.IntType) for part in parts(kind))


def described_parameters(kind: type[msgspec.Struct], place: Literal["query", "path"]) -> list[dict[str, Any]]:
    """The parameters as OpenAPI lists them."""
    (described,) = msgspec.json.schema_components([kind])[1].values()
    required = described.get("required", ())
    return [
        {
            "name": name,
            "in": place,
            "required": name in required,
            "description": schema.pop("description", ""),
            "schema": schema,
        }
        for name, schema in described["properties"].items()
    ]
