"""Events found by the classifier in an article, compared with its labels."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evaluation.news.gold import Item
from firmograph.directory.company_names import company_key
from firmograph.signals.news.rules import read_article
from firmograph.signals.types import NEWS_EVENT_TYPES


class Read(NamedTuple):
    """An item, and the classifier's events."""

    item: Item
    events: dict[str, frozenset[str]]
    """Each event with the names of the companies it is about."""

    @property
    def wrong(self) -> frozenset[str]:
        return frozenset(self.events) - self.item.events - self.item.either

    @property
    def missed(self) -> frozenset[str]:
        return self.item.events - frozenset(self.events)


class Figures(NamedTuple):
    n: int
    right: int
    wrong: int
    missed: int
    well_named: int
    """Of the right ones, those of which every company is one of the gold's."""

    @property
    def precision(self) -> float | None:
        reported = self.right + self.wrong
        return self.right / reported if reported else None

    @property
    def recall(self) -> float | None:
        return self.right / self.n if self.n else None


def classified(items: Iterable[Item]) -> list[Read]:
    reads = []
    for item in items:
        events: dict[str, set[str]] = {}
        for event in read_article(item.title, item.text, item.day).events:
            events.setdefault(event.event, set()).update(one.text for one in event.companies)
        reads.append(Read(item, {event: frozenset(names) for event, names in events.items()}))
    return reads


def by_event(reads: Sequence[Read]) -> dict[str, Figures]:
    return {event: _figures(reads, {event}) for event in NEWS_EVENT_TYPES}


def in_all(reads: Sequence[Read]) -> Figures:
    return _figures(reads, set(NEWS_EVENT_TYPES))


def _figures(reads: Sequence[Read], events: set[str]) -> Figures:
    right = [(one, event) for one in reads for event in one.item.events & one.events.keys() & events]
    return Figures(
        n=sum(len(one.item.events & events) for one in reads),
        right=len(right),
        wrong=sum(len(one.wrong & events) for one in reads),
        missed=sum(len(one.missed & events) for one in reads),
        well_named=sum(_is_well_named(one, event) for one, event in right),
    )


def _is_well_named(one: Read, event: str) -> bool:
    gold = {company_key(name) for name in one.item.companies}
    return all(company_key(name) in gold for name in one.events[event])
