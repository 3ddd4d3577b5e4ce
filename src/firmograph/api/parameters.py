"""Strict decoding of query and path parameters into a Struct of strings, integers, booleans and lists of these.

A query parameter that the Struct does not name is ignored, because callers and proxies add their own, unless the
endpoint refuses it. An empty one counts as absent (docs/reference/requests.md#bodies). Only a list may be repeated.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl

import msgspec
from msgspec import inspect as mi

from firmograph.kit.body_decoder import Decoder
from firmograph.kit.body_types import nested_types
from firmograph.kit.errors import BadRequest

_encode = msgspec.json.Encoder().encode


_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_BOOLEANS = {"true": True, "false": False}


class ParameterDecoder:
    """Decoder of the query parameters or the path parameters of one endpoint."""

    def __init__(self, kind: type[msgspec.Struct], *, refuses_unknown: bool = False) -> None:
        """Prepare the decoder; with `refuses_unknown`, query parameters that `kind` does not name are refused."""
        self._types = _parameter_types(kind)
        self._refuses_unknown = refuses_unknown
        self._decode = Decoder(kind, max_depth=2).decode

    def decode_path(self, parameters: Mapping[str, str]) -> msgspec.Struct:
        """Decode path parameters; raises BadRequest, its message naming the parameter.

        NUL characters and blank texts are replaced in a parameter that may be any text, where the endpoint says what it
        does not know.
        """
        texts = {
            name: _any_text(text) if self._types[name].is_any_text else text
            for name, text in parameters.items()
        }
        return self._decode(_encode({name: self._read(name, text) for name, text in texts.items()}))

    def decode_query(self, raw: bytes) -> msgspec.Struct:
        """Decode a query string; raises BadRequest, its message naming the parameter."""
        try:
            pairs = parse_qsl(raw.decode(), errors="strict")
        except UnicodeDecodeError as error:
            raise BadRequest("The query string is not valid UTF-8") from error
        parameters: dict[str, Any] = {}
        for name, text in pairs:
            kind = self._types.get(name)
            if kind is not None and kind.repeats:
                parameters.setdefault(name, []).append(self._read(name, text))
            elif kind is not None and name in parameters:
                problem = f"{name} should not be repeated"
                raise BadRequest(problem, [problem])
            elif kind is not None or self._refuses_unknown:
                parameters[name] = self._read(name, text)
        return self._decode(_encode(parameters))

    def _read(self, name: str, text: str) -> str | int | bool:
        """Return the value of a parameter; a text of another type stays text, which the decoder refuses."""
        kind = self._types.get(name)
        if kind is None:
            return text
        if kind.is_number and _WHOLE_NUMBER.fullmatch(text):
            return int(text)
        return _BOOLEANS.get(text, text) if kind.is_boolean else text


def _any_text(text: str) -> str:
    return text.replace("\0", "\ufffd") if text.strip() else "\ufffd"


class _ParameterType(NamedTuple):
    """Types that the text of a parameter may be read as, besides a string."""

    is_number: bool
    is_boolean: bool
    repeats: bool
    is_any_text: bool


@cache
def _parameter_types(kind: type[msgspec.Struct]) -> dict[str, _ParameterType]:
    return {field.encode_name: _parameter_type(field.type) for field in msgspec.structs.fields(kind)}


def _parameter_type(kind: Any) -> _ParameterType:
    parts = {type(part) for part in nested_types(kind)}
    return _ParameterType(mi.IntType in parts, mi.BoolType in parts, mi.ListType in parts, kind is str)


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
