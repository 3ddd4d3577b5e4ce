"""Engines answer what a plain filter over the records answers, over records that fill every field."""

from functools import cache

import oracle_companies
import oracle_contacts
import pytest
from conformance import ENGINES, TOKENS, Trial
from drawn_requests import Values, criteria
from generated_records import generated
from hypothesis import HealthCheck, given, settings

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
NOBODY = {"companies": {"exclude": {"names": ["nobody is called this"]}}}
UNHELD = "signals"
"""Nothing holds signals yet, so nothing matches them."""


@cache
def trial():
    records = generated(20_260_101, contacts=240, companies=60)
    return Trial(records, {name: filled(records) for name, filled in ENGINES.items()})


@cache
def values():
    return Values(trial().records, TOKENS)


@pytest.mark.parametrize(("endpoint", "side", "clause", "name"), EVERY_FILTER)
def test_every_filter_finds_what_it_should_and_that_is_some_and_not_all(endpoint, side, clause, name):
    totals = set()

    @CALM
    @given(criteria(getattr(values(), side), [name]))
    def ask(made):
        filters = NOBODY if made.keys() & REFINEMENTS else {}
        filters = {**filters, side: {clause: made}}
        request = {"filters": filters, "options": {"includePartialProfiles": True}}
        totals.add(trial().asked(endpoint, request).total)

    ask()
    everyone = len(getattr(trial().records, endpoint))
    assert any(0 < total < everyone for total in totals) is (name != UNHELD), totals
