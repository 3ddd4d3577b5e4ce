"""Generated companies that resemble each other: those of one niche share most of their traits.

The companies of `bench.generate` draw each trait by itself, so no two are more alike than by chance. Here each
sub-industry has niches, whose members take most keywords, technologies and specialities, and words of their
description, from short lists of the niche. Nothing names the niche.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import msgspec

from bench.draws import Brand, Row
from bench.generate import SEED, brands, company_rows, write_rows
from bench.values import KEYWORDS, WORDS

NICHES = 8
"""Niches of each sub-industry."""
OWN = 0.75
"""Share of a company's traits that come from the lists of its niche."""
VERSION = 1
"""Increased when other rows are made."""

_LISTS = {
    "keywords": (KEYWORDS, 16),
    "technologies": (WORDS["technologies"], 10),
    "specialities": (WORDS["brand_trade"], 6),
}
"""Values of each trait, and how many of them a niche has."""

Niche = tuple[str, str, int]


def niche_of(row: Row) -> Niche:
    """Return the niche of a row: its industry, its sub-industry, and a part of that."""
    place = int(row["sourceId"][1:])
    return row["industry"], row["subIndustry"], place * 2_654_435_761 % (1 << 32) * NICHES >> 32


def niche_rows(employers: list[Brand]) -> Iterator[Row]:
    """Yield one row for each company, in the order of `company_rows`."""
    niches: dict[Niche, dict[str, list[str]]] = {}
    for row in company_rows(employers):
        niche = niche_of(row)
        if niche not in niches:
            rng = Random(f"{SEED} {niche}")
            niches[niche] = {name: rng.sample(values, count) for name, (values, count) in _LISTS.items()}
        rng = Random(row["sourceId"])
        for name, values in niches[niche].items():
            if name in row:
                row[name] = list(
                    dict.fromkeys(rng.choice(values) if rng.random() < OWN else one for one in row[name])
                )
        first, second = rng.sample(niches[niche]["keywords"], 2)
        row["description"] = f"{row['description']} Known for {first} and {second}."
        yield row


class CompanyFile:
    """File of generated companies."""

    def __init__(self, folder: Path, count: int) -> None:
        self.count = count
        self.path = folder / f"niches-{SEED}-{VERSION}.jsonl"

    def generate(self) -> None:
        """Write the file if it is missing."""
        if not self.path.exists():
            write_rows(niche_rows(brands(self.count)), self.path, lambda made: None)

    def groups(self, size: int, count: int) -> list[list[Row]]:
        """Return groups of so many companies of one niche each, all with a LinkedIn page.

        Of one sub-industry or industry where too few niches are large enough; fewer groups where these are, too.
        """
        full: list[list[Row]] = []
        for depth in (3, 2, 1):
            found: dict[tuple[object, ...], list[Row]] = {}
            full = []
            for row in self._rows():
                group = found.setdefault(niche_of(row)[:depth], [])
                if len(group) < size and "linkedinUrl" in row:
                    group.append(row)
                    if len(group) == size:
                        full.append(group)
                        if len(full) == count:
                            return full
        if not full:
            raise RuntimeError(f"{self.count:,} companies are too few for lists of {size}")
        return full

    def _rows(self) -> Iterable[Row]:
        decode = msgspec.json.Decoder().decode
        with self.path.open("rb") as file:
            for line in file:
                yield decode(line)
