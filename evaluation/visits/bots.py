"""Measurement of the recognition of bots on the labelled user agents of `evaluation/visits/`.

    python -m evaluation.visits.bots [FOLDER] [--write]

With the folder of open data, the share of bots in the whole access log is counted too. `--write` puts the figures into
README.md.
"""

import argparse
import csv
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.visits.bots import is_bot
from firmograph.visits.reading.files import open_visits, recognise
from firmograph.visits.reading.page_rule import ROBOTS_PATH, LineCounts

HERE = Path(__file__).parent
README = HERE / "README.md"
HEADING = "## Figures\n"
LOG = Path("visits", "apache_access.log.gz")


class LabelledAgent(NamedTuple):
    agent: str
    requests: int
    is_bot: bool
    is_hard: bool


def read_agents() -> list[LabelledAgent]:
    with (HERE / "agents.csv").open(encoding="utf-8", newline="") as file:
        return [
            LabelledAgent(row["agent"], int(row["requests"]), row["label"] == "bot", row["note"] == "hard")
            for row in csv.DictReader(file)
        ]


def quality(agents: Sequence[LabelledAgent]) -> Iterator[str]:
    """Yield precision and recall by agents and by their requests, in Markdown."""
    yield "| | in all | labelled bots | recognised | right | precision | recall |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    parts = {"agents": agents, "agents, without hard ones": [one for one in agents if not one.is_hard]}
    for name, some in parts.items():
        yield _line(name, [(one, 1) for one in some])
    yield _line("their requests", [(one, one.requests) for one in agents])


def _line(name: str, weighted: Sequence[tuple[LabelledAgent, int]]) -> str:
    labelled = sum(weight for one, weight in weighted if one.is_bot)
    found = sum(weight for one, weight in weighted if is_bot(one.agent))
    right = sum(weight for one, weight in weighted if one.is_bot and is_bot(one.agent))
    shares = f"{right / found:.3f} | {right / labelled:.3f}"
    return f"| {name} | {sum(weight for _, weight in weighted)} | {labelled} | {found} | {right} | {shares} |"


def count_log(path: Path) -> Iterator[str]:
    """Yield what the lines of a log are, in Markdown."""
    counts, page_views, robots, unread = LineCounts(), 0, 0, 0
    with open_visits(path) as file:
        reader = recognise(path)("semicomplete.com", time.time(), counts, ColumnCounts())
        for one in file.read(reader):
            if isinstance(one, str):
                unread += 1
            elif one.path == ROBOTS_PATH:
                robots += 1
            else:
                page_views += 1
        read = file.lines.number
    lines = {
        "bots by their agent": counts.bots - robots,
        "requests for robots.txt by other agents": robots,
        "assets": counts.assets,
        "other methods and answers": counts.other_requests,
        "page views": page_views,
        "not read": unread,
    }
    yield f"| of {read:,} lines | | share |"
    yield "|---|---:|---:|"
    for name, count in lines.items():
        yield f"| {name} | {count:,} | {count / read:.1%} |"


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("data", nargs="?", type=Path, help="folder of open data")
    arguments.add_argument("--write", action="store_true", help="put the figures into README.md")
    chosen = arguments.parse_args()
    text = "\n".join(quality(read_agents())) + "\n"
    if chosen.data:
        text += "\n" + "\n".join(count_log(chosen.data / LOG)) + "\n"
    print(text)
    if chosen.write:
        before = README.read_text("utf-8").partition(HEADING)[0]
        by = "Written by `python -m evaluation.visits.bots DATA --write`."
        README.write_text(f"{before}{HEADING}\n{by}\n\n{text}", "utf-8")


if __name__ == "__main__":
    main()
