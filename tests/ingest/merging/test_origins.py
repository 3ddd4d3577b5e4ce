"""Origins of the values of merged records, against the merge itself."""

from hypothesis import given
from hypothesis import strategies as st

from effort import examples
from firmograph.directory.records import Company, CompanyRef, Contact, Email, JobTitle, PastJob, Phone
from firmograph.ingest.merging.merge import (
    DatedCompany,
    DatedContact,
    Mark,
    merge_companies,
    merge_contacts,
)
from firmograph.ingest.merging.origins import Origin, company_origins, contact_origins, find_origin
