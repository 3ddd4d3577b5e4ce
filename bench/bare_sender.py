"""The bare sender: aiohttp's own cost of posting the same bodies to the same receivers.

    python -m bench.bare_sender FILE

No database, no signature, no order: a number of tasks take the next body each, post it and read the answer.
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import msgspec
import uvloop

IN_FLIGHT = 400
"""Concurrent requests, as many as of a worker."""


class Sent(msgspec.Struct):
    seconds: float
    cpu: float
    """Seconds of processor time."""


async def _send(posts: list[tuple[str, bytes]]) -> Sent:
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), headers={"content-type": "application/json"}
    ) as session:
        remaining = iter(posts)
        began, used = time.perf_counter(), time.process_time()
        await asyncio.gather(*(_send_each(session, remaining) for _ in range(IN_FLIGHT)))
        return Sent(time.perf_counter() - began, time.process_time() - used)


async def _send_each(session: aiohttp.ClientSession, remaining: Iterator[tuple[str, bytes]]) -> None:
    for url, body in remaining:
        async with session.post(url, data=body, allow_redirects=False) as answer:
            await answer.read()
            if answer.status != 201:
                raise RuntimeError(f"A receiver answered {answer.status}")


if __name__ == "__main__":
    bodies = msgspec.msgpack.decode(Path(sys.argv[1]).read_bytes(), type=list[tuple[str, bytes]])
    print(msgspec.json.encode(uvloop.run(_send(bodies))).decode())
