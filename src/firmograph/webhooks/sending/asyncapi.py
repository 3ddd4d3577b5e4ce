"""AsyncAPI 3.0 document of the deliveries, built from the payload structs.

It is committed as `docs/asyncapi.yaml`, which `scripts/build_asyncapi.py` writes; a test checks it against both the
structs and real payloads.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from firmograph.api.openapi import remove_redundant_keywords
from firmograph.settings import Settings
from firmograph.webhooks.sending.payload_shapes import DATA, Acknowledgement, OptOutPayload, Payload
from firmograph.webhooks.types import OPT_OUT

_SCHEMA = "#/components/schemas/{name}"
_HTTP: Final = {"bindingVersion": "0.3.0"}
_ACKNOWLEDGEMENT: Final = "acknowledgement"

_DESCRIPTION = """\
Firmograph sends one POST to the URL of a subscription for each signal detected for the subscribed record, and for each
person who opts out. A signal dated tomorrow is sent when that day begins in UTC. A delivery arrives at least once; its
`id` is the same for every attempt. Verify the signature over the exact bytes first, respond with 2xx within 10 seconds,
and process the event afterwards. Every other status is retried, including 410, and so is a 2xx whose body is JSON with
`"received": false`. See docs/webhooks.md for details.

The word `{brand}` in the headers is the installation's setting `brand`.
"""


def document() -> dict[str, Any]:
    """Return the document as JSON-able values, for an installation with default settings."""
    brand = Settings().brand
    messages = dict(_messages())
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Firmograph webhooks",
            "version": "1.0.0",
            "description": _DESCRIPTION.format(brand=brand),
        },
        "defaultContentType": "application/json",
        "channels": {
            "subscription": {
                "address": None,
                "description": "URL of a subscription.",
                "messages": {name: _reference("messages", name) for name in messages},
            },
            "answer": {
                "address": None,
                "description": "Response to the POST.",
                "messages": {_ACKNOWLEDGEMENT: _reference("messages", _ACKNOWLEDGEMENT)},
            },
        },
        "operations": {
            "deliver": {
                "action": "send",
                "summary": "Deliver a signal or an opt-out to a receiver.",
                "channel": {"$ref": "#/channels/subscription"},
                "messages": [{"$ref": f"#/channels/subscription/messages/{name}"} for name in messages],
                "bindings": {"http": {"method": "POST", **_HTTP}},
                "reply": {
                    "channel": {"$ref": "#/channels/answer"},
                    "messages": [{"$ref": f"#/channels/answer/messages/{_ACKNOWLEDGEMENT}"}],
                },
            }
        },
        "components": {
            "messages": {**messages, _ACKNOWLEDGEMENT: _acknowledgement()},
            "schemas": {"Headers": _headers(brand), **_schemas()},
        },
    }


def _messages() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the messages by type; each schema narrows that of the envelope."""
    for entity, types in DATA.items():
        for type, data in types.items():
            yield type, _message(type, _payload(entity.singular, type, data.__name__))
    yield OPT_OUT, _message(OPT_OUT, {"$ref": _SCHEMA.format(name=OptOutPayload.__name__)})


def _message(name: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "headers": {"$ref": _SCHEMA.format(name="Headers")}, "payload": payload}


def _payload(entity: str, type: str, data: str) -> dict[str, Any]:
    return {
        "allOf": [
            {"$ref": _SCHEMA.format(name=Payload.__name__)},
            {
                "type": "object",
                "required": ["data"],
                "properties": {
                    "type": {"const": type},
                    "entityType": {"const": entity},
                    "data": {"$ref": _SCHEMA.format(name=data)},
                },
            },
        ]
    }


def _acknowledgement() -> dict[str, Any]:
    return {
        "name": _ACKNOWLEDGEMENT,
        "summary": "Any 2xx is success. The body is recorded; a setting decides whether it must be correct.",
        "payload": {"$ref": _SCHEMA.format(name=Acknowledgement.__name__)},
        "bindings": {"http": {"statusCode": 201, **_HTTP}},
    }


def _headers(brand: str) -> dict[str, Any]:
    seconds = {"type": "string", "pattern": "^[0-9]+$"}
    properties = {
        "User-Agent": {"type": "string", "const": f"{brand}-Webhooks/1.0"},
        f"X-{brand}-Timestamp": {
            "description": "Time of this attempt in Unix seconds; each attempt is signed again.",
            **seconds,
        },
        f"X-{brand}-Signature": {
            "description": "HMAC-SHA256 of the timestamp, a point and the body, in lower-case hex. The key is the "
            "whole string of the account's secret, including `whsec_`.",
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
        },
        "webhook-id": {
            "description": "Standard Webhooks: the payload's `id`, also for opt-outs, whose body has none.",
            "type": "string",
            "format": "uuid",
        },
        "webhook-timestamp": {"description": "Standard Webhooks: the same timestamp.", **seconds},
        "webhook-signature": {
            "description": "Standard Webhooks: `v1,` and base64 of the HMAC-SHA256 of id, timestamp and body, joined "
            "by points. The key is the decoded base64 of the secret after `whsec_`.",
            "type": "string",
            "pattern": "^v1,[A-Za-z0-9+/]{43}=$",
        },
    }
    return {"type": "object", "required": list(properties), "properties": properties}


def _schemas() -> dict[str, Any]:
    data = [struct for types in DATA.values() for struct in types.values()]
    kinds = dict.fromkeys([Payload, *data, OptOutPayload, Acknowledgement])
    _, components = msgspec.json.schema_components(list(kinds), ref_template=_SCHEMA)
    schemas: dict[str, Any] = remove_redundant_keywords(components)
    return schemas


def _reference(kind: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}
