"""Drawing of the titles that were labelled, from the reference lists of job titles.

    python -m evaluation.roles.draw_titles DATA

`DATA` is the folder of the reference data. Prints a table with empty labels. What is drawn depends on the lists and on
the seed only: the titles of each stratum with the lowest hashes are taken, equally many of each list.
"""

import csv
import gzip
import hashlib
import io
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from firmograph.directory.titles.derivation import derive_departments, derive_seniority

SEED = "roles-1"
LONGEST = 60
STRATA = {
    "top": 84,
    "Vice President": 24,
    "Director": 60,
    "Manager at a desk": 54,
    "Manager": 30,
    "Senior at a desk": 36,
    "Senior": 18,
    "Non-Manager at a desk": 90,
    "Non-Manager": 54,
}
"""Number of titles by stratum: enough for each role, as most titles of the lists have none."""
_TOP = ("Founder", "C-Suite", "Partner")
_AT_A_DESK = frozenset(
    {
        "Business Development",
        "Consulting",
        "Customer Service",
        "Finance",
        "Human Resources",
        "Information Technology",
        "Legal",
        "Marketing",
        "Product",
        "Research & Analytics",
        "Sales",
    }
)
"""Departments that rarely hold work by hand."""
COLUMNS = "title,seniority,departments,source,split,decision_maker,potential_champion,end_user,note"


def read_titles(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (list, title) of the reference lists."""
    for title in _text(folder / "job_titles_74k.txt.gz"):
        yield "job_titles", title.strip()
    for name in ("onet_alternate_titles.tsv.gz", "onet_reported_titles.tsv.gz"):
        for row in csv.reader(_text(folder / name), delimiter="\t"):
            if row[0] != "O*NET-SOC Code":
                yield "onet", row[1].strip()
    for row in csv.DictReader(_text(folder / "esco_occupations_en.csv.gz")):
        for title in (row["preferredLabel"], *row["altLabels"].split("|")):
            yield "esco", " ".join(title.split())


def _text(path: Path) -> io.TextIOWrapper:
    return io.TextIOWrapper(gzip.open(path), "utf-8", newline="")


def hash_number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.casefold().encode()).digest()[:8], "big")


def split_of(title: str) -> str:
    """Return the half of a title: rules are tuned on `tune`, figures are reported for `test`."""
    return "tune" if hash_number(f"half {SEED} {title}") % 2 else "test"


def stratum_of(title: str) -> str:
    seniority = derive_seniority(title) or ""
    if seniority in _TOP:
        return "top"
    at_a_desk = f"{seniority} at a desk"
    if at_a_desk in STRATA and not _AT_A_DESK.isdisjoint(derive_departments(title)):
        return at_a_desk
    return seniority


def draw(folder: Path) -> list[tuple[str, str]]:
    """Return the (list, title) pairs drawn, by stratum."""
    pools: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for source, title in read_titles(folder):
        if title and len(title) <= LONGEST:
            pools[stratum_of(title), source].setdefault(title.casefold(), title)
    drawn: list[tuple[str, str]] = []
    taken = set[str]()
    for stratum, count in STRATA.items():
        for source in ("job_titles", "onet", "esco"):
            pool = pools[stratum, source]
            ordered = sorted(pool, key=lambda title: hash_number(f"{SEED} {title}"))
            chosen = [title for title in ordered if title not in taken][: count // 3]
            taken.update(chosen)
            drawn += [(source, pool[title]) for title in chosen]
    return drawn


def main() -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS.split(","))
    for source, title in draw(Path(sys.argv[1])):
        departments = "; ".join(derive_departments(title))
        writer.writerow(
            [title, derive_seniority(title), departments, source, split_of(title), "", "", "", ""]
        )


if __name__ == "__main__":
    main()
