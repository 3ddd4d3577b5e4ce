"""Names in a sentence: words with a capital, and by which names each is looked for.

No list of companies is needed: which of them is a held company is asked later, for all at once.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from firmograph.signals.news.kinds import COMPANY, DOMAIN, PERSON, is_doubtful, kind_of
from firmograph.signals.news.sentences import Sentence
from firmograph.signals.news.table import common_words, packaged

LINKS: Final = frozenset(("of", "&", "de", "du", "des", "del", "la", "van", "von", "der"))
"""Small words inside of names."""
_ARTICLES: Final = frozenset(("the", "a", "an"))
_MAX_SPAN: Final = 8
_INNER_CAPITAL: Final = re.compile(r"[a-z][a-z-]{0,11}[A-Z]|\d{1,4}[A-Z][a-z]|\d{1,4}[a-z]{4}")
_AFTER_HYPHEN: Final = re.compile(r".+-[a-z]+")


class Mention(NamedTuple):
    text: str
    kind: str
    readings: tuple[str, ...]
    """What it may be held under, the likeliest first."""
    start: int
    """Its first token, and the one behind its last."""
    end: int


def mentions_in(sentence: Sentence) -> list[Mention]:
    """The names in a sentence, in its order."""
    return list(_joined(sentence.tokens, tuple(_found(sentence))))


def _found(sentence: Sentence) -> Iterator[Mention]:
    tokens = sentence.tokens
    shouted = sentence.title and _is_title_case(tokens)
    at = 0
    while at < len(tokens):
        end = _span_end(tokens, at, shouted)
        if end > at:
            yield _mention(tokens, at, end)
        at = max(end, at + 1)


def _span_end(tokens: Sequence[str], start: int, shouted: bool) -> int:
    """Behind the last token of the name that begins here; the start itself where none does."""
    end = start
    while end < len(tokens) and end - start < _MAX_SPAN:
        if _is_name(tokens, end, shouted):
            end += 1
        elif (
            end > start
            and tokens[end] in LINKS
            and end + 1 < len(tokens)
            and _is_name(tokens, end + 1, shouted)
        ):
            end += 2
        else:
            break
    return end


def _is_name(tokens: Sequence[str], at: int, shouted: bool) -> bool:
    token = tokens[at]
    word = token.lower()
    names = packaged().names
    if DOMAIN.fullmatch(token) and len(token) > 4:
        return not _is_initials(token)
    if not _is_capital(token) or word in names["plain"] or _AFTER_HYPHEN.fullmatch(token):
        return False
    if word in names["first"] and (at == 0 or shouted or word in _ARTICLES):
        return False
    if at == 0:
        alone = len(tokens) < 2 or not _is_capital(tokens[1])
        return word not in packaged().context["before"] and not ((alone or shouted) and word in rule_words())
    return not shouted or word in names["company_words"] or word not in rule_words()


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
    kind = kind_of(tokens, start, end)
    return Mention(" ".join(words), kind, tuple(_readings(words, start, tokens[end : end + 1])), start, end)


def _readings(words: Sequence[str], start: int, behind: Sequence[str]) -> Iterator[str]:
    """McDonald's before McDonald; the whole; without what only begins the sentence (Yesterday Apple, Shares of Apple);
    without the place behind it (Vantiv of Cincinnati)."""
    text = " ".join(words)
    if behind == ("'s",):
        yield text + "'s"
    yield text
    if start == 0 and len(words) > 1 and words[0].lower() in common_words():
        yield " ".join(words[2:] if words[1] in LINKS and len(words) > 2 else words[1:])
    if len(words) > 2 and words[-2] == "of" and not is_doubtful(" ".join(words[:-2])):
        yield " ".join(words[:-2])


def _joined(tokens: Sequence[str], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Johnson and Johnson is looked for before Johnson, from either side."""
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
    return len(words) > 3 and all(len(word) < 3 or word in packaged().names["first"] for word in small)


@cache
def rule_words() -> frozenset[str]:
    """Words of the rules: in a headline where all words have capitals, these are no names."""
    texts = [rule.patterns for rule in packaged().rules]
    texts += packaged().words.values()
    return (
        frozenset(word for text in texts for word in re.findall(r"[a-z]{2,}", text))
        | packaged().names["first"]
    )
