"""Stored rows of earlier releases, as reading the same file would make them today.

What an earlier release did not keep cannot come back here; importing the file again brings it.
"""

import msgspec

from firmograph.directory.records import Company, Contact
from firmograph.ingest.codes import sector_codes


def contact_row(record: Contact) -> Contact:
    return record


def company_row(record: Company) -> Company:
    codes = [code for read in record.naics_codes for code in sector_codes(read)]
    return record if codes == record.naics_codes else msgspec.structs.replace(record, naics_codes=codes)
