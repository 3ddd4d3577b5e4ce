"""The wording check: refuses words that the project's plain technical English avoids (`scripts/wording.toml`)."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = frozenset({".py", ".md"})


def refused_words(text: str, instead: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    """Yield line number, word and replacement for each refused word of a text."""
    patterns = [(re.compile(rf"\b(?:{word})\b", re.IGNORECASE), advice) for word, advice in instead.items()]
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, advice in patterns:
            if found := pattern.search(line):
                yield number, found[0], advice


def checked_files(pending: list[str]) -> Iterator[Path]:
    """Yield the tracked source and documentation files outside the pending folders."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in tracked.stdout.split("\0"):
        path = Path(name)
        if path.suffix in SUFFIXES and not any(path.is_relative_to(folder) for folder in pending):
            yield path


def main() -> int:
    """Print each refused word with its location, and return the exit code."""
    table = tomllib.loads((ROOT / "scripts" / "wording.toml").read_text("utf-8"))
    count = 0
    for path in checked_files(table["pending"]["paths"]):
        if not (ROOT / path).exists():
            continue
        for number, word, advice in refused_words((ROOT / path).read_text("utf-8"), table["instead"]):
            print(f"{path}:{number}: '{word}': write {advice}")
            count += 1
    if count:
        print(f"{count} refused words; the list is scripts/wording.toml")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
