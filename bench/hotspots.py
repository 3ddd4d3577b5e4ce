"""Processor time of a server by function and part, from py-spy's samples under load.

A sample counts for the function that ran, or that had called into C: msgspec's, SQLite's and the cipher's time is
that of the Python function that called them.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

RATE = 250
_FRAME = re.compile(r"(.+) \((.+?)(?::\d+)?\)\Z")
_PARTS = (
    ("firmograph/api/", "request, headers, answer (api)"),
    ("firmograph/accounts/", "key (accounts)"),
    ("firmograph/rate_limits/", "limits (rate_limits)"),
    ("firmograph/billing/", "charges (billing)"),
    ("firmograph/database/", "statements (database and SQLite)"),
    ("firmograph/security/", "ids (security)"),
    ("firmograph/directory/store", "rows to records (directory.store)"),
    ("firmograph/directory/", "normalising, matching (directory)"),
    ("firmograph/enrichment/render", "rendering (enrichment.render)"),
    ("firmograph/enrichment/", "look-up (enrichment)"),
    ("firmograph/", "the rest of the service"),
    ("litestar/", "framework (litestar)"),
    ("uvicorn/", "HTTP (uvicorn, httptools)"),
    ("asyncio/", "event loop (uvloop)"),
    ("anyio/", "threads (anyio)"),
)


class Hotspots(msgspec.Struct):
    """Shares of all samples, largest first."""

    samples: int
    functions: list[tuple[str, float]]
    parts: list[tuple[str, float]]


def record(pid: int, seconds: float, load: Callable[[], object]) -> Hotspots | None:
    """Sample a process while `load` runs, which must last longer; return None if sampling is not allowed."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "samples.txt"
        command = [str(Path(sys.executable).with_name("py-spy")), "record", "--pid", str(pid), "--function"]
        command += ["--rate", str(RATE), "--duration", str(max(1, round(seconds))), "--format", "raw"]
        process = subprocess.Popen(
            [*command, "--output", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        load()
        process.wait()
        return summed(file.read_text().splitlines()) if file.exists() else None


def summed(lines: Iterable[str], most: int = 12) -> Hotspots:
    """Sum collapsed stacks, `frame;frame;... count`, the innermost frame last."""
    functions: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for line in lines:
        stack, _, count = line.rpartition(" ")
        frames = [_frame(frame) for frame in stack.split(";")]
        name, file = frames[-1]
        if _idle(name, file):
            continue
        functions[f"{_module(file)}.{name}"] += int(count)
        parts[next(filter(None, (_part(file) for _, file in reversed(frames))), "other")] += int(count)
    total = max(1, sum(functions.values()))
    return Hotspots(
        total,
        [(name, count / total) for name, count in functions.most_common(most)],
        [(name, count / total) for name, count in parts.most_common()],
    )


def _idle(name: str, file: str) -> bool:
    """Return whether a thread waits for work; the sampler sometimes takes it for busy."""
    return file.endswith("threading.py") and name.endswith("wait")


def _frame(text: str) -> tuple[str, str]:
    match = _FRAME.match(text)
    return (match[1], match[2]) if match else (text, "")


def _module(file: str) -> str:
    for package in ("firmograph/", "litestar/", "uvicorn/", "asyncio/", "anyio/"):
        if package in file:
            file = file[file.rindex(package) :]
            break
    return file.removesuffix(".py").replace("/", ".").removeprefix("firmograph.")


def _part(file: str) -> str | None:
    return next((part for place, part in _PARTS if place in file), None)
