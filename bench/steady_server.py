"""The real server, which records its own pauses for garbage collection.

    python -m bench.steady_server PAUSES -- COMMAND...

A pause is a line of the file: its end (`time.monotonic`) and its seconds.
"""

import argparse
import gc
import sys
import time
from pathlib import Path

LEAST_SECONDS = 0.002
"""Shortest recorded pause."""


def record_pauses(path: Path) -> None:
    out = path.open("w", buffering=1)
    began = 0.0

    def note(phase: str, about: dict[str, int]) -> None:
        nonlocal began
        now = time.monotonic()
        if phase == "start":
            began = now
        elif now - began >= LEAST_SECONDS:
            out.write(f"{now} {now - began}\n")

    gc.callbacks.append(note)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("pauses", type=Path)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    record_pauses(options.pauses)
    sys.argv = ["firmograph", *options.command]
    from firmograph.cli.main import run

    run()


if __name__ == "__main__":
    main()
