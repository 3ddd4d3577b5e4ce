"""Generated contacts of which some companies have many: 25 have 0.1 % each, one has 3 %."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.draws import Brand, Row
from bench.generate import SEED, VERSION, brands, company_rows, contact_rows, write_rows

COMPANIES = 25
"""Companies of one call, as many as there can be."""
SHARE, LARGE_SHARE = 0.001, 0.03
"""Shares of all contacts at each of them, and at the large one."""


class Employers(NamedTuple):
    """Companies with many contacts; by chance each has one or two more."""

    many: list[Brand]
    large: Brand


class ContactFile:
    """Files of companies and of contacts."""

    def __init__(self, folder: Path, contacts: int) -> None:
        self.contacts = contacts
        self.companies = max(COMPANIES * 4, contacts // 10)
        self.paths = {
            entity: folder / f"{entity}-groups-{SEED}-{VERSION}.jsonl" for entity in ("companies", "contacts")
        }

    def generate(self) -> Employers:
        """Write the files that are missing."""
        known = brands(self.companies)
        # the companies that the generator gives the fewest contacts
        employers = Employers(known[-COMPANIES - 1 : -1], known[-1])
        if not self.paths["companies"].exists():
            write_rows(company_rows(known), self.paths["companies"], lambda made: None)
        if not self.paths["contacts"].exists():
            rows = _moved(contact_rows(self.contacts, known), self.contacts, employers)
            write_rows(rows, self.paths["contacts"], lambda made: None)
        return employers


def _moved(rows: Iterator[Row], count: int, employers: Employers) -> Iterator[Row]:
    """Yield the rows with some of them, from all over the file, at the companies with many contacts."""
    staff = [brand for brand in employers.many for _ in range(int(count * SHARE))]
    staff += [employers.large] * int(count * LARGE_SHARE)
    places = Random(f"{SEED} groups").sample(range(count), len(staff))
    employer_of = dict(zip(places, staff, strict=True))
    for place, row in enumerate(rows):
        if (brand := employer_of.get(place)) is not None:
            row["company"] = {"name": brand.name, "domain": brand.domain}
        yield row
