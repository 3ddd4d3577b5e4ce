"""Companies in headlines of real acquisitions, found among stored records: acquirer and target are the gold."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evaluation.news.company_database import CompanyDatabase
from evaluation.news.gold import Purchase
from firmograph.directory.company_names import company_key
from firmograph.directory.names_in_text.kinds import COMPANY
from firmograph.directory.names_in_text.mentions import mark_sentences
from firmograph.directory.names_in_text.sentences import split_sentences
from firmograph.directory.names_in_text.spans import Mention
from firmograph.directory.records import CompanyRef
from firmograph.ingest.feeds.mentions import parse_mention
from firmograph.ingest.merging.company_linking import Finder
from firmograph.signals.news.rules import read_article
from firmograph.signals.news.table import plain_words


class NameOutcome(NamedTuple):
    """The outcome for a company of a headline, or for a wrong one."""

    purchase: Purchase
    name: str
    outcome: str
    """found, wrong, missed, or the reason why it cannot be found."""
    why: str = ""
    in_event: bool = False
    """Whether the article was read as M&A of this company."""


def look_up(companies: CompanyDatabase, purchases: Sequence[Purchase]) -> list[NameOutcome]:
    finder = _Numbers(companies)
    return [outcomes for purchase in purchases for outcomes in _of(purchase, finder)]


class _Numbers:
    def __init__(self, companies: CompanyDatabase) -> None:
        self._session = companies.database.session()
        self._finder = Finder(companies.digests)

    def of(self, name: str) -> int | None:
        """Return the stored company with exactly this name."""
        return self._finder.find(self._session, [CompanyRef(name=name)])[0]

    def company_of(self, mention: Mention) -> int | None:
        refs = [ref for ref in map(parse_mention, mention.readings) if ref]
        return next((number for number in self._finder.find(self._session, refs) if number is not None), None)


def _of(purchase: Purchase, numbers: _Numbers) -> list[NameOutcome]:
    article = read_article(purchase.headline, "", purchase.day)
    found = {number: one.text for one in article.mentions if (number := numbers.company_of(one)) is not None}
    about = {
        number
        for event in article.events
        if event.event == "M&A"
        for one in event.companies
        if (number := numbers.company_of(one)) is not None
    }
    gold = {numbers.of(name): name for name in (purchase.acquirer, purchase.target)}
    outcomes = []
    for name in (purchase.acquirer, purchase.target):
        number = numbers.of(name)
        if number is None:
            outcomes.append(
                NameOutcome(
                    purchase, name, "not findable", "its name belongs to no or several stored companies"
                )
            )
        elif number in found:
            outcomes.append(NameOutcome(purchase, name, "found", in_event=number in about))
        else:
            outcomes.append(NameOutcome(purchase, name, "missed", _reason(purchase, name)))
    outcomes += [
        NameOutcome(purchase, text, "wrong", _mistake(text, purchase), number in about)
        for number, text in found.items()
        if number not in gold
    ]
    return outcomes


def _reason(purchase: Purchase, name: str) -> str:
    mentions = mark_sentences(list(split_sentences(purchase.headline, "")), plain_words())[0]
    key = company_key(name)
    for number, mention in enumerate(mentions.mentions):
        if company_key(mention.text) == key:
            if mention.kind != COMPANY:
                return "taken for a person, a place or an institution"
            return "a common word without further evidence" if number not in mentions.companies else "other"
    if any(key in company_key(mention.text) for mention in mentions.mentions):
        return "joined with adjacent words"
    if name.lower() not in purchase.headline.lower():
        return "written differently in the headline"
    return (
        "its words are not all capitalised"
        if any(word[:1].islower() for word in name.split())
        else "cut short"
    )


def _mistake(text: str, purchase: Purchase) -> str:
    key = company_key(text)
    whole = (company_key(purchase.acquirer), company_key(purchase.target))
    return "a part of the name" if any(key in one for one in whole) else "another word of the headline"


def count_outcomes(outcomes: Sequence[NameOutcome]) -> tuple[Counter[str], Counter[str], int]:
    """Return the counts of each outcome and each reason, and how many of those found are in the event."""
    reasons = Counter(f"{one.outcome}: {one.why}" for one in outcomes if one.why)
    return (
        Counter(one.outcome for one in outcomes),
        reasons,
        sum(one.in_event for one in outcomes if one.outcome == "found"),
    )
