"""A check without tuned rules: the share of posts ranked higher by their titles that also pay more.

    python -m evaluation.jobs.pay NYC_JOB_POSTINGS.csv.gz

The file contains job postings of the City of New York (NYC Open Data) with their yearly salaries. Pairs are two posts
of one agency whose titles share a word of a trade; a pair counts once, in a random direction drawn with a fixed
seed. Pay is no perfect judge: a specialist may earn more than a manager, and in this city an associate ranks higher.
"""

import csv
import gzip
import random
import re
import sys
from collections import defaultdict
from itertools import combinations
from statistics import median

from firmograph.signals.job_moves.title_forms import comparison_form
from firmograph.signals.job_moves.title_ranks import ranks_higher

SEED = 20_261_121
PAIRS = 20_000
RANKS = set(
    "manager director assistant associate senior supervisor chief deputy officer coordinator specialist".split()
)
"""Words that two titles may share without being of one trade."""
SAME_PAY = 0.05
"""Within this share two salaries count as the same."""


def posts(path: str) -> dict[str, dict[str, float]]:
    """Return the medians of the yearly salaries of each title, by agency."""
    paid: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["Salary Frequency"] == "Annual":
                middle = (float(row["Salary Range From"]) + float(row["Salary Range To"])) / 2
                paid[row["Agency"]][row["Business Title"]].append(middle)
    return {
        agency: {title: median(all_) for title, all_ in titles.items()} for agency, titles in paid.items()
    }


def pairs(salaries: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    """Return old title, new title, and the new one's pay relative to the old one's."""
    draw = random.Random(SEED)
    found = []
    for _, titles in sorted(salaries.items()):
        for one, other in combinations(sorted(titles), 2):
            if _trade(one) & _trade(other):
                old, new = (one, other) if draw.random() < 0.5 else (other, one)
                found.append((old, new, titles[new] / titles[old] - 1))
    return draw.sample(found, min(PAIRS, len(found)))


def _trade(title: str) -> set[str]:
    """Return the words of a title, without those of its unit."""
    return set(comparison_form(re.split("[,/(-]", title, maxsplit=1)[0]).split()) - RANKS


def main() -> None:
    drawn = pairs(posts(sys.argv[1]))
    risen = [gain for old, new, gain in drawn if ranks_higher(old, new)]
    more, less = (
        sum(gain > SAME_PAY for gain in risen),
        sum(gain < -SAME_PAY for gain in risen),
    )
    fell = [gain for old, new, gain in drawn if ranks_higher(new, old)]
    print(
        f"{len(drawn):,} pairs of {sum(gain > SAME_PAY for *_, gain in drawn) / len(drawn):.1%} that pay more"
    )
    print(
        f"rises: {len(risen):,}, of which {more / len(risen):.1%} pay more, {less / len(risen):.1%} less; "
        f"median {median(risen):+.1%}"
    )
    print(f"the other way round: {len(fell):,}, median {median(fell):+.1%}")
    for least in (0.25, 0.5, 1.0):
        some = [ranks_higher(old, new) for old, new, gain in drawn if gain >= least]
        print(f"of {len(some):,} pairs that pay {least:.0%} more, {sum(some) / len(some):.1%} are rises")


if __name__ == "__main__":
    main()
