"""Topics of posts, from the packaged table or an operator's table in its place.

See docs/reference/signals.md#posts. The format is described at the top of `topics.toml`.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from firmograph.kit.errors import Refused
from firmograph.kit.toml_file import read_toml_file
from firmograph.signals.events import Topic

# bars separate the categories in `events.Detected.detail`
_Category = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^|\s](?:[^|\n]*[^|\s])?\Z")]
_Name = Annotated[str, Meta(min_length=1, max_length=100)]
_Phrase = Annotated[str, Meta(min_length=1, max_length=100)]
_Table = dict[_Category, dict[_Name, Annotated[list[_Phrase], Meta(min_length=1, max_length=1000)]]]

_MOST_TEXT: Final = 50_000
"""Limit of characters read; LinkedIn posts have at most 3,000."""
_MOST_WORDS: Final = 8
"""Limit of words of a phrase; with the limit above it bounds the time of any text."""
_JOINED_LETTERS: Final = 8
"""Letters from which a phrase is also found written as one word, as no other word is meant."""
_WORD: Final = re.compile(r"[^\W_]+")
_JOINING: Final = {ord(sign): "" for sign in "'’‘`´"} | {ord("&"): " and "}


class Phrases:
    """Search for phrases as whole words, in time linear in the text."""

    def __init__(self, phrases: Iterable[tuple[str, int]]) -> None:
        """Index phrases by meaning. Raises ValueError for a phrase without words or with too many."""
        self._meanings: dict[tuple[str, ...], set[int]] = defaultdict(set)
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for phrase, meaning in phrases:
            found = split_words(phrase)
            if not 0 < len(found) <= _MOST_WORDS:
                raise ValueError(f"{phrase!r} must have 1 to {_MOST_WORDS} words")
            self._add(found, meaning)
            if len(found) > 1 and len("".join(found)) >= _JOINED_LETTERS:
                self._add(("".join(found),), meaning)

    def _add(self, found: tuple[str, ...], meaning: int) -> None:
        self._meanings[found].add(meaning)
        self._lengths[found[0]].add(len(found))

    def find(self, text: Sequence[str]) -> set[int]:
        """Return the meanings of the phrases in a text split into words."""
        found: set[int] = set()
        for index, word in enumerate(text):
            for length in self._lengths.get(word, ()):
                found |= self._meanings.get(tuple(text[index : index + length]), set())
        return found


def split_words(text: str) -> tuple[str, ...]:
    """Return the casefolded words of a text; apostrophes join, `&` is `and`, other signs separate."""
    return tuple(_WORD.findall(text[:_MOST_TEXT].casefold().translate(_JOINING)))


class Topics:
    """Topics of a table."""

    def __init__(self, table: _Table) -> None:
        """Index a table. Raises ValueError for a topic in two categories and for a phrase that cannot be found."""
        self._topics = [Topic(name, category) for category, topics in table.items() for name in topics]
        self.categories: list[str] = sorted(table, key=str.casefold)
        """Values of the filter `intentCategories`."""
        names = [topic.topic.casefold() for topic in self._topics]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"the topic {twice!r} is listed twice")
        lists = [phrases for topics in table.values() for phrases in topics.values()]
        self._phrases = Phrases(
            (phrase, number) for number, phrases in enumerate(lists) for phrase in phrases
        )

    def find(self, text: str) -> list[Topic]:
        """Return the topics of a text, in table order."""
        return self.find_in_words(split_words(text))

    def find_in_words(self, text: Sequence[str]) -> list[Topic]:
        """Return the topics of a text split into words, in table order."""
        return [self._topics[number] for number in sorted(self._phrases.find(text))]


def load_topics(path: str = "") -> Topics:
    """Load the packaged topics, or those of the file at `path` in their place.

    Raises Refused with the file and the problem if the file cannot be read or has a wrong value.
    """
    if not path:
        return _packaged()
    table = read_toml_file(path, "topics file")
    try:
        return _topics(table)
    except (msgspec.ValidationError, ValueError) as error:
        raise Refused(f"The topics file {path} does not fit: {error}") from error


@cache
def _packaged() -> Topics:
    return _topics(tomllib.loads(files(__package__).joinpath("topics.toml").read_text("utf-8")))


def _topics(table: dict[str, Any]) -> Topics:
    return Topics(msgspec.convert(table, _Table))
