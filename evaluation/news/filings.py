"""Item codes of filings mapped to events: a mapping, not a classifier, with a check of 100 filings."""

from collections import defaultdict
from typing import NamedTuple

from evaluation.news.gold import HERE, table


class Checked(NamedTuple):
    items: int
    """Codes that are mapped to the event."""
    filings: int
    """Of 30 companies, with one of these codes."""
    right: int
    wrong: int
    open: int
    """Which nobody could tell."""


def checked() -> dict[str, Checked]:
    """Return figures by event, for the events of mapped codes."""
    codes: dict[str, list[int]] = defaultdict(list)
    for row in table(HERE / "items_8k.csv"):
        if row["event"]:
            codes[row["event"]].append(int(row["filings"]))
    verdicts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in table(HERE / "checked_8k.csv"):
        verdicts[row["event"]][row["verdict"]] += 1
    return {
        event: Checked(
            len(filings), sum(filings), *(verdicts[event][one] for one in ("right", "wrong", "cannot tell"))
        )
        for event, filings in sorted(codes.items())
    }
