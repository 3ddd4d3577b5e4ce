"""Marked sentences: each name replaced by a mark of its kind, "the company" by the company of the title.

A name that is also a common word or a location counts as a company only if its context in any sentence of the article
confirms it.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from firmograph.directory.company_names import company_key
from firmograph.directory.names_in_text.kinds import (
    COMPANY,
    DOMAIN,
    OTHER,
    PERSON,
    ends_like_company,
    is_doubtful,
)
from firmograph.directory.names_in_text.sentences import Sentence
from firmograph.directory.names_in_text.spans import LINKS, Mention, PlainWords, find_mentions
from firmograph.directory.names_in_text.table import common_words, load_name_words

FIRM: Final = "F"
"""Mark in place of `COMPANY` for a company confirmed by context."""


class MarkedSentence(NamedTuple):
    """Sentence in the form that patterns match."""

    sentence: Sentence
    text: str
    mentions: tuple[Mention, ...]
    companies: frozenset[int]
    """Mentions that are companies: confirmed by context, or not doubtful."""
    confirmed: frozenset[int]
    """Companies among them that are confirmed by context."""


def mark_sentences(sentences: Sequence[Sentence], plain: PlainWords) -> list[MarkedSentence]:
    """Mark the sentences of an article; context in one sentence confirms a name in all of them."""
    found = [(sentence, find_mentions(sentence, plain)) for sentence in sentences if sentence.tokens]
    surnames = _surnames([mention for _, mentions in found for mention in mentions])
    found = [(sentence, [_person_again(one, surnames) for one in mentions]) for sentence, mentions in found]
    confirmed = {
        company_key(mention.text)
        for sentence, mentions in found
        for mention in mentions
        if mention.kind == COMPANY and is_confirmed(sentence.tokens, mention)
    }
    subject = _subject(found)
    if subject:
        again = [
            found[0],
            *((one, _with_subject(one.tokens, mentions, subject)) for one, mentions in found[1:]),
        ]
        if any(len(mentions) != len(before) for (_, mentions), (_, before) in zip(again, found, strict=True)):
            confirmed.add(company_key(subject.text))
        found = again
    return [_marked(sentence, mentions, confirmed, plain) for sentence, mentions in found]


def _surnames(mentions: Sequence[Mention]) -> set[str]:
    """Return surnames of people, also Johnson if the article has both Johnson and Boris Johnson."""
    single = {one.text for one in mentions if one.kind == COMPANY and one.end - one.start == 1}
    full = [one.text.split() for one in mentions if one.kind == COMPANY and not LINKS & {*one.text.split()}]
    people = {one.text.split()[-1] for one in mentions if one.kind == PERSON}
    return people | {
        words[-1]
        for words in full
        if len(words) in (2, 3) and words[-1] in single and words[-1].lower() not in common_words()
    }


def _person_again(mention: Mention, surnames: set[str]) -> Mention:
    """Return Cook as a person if the article has Tim Cook, and Tim Cook too."""
    words = mention.text.split()
    again = (
        mention.kind == COMPANY
        and words[-1] in surnames
        and not ends_like_company(mention.text.lower().split())
    )
    return mention._replace(kind=PERSON) if again else mention


def _subject(found: Sequence[tuple[Sentence, Sequence[Mention]]]) -> Mention | None:
    """Return the only company of the title, if any."""
    if not found or not found[0][0].title:
        return None
    companies = [
        one for one in found[0][1] if one.kind == COMPANY and not (one.start == 0 and is_doubtful(one.text))
    ]
    return companies[0] if len(companies) == 1 else None


def _with_subject(tokens: Sequence[str], mentions: Sequence[Mention], subject: Mention) -> list[Mention]:
    """Return the mentions with added ones for "the company" or "the Dutch lender"."""
    nouns = load_name_words().context["same"]
    taken = {at for mention in mentions for at in range(mention.start, mention.end) if mention.kind != OTHER}
    again: list[Mention] = []
    for at, token in enumerate(tokens):
        if token.lower() != "the":
            continue
        for end in (at + 2, at + 3):
            after = tokens[end] if end < len(tokens) else ""
            if (
                end <= len(tokens)
                and tokens[end - 1] in nouns
                and after != "of"
                and not taken & {*range(at, end + 1)}
            ):
                again.append(subject._replace(start=at, end=end))
                break
    spans = {at for mention in again for at in range(mention.start, mention.end)}
    left = [mention for mention in mentions if mention.start not in spans]
    return sorted(left + again, key=lambda mention: mention.start)


def _marked(
    sentence: Sentence, mentions: Sequence[Mention], confirmed: set[str], plain: PlainWords
) -> MarkedSentence:
    words: list[str] = []
    at = 0
    companies: set[int] = set()
    confirmed_here: set[int] = set()
    for number, mention in enumerate(mentions):
        words += [token.lower() for token in sentence.tokens[at : mention.start]]
        is_confirmed = mention.kind == COMPANY and company_key(mention.text) in confirmed
        if is_confirmed:
            confirmed_here.add(number)
        if is_confirmed or (mention.kind == COMPANY and not is_doubtful(mention.text)):
            companies.add(number)
        words.append(f"{FIRM if is_confirmed else mention.kind}{number}")
        at = mention.end + _is_own_name(sentence.tokens[mention.end : mention.end + 2], plain)
    words += [token.lower() for token in sentence.tokens[at:]]
    text = "".join(word + " " for word in words)
    return MarkedSentence(sentence, text, tuple(mentions), frozenset(companies), frozenset(confirmed_here))


def _is_own_name(after: Sequence[str], plain: PlainWords) -> bool:
    """Return whether a possessive belongs to the name: McDonald's opens, Lowe's to close."""
    if len(after) < 2 or after[0] != "'s":
        return False
    verbal = after[1].endswith(("s", "ed")) and after[1] in plain.words
    return verbal or after[1] in plain.small


def is_confirmed(tokens: Sequence[str], mention: Mention) -> bool:
    """Return whether the context of a name confirms that it is a company."""
    context = load_name_words().context
    lower = [token.lower() for token in tokens[max(0, mention.start - 2) : mention.end + 10]]
    before = lower[: mention.start - max(0, mention.start - 2)]
    after = lower[len(before) + mention.end - mention.start :]
    if ends_like_company(mention.text.lower().split()) or DOMAIN.fullmatch(mention.text):
        return True
    if any(word in context["before"] for word in before):
        return True
    if after[:1] == ["'s"]:
        after = after[1:]
    if any(word in context["behind"] for word in after[:2]):
        return True
    if any(word in context["near"] for word in after[:6]):
        return True
    if after[:1] == ["("] and ":" in after[:4]:
        return True
    return after[:1] == [","] and any(word in context["apposition"] for word in _until_comma(after[1:]))


def _until_comma(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index(",")] if "," in words else words
