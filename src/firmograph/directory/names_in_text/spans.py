"""Names in a sentence: capitalised words, and the names to search each by.

Needs no list of companies: the importer looks up all names at once among the company records.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from firmograph.directory.names_in_text.kinds import COMPANY, DOMAIN, PERSON, is_doubtful, mention_kind
from firmograph.directory.names_in_text.sentences import Sentence
from firmograph.directory.names_in_text.table import common_words, load_name_words

LINKS: Final = frozenset(("of", "&", "de", "du", "des", "del", "la", "van", "von", "der"))
"""Lower-case words within names."""
_ARTICLES: Final = frozenset(("the", "a", "an"))
_MAX_SPAN: Final = 8
_INNER_CAPITAL: Final = re.compile(r"[a-z][a-z-]{0,11}[A-Z]|\d{1,4}[A-Z][a-z]|\d{1,4}[a-z]{4}")
_AFTER_HYPHEN: Final = re.compile(r".+-[a-z]+")


class PlainWords(NamedTuple):
    """Words that name nothing in a kind of text, also where a headline or the beginning of a sentence has capitals."""

    words: frozenset[str]
    small: frozenset[str]
    """Those that may follow the possessive of a name whose own possessive ends it: McDonald's has."""


class Mention(NamedTuple):
    text: str
    kind: str
    readings: tuple[str, ...]
    """Names to search it by, the likeliest first."""
    start: int
    """Index of its first token; `end` is the one after its last."""
    end: int


def find_mentions(sentence: Sentence, plain: PlainWords) -> list[Mention]:
    """Return the names in a sentence, in order."""
    return list(_joined(sentence.tokens, tuple(_found(sentence, plain.words))))


def _found(sentence: Sentence, plain: frozenset[str]) -> Iterator[Mention]:
    tokens = sentence.tokens
    title_case = sentence.title and _is_title_case(tokens)
    at = 0
    while at < len(tokens):
        end = _span_end(tokens, at, title_case, plain)
        if end > at:
            yield _mention(tokens, at, end)
        at = max(end, at + 1)


def _span_end(tokens: Sequence[str], start: int, title_case: bool, plain: frozenset[str]) -> int:
    """Return the index after the name that begins at `start`; `start` itself if none does."""
    end = start
    while end < len(tokens) and end - start < _MAX_SPAN:
        if _is_name(tokens, end, title_case, plain):
            end += 1
        elif (
            end > start
            and tokens[end] in LINKS
            and end + 1 < len(tokens)
            and _is_name(tokens, end + 1, title_case, plain)
        ):
            end += 2
        else:
            break
    return end


def _is_name(tokens: Sequence[str], at: int, title_case: bool, plain: frozenset[str]) -> bool:
    token = tokens[at]
    word = token.lower()
    names = load_name_words().names
    if DOMAIN.fullmatch(token) and len(token) > 4:
        return not _is_initials(token)
    if not _is_capital(token) or word in names["plain"] or _AFTER_HYPHEN.fullmatch(token):
        return False
    if word in names["first"] and (at == 0 or title_case or word in _ARTICLES):
        return False
    if at == 0:
        alone = len(tokens) < 2 or not _is_capital(tokens[1])
        return word not in load_name_words().context["before"] and not (
            (alone or title_case) and word in plain
        )
    return not title_case or word in names["company_words"] or word not in plain


def _is_capital(token: str) -> bool:
    return (
        token[0].isupper()
        or (token[0].isdigit() and token[-1].isupper())
        or _INNER_CAPITAL.match(token) is not None
    )


def _is_initials(token: str) -> bool:
    return all(len(part) <= 1 for part in token.split("."))


def _mention(tokens: Sequence[str], start: int, end: int) -> Mention:
    words = tokens[start:end]
    kind = mention_kind(tokens, start, end)
    return Mention(" ".join(words), kind, tuple(_readings(words, start, tokens[end : end + 1])), start, end)


def _readings(words: Sequence[str], start: int, behind: Sequence[str]) -> Iterator[str]:
    """Yield the names to search a mention by.

    McDonald's before McDonald; the whole; without the beginning of a sentence (Yesterday Apple, Shares of Apple);
    without a location at the end (Vantiv of Cincinnati).
    """
    text = " ".join(words)
    if behind == ("'s",):
        yield text + "'s"
    yield text
    if start == 0 and len(words) > 1 and words[0].lower() in common_words():
        yield " ".join(words[2:] if words[1] in LINKS and len(words) > 2 else words[1:])
    if len(words) > 2 and words[-2] == "of" and not is_doubtful(" ".join(words[:-2])):
        yield " ".join(words[:-2])


def _joined(tokens: Sequence[str], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the mentions, with Johnson and Johnson searched before either Johnson."""
    for number, mention in enumerate(mentions):
        readings = mention.readings
        for one, other in ((number - 1, number), (number, number + 1)):
            if one >= 0 and other < len(mentions) and _are_joined(tokens, mentions[one], mentions[other]):
                readings = (f"{mentions[one].text} and {mentions[other].text}", *readings)
        yield mention._replace(readings=readings)


def _are_joined(tokens: Sequence[str], one: Mention, other: Mention) -> bool:
    both = one.kind in (COMPANY, PERSON) and other.kind in (COMPANY, PERSON)
    return both and other.start == one.end + 1 and tokens[one.end] == "and"


def _is_title_case(tokens: Sequence[str]) -> bool:
    words = [token for token in tokens if token.isalpha()]
    small = [word for word in words if word[0].islower()]
    return len(words) > 3 and all(len(word) < 3 or word in load_name_words().names["first"] for word in small)
