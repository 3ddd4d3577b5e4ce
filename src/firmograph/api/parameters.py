"""Strict decoding of query and path parameters into a Struct of strings and integers.

A query parameter that the Struct does not name is ignored, because callers and proxies add their own. An empty one
counts as absent (docs/reference/requests.md#bodies).
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal
from urllib.parse import parse_qsl

import msgspec
from msgspec import inspect as mi

from firmograph.api.body_decoder import Decoder
from firmograph.api.body_types import nested_types
from firmograph.kit.errors import BadRequest

_encode = msgspec.json.Encoder().encode


_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


class ParameterDecoder:
    """Decoder of the query parameters or the path parameters of one endpoint."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self._names, self._numbers = _parameter_names(kind)
        self._decode = Decoder(kind, max_depth=1).decode

    def decode_path(self, parameters: Mapping[str, str]) -> msgspec.Struct:
        """Decode path parameters; raises BadRequest, its message naming the parameter."""
        return self._decode(_encode({name: self._value(name, text) for name, text in parameters.items()}))

    def decode_query(self, raw: bytes) -> msgspec.Struct:
        """Decode a query string; raises BadRequest, its message naming the parameter."""
        try:
            pairs = parse_qsl(raw.decode(), errors="strict")
        except UnicodeDecodeError as error:
            raise BadRequest("The query string is not valid UTF-8") from error
        parameters: dict[str, str | int] = {}
        for name, value in pairs:
            if name in parameters:
                problem = f"{name} should not be repeated"
                raise BadRequest(problem, [problem])
            if name in self._names:
                parameters[name] = self._value(name, value)
        return self._decode(_encode(parameters))

    def _value(self, name: str, text: str) -> str | int:
        return int(text) if name in self._numbers and _WHOLE_NUMBER.fullmatch(text) else text


@cache
def _parameter_names(kind: type[msgspec.Struct]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of all parameters and of the numeric ones."""
    fields = msgspec.structs.fields(kind)
    numbers = (field.encode_name for field in fields if _is_number(field.type))
    return frozenset(field.encode_name for field in fields), frozenset(numbers)


def _is_number(kind: Any) -> bool:
    return any(isinstance(part, mi.IntType) for part in nested_types(kind))


def describe_parameters(kind: type[msgspec.Struct], place: Literal["query", "path"]) -> list[dict[str, Any]]:
    """Return the OpenAPI description of the parameters."""
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
