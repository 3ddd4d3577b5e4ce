"""Speakers from `Name:` before the text, in files without voices."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from firmograph.conversations.reading.building import SpokenText
from firmograph.directory.names import PARTICLES, fold

_PREFIX: Final = re.compile(
    r"(?:[-–—]\s+|>>+\s*)?\[?(?P<name>[^\W\d_][\w .,'’&()/-]{0,59}?)\]?\s*:(?=\s|$)\s*(?P<text>.*)", re.DOTALL
)
_NO_NAMES: Final = frozenset(
    "note notes question questions answer agenda meeting topic topics subject warning example update summary "
    "reminder result results re ps nb todo action actions decision decisions title date time attendees "
    "participants transcript recording first second third finally however so well and but".split()
)
_MOST_WORDS: Final = 6
_SHARE: Final = 0.5
"""Share of segments with a prefix from which each prefix counts; below it one counts that occurs twice."""


def split_prefixes(spoken: Sequence[SpokenText]) -> list[SpokenText]:
    """Return segments with their speakers, if the file names any; a segment without a name continues the one before."""
    parts = [part for one in spoken for part in _split_lines(one)]
    counts = Counter(name for name, _ in parts if name)
    if not counts:
        return [one._replace(text=_joined(one.text)) for one in spoken]
    every = sum(counts.values()) >= _SHARE * len(parts)
    names = {name for name, count in counts.items() if every or count > 1}
    result: list[SpokenText] = []
    speaker = ""
    for name, one in parts:
        if name in names:
            speaker = name
            found = _PREFIX.match(one.text)
            text = found["text"] if found else one.text
        else:
            text = one.text
        if words := _joined(text):
            result.append(one._replace(speaker=speaker, text=words))
    return result


def _split_lines(one: SpokenText) -> Iterator[tuple[str, SpokenText]]:
    """Yield a segment by its prefixes, each at the beginning of a line."""
    lines: list[str] = []
    name = ""
    for line in one.text.split("\n"):
        found = _name_before(line)
        if found and lines:
            yield name, one._replace(text="\n".join(lines))
            lines = []
        name = found or (name if lines else "")
        lines.append(line)
    yield name, one._replace(text="\n".join(lines))


def _name_before(line: str) -> str:
    """Return the name before the text of a line; empty if what stands there is no name."""
    found = _PREFIX.match(line)
    if found is None:
        return ""
    name = " ".join(found["name"].split())
    words = name.split()
    if len(words) > _MOST_WORDS or fold(words[0]) in _NO_NAMES:
        return ""
    fits = all(not word[:1].islower() or fold(word) in PARTICLES or word.startswith("(") for word in words)
    return name if fits and (not words[0][:1].islower()) else ""


def _joined(text: str) -> str:
    return " ".join(text.split())
