"""The bare handler: the framework's own cost of decoding and encoding the same JSON.

An ordinary Litestar handler takes the request as the service's own strict Struct and answers with Structs. Their
types are made from the real answers, so that encoding gives back the same bytes, which is checked at the start. The
answers are decoded beforehand; each request decodes its body and encodes one of them, in turn.
"""

import argparse
import gc
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import cycle, pairwise
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
    """Return a type that decodes all samples; objects become Structs with optional fields in their order."""
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


def ordered(objects: Sequence[dict[str, Any]]) -> list[str]:
    """Return all keys of some objects, in an order that each of them has. Raises RuntimeError if there is none."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for keys in dict.fromkeys(map(tuple, objects)):
        for key in keys:
            sorter.add(key)
        for before, after in pairwise(keys):
            sorter.add(after, before)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        raise RuntimeError(
            f"Answers have these keys in different orders: {', '.join(error.args[1])}"
        ) from error


def _struct(objects: Sequence[dict[str, Any]], name: str) -> type[msgspec.Struct]:
    fields = []
    for key in ordered(objects):
        kind = type_of([one[key] for one in objects if key in one], f"{name}{key.title()}")
        fields.append((key, kind | UnsetType, UNSET))
    return defstruct(name, fields, omit_defaults=True, gc=False)


def decoded(bodies: Sequence[bytes]) -> tuple[list[Any], Any]:
    """Return the answers as Structs, with their type. Raises if they would not be encoded to the same bytes again."""
    kind = type_of([msgspec.json.decode(body) for body in bodies])
    answers = [msgspec.json.decode(body, type=kind) for body in bodies]
    for place, (answer, body) in enumerate(zip(answers, bodies, strict=True)):
        if (encoded := msgspec.json.encode(answer)) != body:
            pairs = enumerate(zip(encoded, body, strict=False))
            at = next((at for at, (one, other) in pairs if one != other), len(encoded))
            raise RuntimeError(
                f"The bare handler would not answer the same bytes: answer {place} differs at byte {at},"
                f" {encoded[at : at + 40]!r} for {body[at : at + 40]!r}"
            )
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
    # the same options as `firmograph serve`
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
