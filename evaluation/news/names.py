"""Companies that headlines of real acquisitions name, found among held records: acquirer and target are the gold."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evaluation.news.gold import Purchase
from evaluation.news.held import Held
from firmograph.directory.company_names import company_key
from firmograph.directory.records import CompanyRef
from firmograph.ingest.feeds.mentions import parse_mention
from firmograph.ingest.merging.company_linking import Finder
from firmograph.signals.news.kinds import COMPANY
from firmograph.signals.news.mentions import mark_sentences
from firmograph.signals.news.rules import read_article
from firmograph.signals.news.sentences import split_sentences
from firmograph.signals.news.spans import Mention


class Told(NamedTuple):
    """A company of a headline, or a wrong one."""

    purchase: Purchase
    name: str
    outcome: str
    """found, wrong, missed, or why it cannot be found."""
    why: str = ""
    in_event: bool = False
    """Whether the article was read as M&A of this company."""


def looked_up(held: Held, purchases: Sequence[Purchase]) -> list[Told]:
    finder = _Numbers(held)
    return [told for purchase in purchases for told in _of(purchase, finder)]


class _Numbers:
    def __init__(self, held: Held) -> None:
        self._session = held.database.session()
        self._finder = Finder(held.digests)

    def of(self, name: str) -> int | None:
        """The held company of this very name."""
        return self._finder.find(self._session, [CompanyRef(name=name)])[0]

    def meant(self, mention: Mention) -> int | None:
        refs = [ref for ref in map(parse_mention, mention.readings) if ref]
        return next((number for number in self._finder.find(self._session, refs) if number is not None), None)


def _of(purchase: Purchase, numbers: _Numbers) -> list[Told]:
    article = read_article(purchase.headline, "", purchase.day)
    found = {number: one.text for one in article.mentions if (number := numbers.meant(one)) is not None}
    about = {
        number
        for event in article.events
        if event.event == "M&A"
        for one in event.companies
        if (number := numbers.meant(one)) is not None
    }
    gold = {numbers.of(name): name for name in (purchase.acquirer, purchase.target)}
    told = []
    for name in (purchase.acquirer, purchase.target):
        number = numbers.of(name)
        if number is None:
            told.append(
                Told(purchase, name, "not findable", "its name is of no or of several held companies")
            )
        elif number in found:
            told.append(Told(purchase, name, "found", in_event=number in about))
        else:
            told.append(Told(purchase, name, "missed", _reason(purchase, name)))
    told += [
        Told(purchase, text, "wrong", _mistake(text, purchase), number in about)
        for number, text in found.items()
        if number not in gold
    ]
    return told


def _reason(purchase: Purchase, name: str) -> str:
    mentions = mark_sentences(list(split_sentences(purchase.headline, "")))[0]
    key = company_key(name)
    for number, mention in enumerate(mentions.mentions):
        if company_key(mention.text) == key:
            if mention.kind != COMPANY:
                return "taken for a person, a place or an institution"
            return "a common word without anything beside it" if number not in mentions.companies else "other"
    if any(key in company_key(mention.text) for mention in mentions.mentions):
        return "run together with words beside it"
    if name.lower() not in purchase.headline.lower():
        return "written otherwise in the headline"
    return (
        "its words are not all capitalised"
        if any(word[:1].islower() for word in name.split())
        else "cut short"
    )


def _mistake(text: str, purchase: Purchase) -> str:
    key = company_key(text)
    whole = (company_key(purchase.acquirer), company_key(purchase.target))
    return "a part of the name" if any(key in one for one in whole) else "another word of the headline"


def counted(told: Sequence[Told]) -> tuple[Counter[str], Counter[str], int]:
    """How many of each outcome; of each reason; how many of those found are in the event."""
    reasons = Counter(f"{one.outcome}: {one.why}" for one in told if one.why)
    return (
        Counter(one.outcome for one in told),
        reasons,
        sum(one.in_event for one in told if one.outcome == "found"),
    )
