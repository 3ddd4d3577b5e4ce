"""Check of the tests: plant the faults of `faults.toml` one at a time, and tell which the tests of a commit find.

Works on a clone in a temporary folder, with FIRMOGRAPH_TEST_BASE at its last commit: the tests that run are those of a
commit with the fault. Prints a Markdown table; ends with exit code 1 if more than one fault stays.

    python scripts/plant_faults.py [WORD...]        only faults whose name contains a word
"""

import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ALLOWED_TO_STAY = 1


class Fault(NamedTuple):
    """A text of the package and its replacement."""

    area: str
    name: str
    file: str
    old: str
    new: str
    tests: list[str]
    """Folders of tests that are tried before all others."""


def read_faults() -> list[Fault]:
    text = (ROOT / "scripts" / "faults.toml").read_text("utf-8")
    return [Fault(**fault) for fault in tomllib.loads(text)["faults"]]


def plant(fault: Fault, source: str) -> str:
    """Return the source with the fault in place of its first occurrence. Raises ValueError if it has none."""
    if fault.old not in source:
        raise ValueError(f"{fault.file} no longer holds the text of {fault.name!r}: {fault.old}")
    return source.replace(fault.old, fault.new, 1)


def find(fault: Fault, folder: Path) -> str | None:
    """Return the first test that fails in a clone with the fault, None if none does."""
    path = folder / "src" / "firmograph" / fault.file
    sound = path.read_text("utf-8")
    path.write_text(plant(fault, sound), "utf-8")
    try:
        for tests in (*(f"tests/{name}" for name in fault.tests), "tests"):
            if failed := _first_failure(folder, tests):
                return failed
    finally:
        path.write_text(sound, "utf-8")
    return None


def _first_failure(folder: Path, tests: str) -> str | None:
    paths = [str(folder / "src"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "FIRMOGRAPH_TEST_BASE": "HEAD",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-n",
        "3",
        "--dist",
        "loadscope",
        "--no-loadscope-reorder",
        tests,
    ]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if done.returncode and not failed:
        raise RuntimeError(f"pytest ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return failed[1] if failed else None


def main(words: list[str]) -> int:
    faults = [
        fault for fault in read_faults() if not words or any(word in fault.name.lower() for word in words)
    ]
    stayed = 0
    print("| area | fault | found by | s |\n|---|---|---|---|")
    with TemporaryDirectory(prefix="firmograph-faults-") as temporary:
        folder = Path(temporary) / "clone"
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(folder)], check=True)
        for fault in faults:
            began = time.monotonic()
            failed = find(fault, folder)
            stayed += failed is None
            found = f"`{failed.removeprefix('tests/')}`" if failed else "nothing"
            print(f"| {fault.area} | {fault.name} | {found} | {time.monotonic() - began:.0f} |", flush=True)
    print(f"\n{len(faults) - stayed} of {len(faults)} faults found", file=sys.stderr)
    return int(stayed > ALLOWED_TO_STAY)


if __name__ == "__main__":
    sys.exit(main([word.lower() for word in sys.argv[1:]]))
