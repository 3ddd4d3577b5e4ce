"""The topics that posts are read for: one table, the packaged one or the operator's in its place.

See docs/reference/signals.md#posts.

Its form stands at the head of `topics.toml`.
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

# a category stands between bars where signals are filtered by it (`events.Detected.detail`)
_Category = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^|\s](?:[^|\n]*[^|\s])?\Z")]
_Name = Annotated[str, Meta(min_length=1, max_length=100)]
_Phrase = Annotated[str, Meta(min_length=1, max_length=100)]
_Table = dict[_Category, dict[_Name, Annotated[list[_Phrase], Meta(min_length=1, max_length=1000)]]]

_MOST_TEXT: Final = 50_000
"""Characters that are read; a post of LinkedIn has at most 3,000."""
_MOST_WORDS: Final = 8
"""Of a phrase. With the one above it bounds the time that any text takes."""
_JOINED_LETTERS: Final = 8
"""From so many on a phrase written as one word means no other word."""
_WORD: Final = re.compile(r"[^\W_]+")
_JOINING: Final = {ord(sign): "" for sign in "'’‘`´"} | {ord("&"): " and "}


class Phrases:
    """Phrases that are found in texts as whole words, in time that grows with the text's length alone."""

    def __init__(self, phrases: Iterable[tuple[str, int]]) -> None:
        """Each phrase with what it stands for. Raises ValueError for one without a word or with too many."""
        self._meant: dict[tuple[str, ...], set[int]] = defaultdict(set)
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for phrase, meaning in phrases:
            found = words(phrase)
            if not 0 < len(found) <= _MOST_WORDS:
                raise ValueError(f"{phrase!r} must have 1 to {_MOST_WORDS} words")
            self._add(found, meaning)
            if len(found) > 1 and len("".join(found)) >= _JOINED_LETTERS:
                self._add(("".join(found),), meaning)

    def _add(self, found: tuple[str, ...], meaning: int) -> None:
        self._meant[found].add(meaning)
        self._lengths[found[0]].add(len(found))

    def found(self, text: Sequence[str]) -> set[int]:
        """What the phrases that stand in the `words` of a text stand for."""
        found: set[int] = set()
        for place, word in enumerate(text):
            for length in self._lengths.get(word, ()):
                found |= self._meant.get(tuple(text[place : place + length]), set())
        return found


def words(text: str) -> tuple[str, ...]:
    """The words of a text, casefolded; an apostrophe joins, `&` is `and`, every other sign parts."""
    return tuple(_WORD.findall(text[:_MOST_TEXT].casefold().translate(_JOINING)))


class Topics:
    """The topics of one table."""

    def __init__(self, table: _Table) -> None:
        """Raises ValueError for a topic of two categories and for a phrase that cannot be found."""
        self._topics = [Topic(name, category) for category, topics in table.items() for name in topics]
        self.categories: list[str] = sorted(table, key=str.casefold)
        """What `intentCategories` answers."""
        names = [topic.topic.casefold() for topic in self._topics]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"the topic {twice!r} stands in it twice")
        lists = [phrases for topics in table.values() for phrases in topics.values()]
        self._phrases = Phrases(
            (phrase, number) for number, phrases in enumerate(lists) for phrase in phrases
        )

    def found(self, text: str) -> list[Topic]:
        """The topics of a text, in the order of the table."""
        return self.among(words(text))

    def among(self, text: Sequence[str]) -> list[Topic]:
        """The same of the `words` of a text."""
        return [self._topics[number] for number in sorted(self._phrases.found(text))]


def load_topics(path: str = "") -> Topics:
    """The packaged topics, or those of the file at `path` in their place.

    Raises Refused, naming the file and what is wrong with it, when it cannot be read or does not fit.
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
