"""The bare handler: what the framework costs when it decodes and encodes the same JSON and does nothing else.

An ordinary Litestar handler takes the request as the service's own strict Struct and answers with Structs. Their
types are made from the real answers, so that encoding gives back the same bytes, which is checked at the start. The
answers were decoded before; each request decodes its body and encodes one of them, in turn.
"""

import argparse
import gc
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from litestar import Litestar, get, post
from litestar.handlers import HTTPRouteHandler
from msgspec import UNSET, UnsetType, defstruct

from bench.mixes import COMPANY_SIGNALS, ENRICH
from firmograph.enrichment.shapes import ContactEnrich, ContactSearch
from firmograph.signals.shapes import CompanySignalsRequest


def type_of(samples: Sequence[Any], name: str = "Answer") -> Any:
    """A type that decodes all samples; objects become Structs whose fields may be absent, in the order they come."""
    kinds: Any = None
    objects = [one for one in samples if isinstance(one, dict)]
    lists = [one for one in samples if isinstance(one, list)]
    for kind in {type(one) for one in samples} - {dict, list}:
        kinds = kind if kinds is None else kinds | kind
    if objects:
        kind = _struct(objects, name)
        kinds = kind if kinds is None else kinds | kind
    if lists:
        entries = [entry for one in lists for entry in one]
        listed = list[type_of(entries, name)] if entries else list[Any]  # type: ignore[misc]
        kinds = listed if kinds is None else kinds | listed
    return kinds


def _struct(objects: Sequence[dict[str, Any]], name: str) -> type[msgspec.Struct]:
    order: list[str] = []
    for one in objects:
        at = 0
        for key in one:
            if key in order:
                at = order.index(key) + 1
            else:
                order.insert(at, key)
                at += 1
    fields = []
    for key in order:
        kind = type_of([one[key] for one in objects if key in one], f"{name}{key.title()}")
        fields.append((key, kind | UnsetType, UNSET))
    return defstruct(name, fields, omit_defaults=True, gc=False)


def decoded(bodies: Sequence[bytes]) -> tuple[list[Any], Any]:
    """The answers as Structs, with their type. Raises when they would not be encoded to the same bytes again."""
    kind = type_of([msgspec.json.decode(body) for body in bodies])
    answers = [msgspec.json.decode(body, type=kind) for body in bodies]
    if any(msgspec.json.encode(answer) != body for answer, body in zip(answers, bodies, strict=True)):
        raise RuntimeError("The bare handler would not answer the same bytes")
    return answers, kind


def handler(name: str, path: str, bodies: Sequence[bytes]) -> HTTPRouteHandler:
    answers, kind = decoded(bodies)
    turn: Any = cycle(answers).__next__

    async def search(data: ContactSearch) -> kind:  # type: ignore[valid-type]
        return turn()

    async def enrich(data: ContactEnrich) -> kind:  # type: ignore[valid-type]
        return turn()

    async def signals(data: CompanySignalsRequest) -> kind:  # type: ignore[valid-type]
        return turn()

    handlers = {ENRICH: enrich, COMPANY_SIGNALS: signals}
    return post(f"/{name}", status_code=200)(handlers.get(path, search))


@get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("answers", type=Path, help="MessagePack: [[name, path, [body, ...]], ...]")
    options = parser.parse_args()
    mixes = msgspec.msgpack.decode(options.answers.read_bytes(), type=list[tuple[str, str, list[bytes]]])
    app = Litestar([health, *(handler(*mix) for mix in mixes)], openapi_config=None, logging_config=None)
    gc.collect()
    gc.freeze()
    # as `firmograph serve` runs its own
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=options.port,
        loop="uvloop",
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )


if __name__ == "__main__":
    main()
