"""The real server with two changes for the bench.

Two endpoints do nothing, one with and one without authentication: they differ by the cost of authentication,
limits and their headers. And endpoints can be moved to a worker thread or to the event loop, for comparison.

    python -m bench.variant [--in-thread NAME]... [--on-loop NAME]... -- COMMAND...
"""

import argparse
import sys
from typing import Any

import msgspec

import firmograph.bootstrap.application
from firmograph.api.application import Application
from firmograph.api.dispatch import Dispatcher
from firmograph.api.endpoint import Call, Endpoint
from firmograph.api.thread_pool import RequestThreads
from firmograph.enrichment.shapes import ContactSearch

GATED, OPEN = "/bench/gated", "/bench/open"
_ANSWER = b'{"requestId":"0","results":[],"billing":{"creditsCharged":0,"resultsReturned":0}}'


def answer_nothing(call: Call[ContactSearch]) -> bytes:
    return _ANSWER


NOTHING = [
    Endpoint(
        name="gated_nothing",
        method="POST",
        path=GATED,
        function=answer_nothing,
        body=ContactSearch,
        documented=False,
    ),
    Endpoint(
        name="open_nothing",
        method="POST",
        path=OPEN,
        function=answer_nothing,
        body=ContactSearch,
        documented=False,
        authentication="none",
    ),
]


def moved(one: Endpoint, in_thread: list[str], on_loop: list[str]) -> Endpoint:
    if one.name in in_thread or one.name in on_loop:
        return msgspec.structs.replace(one, in_thread=one.name in in_thread)
    return one


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--in-thread", action="append", default=[])
    parser.add_argument("--on-loop", action="append", default=[])
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    def changed(
        endpoints: list[Endpoint], door: Dispatcher, threads: RequestThreads, *more: Any
    ) -> Application:
        own = [moved(one, options.in_thread, options.on_loop) for one in endpoints]
        return Application([*own, *NOTHING], door, threads, *more)

    firmograph.bootstrap.application.Application = changed  # type: ignore[attr-defined]
    sys.argv = ["firmograph", *options.command]
    from firmograph.cli.main import run

    run()


if __name__ == "__main__":
    main()
