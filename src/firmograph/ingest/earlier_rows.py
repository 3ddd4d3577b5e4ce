"""Stored rows of companies of earlier releases, as reading the same file would make them today.

What an earlier release did not keep cannot come back here; importing the file again brings it.
"""

import msgspec

from firmograph.directory.company_names import company_key
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company
from firmograph.directory.row_keys import company_row_keys
from firmograph.ingest.codes import sector_codes


def company_row(record: Company) -> Company:
    codes = [code for read in record.naics_codes for code in sector_codes(read)]
    return record if codes == record.naics_codes else msgspec.structs.replace(record, naics_codes=codes)


def missing_keys(digests: Digests, record: Company) -> set[bytes]:
    """The keys of a company's names that earlier releases did not make: further spellings, and loose ones."""
    named = Company(name=record.name, alternative_names=record.alternative_names)
    made = {digests.company_alias(company_key(name)) for name in record.alternative_names}
    if record.name:
        made.add(digests.company_name(company_key(record.name)))
    return company_row_keys(digests, "", "", named).every() - made
