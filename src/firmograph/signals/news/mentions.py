"""The sentences of an article as the rules read them: each name a mark of its kind, "the company" the one of the title.

A name that is also a common word or a place counts as a company only where something beside it, here or in another
sentence of the article, says so.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from firmograph.directory.company_names import company_key
from firmograph.signals.news.kinds import COMPANY, DOMAIN, OTHER, PERSON, ends_like_company, is_doubtful
from firmograph.signals.news.sentences import Sentence
from firmograph.signals.news.spans import LINKS, Mention, mentions_in, rule_words
from firmograph.signals.news.table import common_words, packaged

SHOWN: Final = "F"
"""In place of `COMPANY` in a marked sentence, where something says that it is one."""


class Marked(NamedTuple):
    """A sentence as patterns read it."""

    sentence: Sentence
    text: str
    mentions: tuple[Mention, ...]
    companies: frozenset[int]
    """The mentions that something beside them says to be companies, or that need no such thing."""
    shown: frozenset[int]
    """Of these, those of which something does say it."""


def mark(sentences: Sequence[Sentence]) -> list[Marked]:
    """The sentences of one article with their mentions, what is said of a name in one of them counting in all."""
    found = [(sentence, mentions_in(sentence)) for sentence in sentences if sentence.tokens]
    surnames = _surnames([mention for _, mentions in found for mention in mentions])
    found = [(sentence, [_person_again(one, surnames) for one in mentions]) for sentence, mentions in found]
    shown = {
        company_key(mention.text)
        for sentence, mentions in found
        for mention in mentions
        if mention.kind == COMPANY and _is_shown(sentence.tokens, mention)
    }
    subject = _subject(found)
    if subject:
        again = [
            found[0],
            *((one, _with_subject(one.tokens, mentions, subject)) for one, mentions in found[1:]),
        ]
        if any(len(mentions) != len(before) for (_, mentions), (_, before) in zip(again, found, strict=True)):
            shown.add(company_key(subject.text))
        found = again
    return [_marked(sentence, mentions, shown) for sentence, mentions in found]


def _surnames(mentions: Sequence[Mention]) -> set[str]:
    """The last words of people's names; Johnson too, if that and Boris Johnson stand in the article."""
    single = {one.text for one in mentions if one.kind == COMPANY and one.end - one.start == 1}
    full = [one.text.split() for one in mentions if one.kind == COMPANY and not LINKS & {*one.text.split()}]
    people = {one.text.split()[-1] for one in mentions if one.kind == PERSON}
    return people | {
        words[-1]
        for words in full
        if len(words) in (2, 3) and words[-1] in single and words[-1].lower() not in common_words()
    }


def _person_again(mention: Mention, surnames: set[str]) -> Mention:
    """Cook, where Tim Cook stands elsewhere, and Tim Cook too."""
    words = mention.text.split()
    again = (
        mention.kind == COMPANY
        and words[-1] in surnames
        and not ends_like_company(mention.text.lower().split())
    )
    return mention._replace(kind=PERSON) if again else mention


def _subject(found: Sequence[tuple[Sentence, Sequence[Mention]]]) -> Mention | None:
    """The one company that the title names."""
    if not found or not found[0][0].title:
        return None
    companies = [
        one for one in found[0][1] if one.kind == COMPANY and not (one.start == 0 and is_doubtful(one.text))
    ]
    return companies[0] if len(companies) == 1 else None


def _with_subject(tokens: Sequence[str], mentions: Sequence[Mention], subject: Mention) -> list[Mention]:
    """The mentions with those that only say "the company", or "the Dutch lender"."""
    nouns = packaged().context["same"]
    taken = {at for mention in mentions for at in range(mention.start, mention.end) if mention.kind != OTHER}
    again: list[Mention] = []
    for at, token in enumerate(tokens):
        if token.lower() != "the":
            continue
        for end in (at + 2, at + 3):
            behind = tokens[end] if end < len(tokens) else ""
            if (
                end <= len(tokens)
                and tokens[end - 1] in nouns
                and behind != "of"
                and not taken & {*range(at, end + 1)}
            ):
                again.append(subject._replace(start=at, end=end))
                break
    spans = {at for mention in again for at in range(mention.start, mention.end)}
    left = [mention for mention in mentions if mention.start not in spans]
    return sorted(left + again, key=lambda mention: mention.start)


def _marked(sentence: Sentence, mentions: Sequence[Mention], shown: set[str]) -> Marked:
    words: list[str] = []
    at = 0
    companies: set[int] = set()
    sure: set[int] = set()
    for number, mention in enumerate(mentions):
        words += [token.lower() for token in sentence.tokens[at : mention.start]]
        is_shown = mention.kind == COMPANY and company_key(mention.text) in shown
        if is_shown:
            sure.add(number)
        if is_shown or (mention.kind == COMPANY and not is_doubtful(mention.text)):
            companies.add(number)
        words.append(f"{SHOWN if is_shown else mention.kind}{number}")
        at = mention.end + _is_own_name(sentence.tokens[mention.end : mention.end + 2])
    words += [token.lower() for token in sentence.tokens[at:]]
    text = "".join(word + " " for word in words)
    return Marked(sentence, text, tuple(mentions), frozenset(companies), frozenset(sure))


def _is_own_name(behind: Sequence[str]) -> bool:
    """Whether a possessive belongs to the name: McDonald's opens, Lowe's to close."""
    if len(behind) < 2 or behind[0] != "'s":
        return False
    verbal = behind[1].endswith(("s", "ed")) and behind[1] in rule_words()
    return verbal or behind[1] in packaged().small


def _is_shown(tokens: Sequence[str], mention: Mention) -> bool:
    """Whether something beside the name says that it is a company's."""
    context = packaged().context
    lower = [token.lower() for token in tokens[max(0, mention.start - 2) : mention.end + 10]]
    before = lower[: mention.start - max(0, mention.start - 2)]
    behind = lower[len(before) + mention.end - mention.start :]
    if ends_like_company(mention.text.lower().split()) or DOMAIN.fullmatch(mention.text):
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
