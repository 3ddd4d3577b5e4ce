"""Engines answer what a plain filter over the records answers, over records that fill every field."""

from functools import cache

import oracle_companies
import oracle_contacts
import pytest
from conformance import ENGINES, TOKENS, Subject
from drawn_requests import Values, criteria
from generated_records import generated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CALM = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))

PAST = ("previousCompanyNames", "previousCompanyDomains")
CONTACT_FILTERS = ("ids", *oracle_contacts.FILTERS)
COMPANY_FILTERS = ("ids", *oracle_companies.FILTERS, *PAST)
EMPLOYEE_FILTERS = ("jobTitles", "departments", "seniorityIds", "skills", "locations", "existingDataPoints")
SIDES = {
    ("contacts", "contacts"): CONTACT_FILTERS,
    ("contacts", "companies"): COMPANY_FILTERS,
    ("companies", "companies"): COMPANY_FILTERS,
    ("companies", "contacts"): EMPLOYEE_FILTERS,
}
EVERY_FILTER = [
    (endpoint, side, clause, name)
    for (endpoint, side), names in SIDES.items()
    for name in names
    for clause in ("include", "exclude")
]
REFINEMENTS = {"jobChangedAfterDate", "jobChangedLastViewDate", "education", "score"}
"""They must stand beside some other filter."""
UNHELD = "signals"
"""Nothing holds signals yet, so nothing matches them."""


@cache
def subjects():
    records = generated(20_260_101, contacts=240, companies=60)
    return [Subject(kind.filled(records, None), records) for kind in ENGINES], Values(records, TOKENS)


def everyone(endpoint, subject):
    """How many there are when nothing is asked for but what everybody has."""
    records = subject.records
    return len(records.contacts if endpoint == "contacts" else records.companies)


@pytest.mark.parametrize(("endpoint", "side", "clause", "name"), EVERY_FILTER)
def test_every_filter_matches_some_records_and_those_that_it_should(endpoint, side, clause, name):
    held, values = subjects()
    totals = set()

    @CALM
    @given(st.data())
    def asked(data):
        made = data.draw(criteria(getattr(values, side), [name]))
        filters = {side: {clause: made}}
        if made.keys() & REFINEMENTS:
            filters["companies"] = {"exclude": {"names": ["nobody is called this"]}}
        request = {"filters": filters, "options": {"includePartialProfiles": True}}
        for subject in held:
            totals.add(subject.agrees(endpoint, request).total)

    asked()
    most = everyone(endpoint, held[0])
    assert any(0 < total < most for total in totals) is (name != UNHELD), totals
