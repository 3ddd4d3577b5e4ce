"""`docs/benchmarks.md`: a page written by hand, in which runs replace their figures.

A table stands between `<!-- table: TITLE -->` and `<!-- /table -->`; the day, the size and the machine of a part
stand between `<!-- run: PART -->` and `<!-- /run -->`. What a run did not measure stays.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.report import PARTS, Report, tables
from bench.tables import Table


def write(report: Report, path: Path) -> list[str]:
    """Write the figures of a run into the page. Return the names of those that it has no place for."""
    page, unplaced = filled(report, path.read_text("utf-8"))
    path.write_text(page, "utf-8")
    return unplaced


def filled(report: Report, page: str) -> tuple[str, list[str]]:
    """Return the page with the figures of a run, and the names of those that it has no place for."""
    unplaced = []
    for kind, name, text in _figures(report):
        place = re.compile(rf"(?<=<!-- {kind}: {re.escape(name)} -->\n).*?(?=<!-- /{kind} -->)", re.DOTALL)
        # not as a template, in which backslashes count; an empty place would match again, up to the next end
        page, found = place.subn(partial(_line, text), page, count=1)
        if not found:
            unplaced.append(f"{kind}: {name}")
    return page, unplaced


def _line(text: str, _: re.Match[str]) -> str:
    return f"{text}\n"


def _figures(report: Report) -> Iterator[tuple[str, str, str]]:
    for name in PARTS:
        measured = getattr(report, name)
        if measured is not None:
            yield "run", name, _run(report, measured)
    for table in tables(report):
        yield "table", table.title, _markdown(table)


def _run(report: Report, measured: object) -> str:
    """Describe when, on what and where a part was measured, and whether other programs used the machine."""
    # what has no size of its own is of the run's
    sized = measured if hasattr(measured, "companies") else report
    own = getattr(measured, "size", None)
    sizes = (
        [own]
        if own
        else [
            f"{getattr(sized, name):,} generated {name}"
            for name in ("contacts", "companies")
            if hasattr(sized, name)
        ]
    )
    machine = [
        *report.machine.values(),
        *(f"{name} {release}" for name, release in getattr(measured, "releases", {}).items()),
        *(f"without: {line}" for line in getattr(measured, "left_out", ())),
    ]
    if report.busy > 0.1:
        machine.append(f"of which other programs used {report.busy:.0%}: figures by the second are too low")
    return f"Last run: {report.day}, with {' and '.join(sizes)}. On {'; '.join(machine)}."


def _markdown(table: Table) -> str:
    lines = [table.columns, tuple("---" if place == 0 else "---:" for place in range(len(table.columns)))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (*lines, *table.rows))
