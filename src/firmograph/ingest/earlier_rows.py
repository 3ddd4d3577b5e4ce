"""Stored rows of earlier releases, as reading the same file would make them today.

What an earlier release did not keep cannot come back here; importing the file again brings it.
"""

import re

import msgspec

from firmograph.directory.records import Code, Company, Contact

_RANGES = {
    31: (33, re.compile(r"33\b\W*")),
    44: (45, re.compile(r"45\b\W*")),
    48: (49, re.compile(r"49\b\W*")),
}
"""First code of each NAICS range: its last one, and how the description of the first one began."""


def contact_row(record: Contact) -> Contact:
    return record


def company_row(record: Company) -> Company:
    codes = [code for held in record.naics_codes for code in _unfolded(held)]
    return record if codes == record.naics_codes else msgspec.structs.replace(record, naics_codes=codes)


def _unfolded(held: Code) -> list[Code]:
    """Each code of a range that was read as its first code, with the last one before the description."""
    last, folded = _RANGES.get(held.code, (0, None))
    found = folded.match(held.description) if folded else None
    if found is None:
        return [held]
    description = held.description[found.end() :]
    return [Code(code=code, description=description) for code in range(held.code, last + 1)]
