"""OpenAPI 3.1 document, built from the endpoints and their structs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from firmograph.api.descriptions import NOT_BLANK, nullable
from firmograph.api.endpoint import Endpoint
from firmograph.api.envelope import ErrorBody, ErrorShape, NumberedErrorBody, OlderErrorBody
from firmograph.api.parameters import describe_parameters
from firmograph.api.request import LONGEST_KEY, VISIBLE, RequestTimeout
from firmograph.kit.errors import (
    BadRequest,
    Busy,
    Conflict,
    FirmographError,
    Forbidden,
    PayloadTooLarge,
    PaymentRequired,
    TooManyRequests,
    Unauthorized,
    UnsupportedMediaType,
)

_REF = "#/components/schemas/{name}"


class OpenApiDocument(NamedTuple):
    """Document of the endpoints with one kind of key; those without a key are in the public one."""

    title: str
    description: str
    scheme: str
    """Name of the security scheme."""
    header: str
    key: str
    """Description of the key."""
    reasons: Mapping[int, str] = {}
    """Meanings of statuses that differ from those of the API."""


_ERROR_BODIES: dict[ErrorShape, type[msgspec.Struct]] = {
    "current": ErrorBody,
    "numbered": NumberedErrorBody,
    "older": OlderErrorBody,
}

_ORIGINAL = "x-original-request-id"
_CREDITS = "x-credits-charged"
_LIMITS = tuple(f"x-{name}" for name in ("rate-limit", "minute", "hourly", "daily"))

_WINDOWS = {"minute": "minute", "hourly": "hour", "daily": "day"}

_REASONS: dict[int, str] = {
    400: "The request is malformed or contradictory; `errors` lists up to ten problems.",
    401: "The API key is missing, wrong or expired.",
    402: "The account has too few credits, or the key has reached its daily cap; nothing was revealed or charged.",
    403: "The account is inactive, its plan does not allow the call, a maximum is reached, or only another user may "
    "make the call.",
    404: "The resource does not exist.",
    409: "The Idempotency-Key was used with another query or body, its first call is still running, or the name of a "
    "table is taken.",
    410: "The `dedupeSessionId` is unknown or expired; leave it out to begin a new session.",
    412: "The full name, sent without other identifiers, cannot be split into first and last name.",
    413: "The body is too large.",
    415: "The content type is not JSON.",
    429: "A rate limit was reached; `message` says which, and nothing was counted or charged.",
    451: "The person's data may not be shown, for legal reasons; nothing was charged.",
    499: "The body did not arrive in time.",
    500: "Internal error; the header x-request-id identifies it in the service's log.",
    502: "An upstream source of the response cannot be reached; nothing was charged, and a retry may succeed.",
    503: "The service is busy, or its search index is being prepared; nothing was charged.",
}


def build_openapi(
    endpoints: Iterable[Endpoint],
    *,
    version: str,
    max_body_bytes: int,
    document: OpenApiDocument | None = None,
) -> dict[str, Any]:
    """Return a document, by default the public one, as JSON-compatible values, without undocumented endpoints."""
    document = document or _PUBLIC
    by_operator = document is not _PUBLIC
    documented = [
        endpoint
        for endpoint in endpoints
        if endpoint.documented and (endpoint.authentication == "operator") == by_operator
    ]
    schemas = _Schemas(documented)
    paths: dict[str, Any] = {}
    for endpoint in documented:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    tags = list(dict.fromkeys(tag for endpoint in documented for tag in endpoint.tags))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": document.title,
            "version": version,
            "description": document.description.format(max_body_bytes=max_body_bytes),
        },
        "servers": [{"url": "/"}],
        "security": [{document.scheme: []}],
        "tags": [{"name": tag} for tag in tags],
        "paths": paths,
        "components": {
            "securitySchemes": {
                document.scheme: {
                    "type": "apiKey",
                    "in": "header",
                    "name": document.header,
                    "description": f"{document.key}. HTTP header names are case-insensitive.",
                }
            },
            "schemas": schemas.components,
            "headers": _header_components(),
            "parameters": {"IdempotencyKey": _IDEMPOTENCY_KEY},
            "responses": _error_components(documented, {**_REASONS, **document.reasons}),
        },
    }


_PUBLIC: Final = OpenApiDocument(
    title="Firmograph",
    description="""\
Business contacts and companies: search, enrich and prospecting. Send the account's API key in the header `api_key`;
bodies are JSON objects in UTF-8, of at most {max_body_bytes} bytes, and strict: an unknown or repeated property
is refused with its path. A property that is null or a blank text counts as absent, and so does an empty query
parameter.

**Keys:** the operator makes one with `firmograph key create --account NAME`. To call operations from the page `/docs`,
choose *Authorize* there and enter the key.

Every response carries `x-request-id`, that of a charging call `x-credits-charged` too. Requests are refused in this
order: path 404, method 405, key 401, account 403, limits 429, size 413, content type 415, body 400, credits 402.

Items of a batch fail independently: a 200 may contain results with an `error` in place of a record, for 0 credits.
""",
    scheme="ApiKeyAuth",
    header="api_key",
    key="The account's API key",
)

_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes a call safe to repeat: for 24 hours, unless the operator configured another period, the same "
    "key with the same query and body on the same method and path returns the first response again, changes nothing "
    "and never charges twice. Bodies are the same if they decode to the same JSON value, null as absent; the order of "
    "the query counts. 409 with another query or body, or while the first call is still running.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": f"^{VISIBLE}+$"},
}


def _header_components() -> dict[str, Any]:
    headers = {
        "x-request-id": {
            "description": "Identifies this request in the service's log. `requestId` in the body is the same, except "
            "for a repeated Idempotency-Key, where it identifies the first call.",
            "schema": {"type": "string", "format": "uuid"},
            "required": True,
        },
        _ORIGINAL: {
            "description": "Identifies the first call under a repeated Idempotency-Key; only there.",
            "schema": {"type": "string", "format": "uuid"},
        },
        _CREDITS: {
            "description": "Credits charged by the call, with the write to a table; for a repeated Idempotency-Key "
            "those of the first call. 0 on refusals, and not there on a 500 or 503 after which it is not known.",
            "schema": {"type": "integer", "minimum": 0},
            "required": True,
        },
        "retry-after": {
            "description": "Seconds until the request may be sent again.",
            "schema": {"type": "integer", "minimum": 1},
            "required": True,
        },
    }
    for name, window in _WINDOWS.items():
        for header, what in (
            (f"x-rate-limit-{name}", "Requests allowed"),
            (f"x-{name}-requests-left", "Requests left"),
            (f"x-{name}-usage", "Requests made"),
        ):
            headers[header] = {
                "description": f"{what} in the current {window}.",
                "schema": {"type": "integer", "minimum": 0},
                "required": True,
            }
    return headers


def _headers(
    *, limits: bool, retry: bool = False, charges: bool = False, repeatable: bool = False
) -> dict[str, Any]:
    names = ["x-request-id"]
    if repeatable:
        names.append(_ORIGINAL)
    if charges:
        names.append(_CREDITS)
    if limits:
        names += [name for name in _header_components() if name.startswith(_LIMITS)]
    if retry:
        names.append("retry-after")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _statuses(endpoint: Endpoint) -> list[int]:
    # an operation without a body reads one all the same
    errors: list[type[FirmographError]] = [
        FirmographError,
        Busy,
        RequestTimeout,
        PayloadTooLarge,
        *endpoint.errors,
    ]
    if not endpoint.public:
        errors += [Unauthorized, Forbidden, TooManyRequests]
    if endpoint.address_limit is not None:
        errors += [TooManyRequests]
    if endpoint.body is not None:
        errors += [BadRequest, UnsupportedMediaType]
    if endpoint.query is not None or endpoint.segments is not None:
        errors += [BadRequest]
    if endpoint.charges:
        errors += [PaymentRequired]
    if endpoint.repeatable:
        errors += [BadRequest]
    if endpoint.changes:
        errors += [Conflict]
    return sorted({error.status for error in errors})


def _error_component_name(status: int, public: bool, shape: ErrorShape) -> str:
    return f"{'' if shape == 'current' else shape.capitalize()}{'Public' if public else ''}Error{status}"


def _error_components(endpoints: list[Endpoint], reasons: Mapping[int, str]) -> dict[str, Any]:
    kinds = {
        (status, endpoint.public, endpoint.error_shape, endpoint.limited)
        for endpoint in endpoints
        for status in _statuses(endpoint)
    }
    return {
        _error_component_name(status, public, shape): {
            "description": reasons.get(status, "Refused."),
            "headers": _headers(limits=limited and status != 401, retry=status in (429, 503)),
            "content": _json({"$ref": _REF.format(name=_ERROR_BODIES[shape].__name__)}),
        }
        for status, public, shape, limited in sorted(kinds)
    }


def _operation(endpoint: Endpoint, schemas: "_Schemas") -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "description": endpoint.description,
        "tags": list(endpoint.tags),
        "responses": {
            str(endpoint.status): {
                "description": "Success.",
                "headers": _headers(
                    limits=endpoint.limited, charges=endpoint.charges, repeatable=endpoint.repeatable
                )
                | _fixed_headers(endpoint),
                "content": _success(endpoint, schemas),
            },
            **{
                str(status): {
                    "$ref": "#/components/responses/"
                    + _error_component_name(status, endpoint.public, endpoint.error_shape)
                }
                for status in _statuses(endpoint)
            },
        },
    }
    if endpoint.public:
        operation["security"] = []
    parameters = describe_parameters(endpoint.segments, "path") if endpoint.segments else []
    if endpoint.query:
        described = describe_parameters(endpoint.query, "query")
        parameters += [_with_example(one, endpoint.query_example) for one in described]
    if endpoint.repeatable:
        parameters.append({"$ref": "#/components/parameters/IdempotencyKey"})
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        operation["requestBody"] = {"required": True, "content": _request_content(endpoint, schemas)}
    return operation


def _with_example(parameter: dict[str, Any], example: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter with the value that the page fills in: the endpoint's, or that of a required one."""
    values = [example[name]] if (name := parameter["name"]) in example else []
    if parameter["required"]:
        values += parameter["schema"].get("examples", [])
    return parameter | {"example": values[0]} if values else parameter


def _request_content(endpoint: Endpoint, schemas: "_Schemas") -> dict[str, Any]:
    described: dict[str, Any] = {
        "schema": {"type": "string"} if endpoint.body is bytes else schemas.schema(endpoint.body)
    }
    if endpoint.examples:
        described["examples"] = {name: {"value": value} for name, value in endpoint.examples.items()}
    return dict.fromkeys(endpoint.accepts, described)


def _fixed_headers(endpoint: Endpoint) -> dict[str, Any]:
    return {
        name.decode(): {"required": True, "schema": {"type": "string", "const": value.decode("latin-1")}}
        for name, value in endpoint.all_headers
    }


def _success(endpoint: Endpoint, schemas: "_Schemas") -> dict[str, Any]:
    if endpoint.answer is None:
        return {endpoint.media_type: {"schema": {"type": "string"}}}
    return _json(schemas.schema(endpoint.answer))


def _json(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": dict(schema)}}


class _Schemas:
    """Schemas of all request and response bodies, referenced by name."""

    def __init__(self, endpoints: list[Endpoint]) -> None:
        kinds = [
            kind
            for endpoint in endpoints
            for kind in (_contained_type(endpoint.body), _contained_type(endpoint.answer))
            if _is_struct(kind)
        ]
        errors = [ErrorBody, *(_ERROR_BODIES[endpoint.error_shape] for endpoint in endpoints)]
        inner: dict[str, Any] = {}
        described = [_describable_type(kind, inner) for kind in dict.fromkeys([*kinds, *errors])]
        _, components = msgspec.json.schema_components([*described, *inner.values()], ref_template=_REF)
        self.components: dict[str, Any] = remove_redundant_keywords(components)
        bodies = {endpoint.body.__name__ for endpoint in endpoints if endpoint.body not in (None, bytes)}
        for name in self._reached(bodies):
            _allow_null(self.components[name])

    def _reached(self, names: Iterable[str]) -> set[str]:
        """Return these components and all components they refer to."""
        reached, pending = set[str](), set(names)
        while pending:
            name = pending.pop()
            reached.add(name)
            pending |= set(_references(self.components[name])) - reached
        return reached

    def schema(self, kind: Any) -> dict[str, Any]:
        if get_origin(kind) is list:
            return {"type": "array", "items": self.schema(_contained_type(kind))}
        if get_origin(kind) is dict:
            return {"type": "object", "additionalProperties": self.schema(_contained_type(kind))}
        if not _is_struct(kind):
            return msgspec.json.schema(kind)
        return {"$ref": _REF.format(name=kind.__name__)}


def _references(schema: Any) -> Iterator[str]:
    """Yield the names of the components that a schema refers to."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].rpartition("/")[2]
        schema = list(schema.values())
    if isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)


def _allow_null(schema: dict[str, Any]) -> None:
    """Allow null and blank texts for each optional property of a request object, and no blank one for the others."""
    required = schema.get("required", ())
    for name, described in schema.get("properties", {}).items():
        if name not in required:
            schema["properties"][name] = nullable(described)
        elif described.get("type") == "string" and not {"pattern", "enum", "format"} & described.keys():
            schema["properties"][name] = {**described, "pattern": NOT_BLANK}


def _contained_type(kind: Any) -> Any:
    """Return the type of the items of a list or of the values of a map, and any other type itself."""
    return get_args(kind)[-1] if get_origin(kind) in (list, dict) else kind


def _describable_type(kind: Any, inner: dict[str, Any]) -> Any:
    """Return a Struct that msgspec can describe in place of `kind`.

    msgspec cannot describe a list of a union of structs, the type of `results` everywhere; such a field gets a schema
    built here, and its structs are collected in `inner`.
    """
    changed: dict[str, Any] = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        item = get_args(hint)[0] if get_origin(hint) is list else None
        choices = get_args(item) if get_origin(item) in (Union, _UNION) else ()
        if sum(_is_struct(choice) for choice in choices) > 1:
            inner |= {choice.__name__: choice for choice in choices}
            references = [{"$ref": _REF.format(name=choice.__name__)} for choice in choices]
            changed[name] = Annotated[list[Any], Meta(extra_json_schema={"items": {"anyOf": references}})]
    if not changed:
        return kind
    hints = get_type_hints(kind, include_extras=True)
    fields: list[Any] = [
        (field.name, changed.get(field.name, hints[field.name]), field.default)
        if field.default is not msgspec.NODEFAULT
        else (field.name, changed.get(field.name, hints[field.name]))
        for field in msgspec.structs.fields(kind)
    ]
    return msgspec.defstruct(kind.__name__, fields, rename="camel", kw_only=True)


_UNION = type(int | str)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def remove_redundant_keywords(schema: Any) -> Any:
    """Return the schema without titles, which repeat the component's name, and without empty `required` lists."""
    if isinstance(schema, dict):
        return {
            name: remove_redundant_keywords(value)
            for name, value in schema.items()
            if not (name == "title" and isinstance(value, str)) and not (name == "required" and value == [])
        }
    return [remove_redundant_keywords(item) for item in schema] if isinstance(schema, list) else schema
