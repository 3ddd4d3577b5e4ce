"""The figures as Markdown tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.news.events import Read, by_event, in_all
from evaluation.news.filings import Checked
from evaluation.news.names import NameOutcome, count_outcomes
from evaluation.news.signals import DetectedSignal

HALVES = {"tuned on": True, "untouched": False}


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def halves(reads: Sequence[Read], blind: Mapping[str, Mapping[str, int]]) -> str:
    """Return the present figures of both halves, and those of the blind run."""
    rows: list[list[object]] = []
    for name, is_tuned in HALVES.items():
        some = [one for one in reads if one.item.is_tuned == is_tuned]
        figures, before = in_all(some), blind[name]
        reported = before["right"] + before["wrong"]
        first = (before["right"] / reported if reported else None, before["right"] / before["n"])
        rows.append([f"{name}, before", len(some), before["n"], before["right"], before["wrong"], *first])
        now = (figures.precision, figures.recall)
        rows.append([f"{name}, now", len(some), figures.n, figures.right, figures.wrong, *now])
    return markdown(("half", "items", "events", "right", "wrong", "precision", "recall"), rows)


def types(reads: Sequence[Read], *, all_types: bool) -> str:
    """Return figures by event: of the untouched half and of both."""
    untouched = by_event([one for one in reads if not one.item.is_tuned])
    both = by_event(reads)
    rows = [
        [event, *untouched[event][:4], *both[event][:4]]
        for event in both
        if all_types or both[event].n or both[event].wrong
    ]
    parts = ("events", "right", "wrong", "missed")
    return markdown(
        ("event", *(f"untouched: {part}" for part in parts), *(f"all: {part}" for part in parts)), rows
    )


def without_examples(reads: Sequence[Read]) -> str:
    return ", ".join(event for event, figures in by_event(reads).items() if not figures.n)


def items(checked: Mapping[str, Checked]) -> str:
    rows = [[event, *figures] for event, figures in checked.items()]
    rows.append(["in all", *(sum(part) for part in zip(*checked.values(), strict=True))])
    return markdown(("event", "codes", "filings", "checked: right", "wrong", "cannot tell"), rows)


def names(outcomes_of_names: Sequence[NameOutcome], blind: Mapping[str, Mapping[str, int]]) -> str:
    columns = ("found", "missed", "wrong", "in the event")
    rows: list[list[object]] = []
    for name, is_tuned in HALVES.items():
        outcomes, _, in_event = count_outcomes(
            [one for one in outcomes_of_names if one.purchase.is_tuned == is_tuned]
        )
        out: dict[str, Any] = {**outcomes, "in the event": in_event}
        rows.append([f"{name}, before", *(blind[name][column] for column in columns), None])
        rows.append([f"{name}, now", *(out.get(column, 0) for column in columns), out.get("not findable", 0)])
    return markdown(("half", *columns, "name of several records"), rows)


def reasons(outcomes_of_names: Sequence[NameOutcome]) -> str:
    _, why, _ = count_outcomes(outcomes_of_names)
    return markdown(("why", "companies"), [[reason, number] for reason, number in why.most_common()])


def signals(made: Sequence[DetectedSignal], articles: int, company_count: int) -> str:
    right = sum(one.right for one in made)
    wrong = len(made) - right
    return (
        f"Imported with {company_count:,} companies stored by name, the {articles} articles make {len(made)} signals: "
        f"{right} right, {wrong} wrong.\n"
    )
