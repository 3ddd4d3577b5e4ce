"""Blocks of documentation pages, and the comparison of printed with real answers.

Each fenced block has a language. `sh` is commands to run; `console` is commands after `$ ` with their answers below;
anything else is shown and not run. An HTML comment on the line before the fence says more:

- `<!-- answer -->`: what the block of commands before prints.
- `<!-- file: NAME -->`: the reader saves the block under this name.
- `<!-- needs: NAME -->`: run where this is, which tests supply (`NEEDS` in `test_pages.py`).
- `<!-- not run: REASON -->`: never run.

In an answer `…` stands for any text, and a line `…` for any lines. Of both sides days, times, record ids, UUIDs, API
keys, webhook secrets and numbers of 12 digits or more count as equal. Blanks at the ends of lines, empty lines and
progress bars do not count, nor do in JSON blanks between members.
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_FENCE = re.compile(
    r"(?:^ *<!-- (?P<mark>[^\n]*?) -->\n)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_VOLATILE = (
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?)?"), "<time>"),
    (re.compile(r"v1\.(?:[\w-]+|…)"), "<id>"),
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\bfg[a-z]?_\w+"), "<key>"),
    (re.compile(r"\bwhsec_[\w+/=-]+"), "<secret>"),
    (re.compile(r"\b\d{12,}\b"), "<number>"),
)


class Block(NamedTuple):
    """One fenced block of a page."""

    line: int
    section: str
    language: str
    text: str
    mark: str
    """Word before the colon of its comment, if it has one."""
    value: str
    """Text behind the colon."""


class Command(NamedTuple):
    """One command of a block, and its answer if the page prints one."""

    text: str
    answer: str | None


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in their order."""
    text = page.read_text("utf-8")
    found = []
    for match in _FENCE.finditer(text):
        before = text[: match.start("language")]
        headings = re.findall(r"^#+ (.*)$", _FENCE.sub("", before), re.MULTILINE)
        mark, _, value = (match["mark"] or "").partition(": ")
        section = headings[-1] if headings else ""
        line, content = before.count("\n") + 1, textwrap.dedent(match["text"])
        found.append(Block(line, section, match["language"], content, mark, value))
    return found


def commands_of(block: Block) -> Iterator[Command]:
    """Yield the commands of a block: all of `sh` as one, of `console` each that begins with `$ `."""
    if block.language == "sh":
        yield Command(block.text, None)
        return
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, answer = re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", part, re.DOTALL).groups()
        yield Command(command, answer.rstrip() or None)


def is_answered(printed: str, real: str) -> bool:
    """Return whether a command printed the answer of the page."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else ".*?".join(map(re.escape, line.split("…"))) + r"\n"
        for line in _comparable(printed).splitlines()
    )
    return re.fullmatch(pattern, f"{_comparable(real)}\n") is not None


def _comparable(answer: str) -> str:
    lines = (line.rstrip() for line in answer.splitlines())
    text = "\n".join(line for line in lines if line and "━" not in line)
    if text.startswith(("{", "[")):
        # blanks outside texts; a text ends at a quotation mark without a backslash before it
        text = re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda found: found[1] or "", text)
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    return text
