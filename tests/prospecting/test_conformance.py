"""Engines answer what a plain filter over the records answers, over records that fill every field."""

from functools import cache, partial

import pytest
from conformance import KINDS, TOKENS, Trial, finds_some, totals_of
from request_strategies import FILTERS, of_one_filter, requests
from sample_records import generated
from value_strategies import Values

pytestmark = pytest.mark.no_database

EVERY_FILTER = [
    (endpoint, side, clause, name)
    for (endpoint, side), names in FILTERS.items()
    for name in names
    for clause in ("include", "exclude")
]


@cache
def trial():
    records = generated(20_260_101, contacts=240, companies=60)
    engines = {
        f"{name}, {way}": filled(records)
        for name, kind in KINDS.items()
        for way, filled in kind.filled.items()
    }
    return Trial(records, engines)


@cache
def values():
    return Values(trial().records, TOKENS)


def everyone(endpoint):
    return len(getattr(trial().records, endpoint))


@pytest.mark.parametrize(("endpoint", "side", "clause", "name"), EVERY_FILTER)
def test_every_filter_finds_what_it_should_and_that_is_some_and_not_all(endpoint, side, clause, name):
    asked = of_one_filter(values(), side, clause, name)
    assert finds_some(partial(trial().asked, endpoint), asked, everyone(endpoint), 8, 100)


@pytest.mark.parametrize("endpoint", ["contacts", "companies"])
def test_filters_of_both_sides_options_and_pages_go_together(endpoint):
    totals = totals_of(partial(trial().asked, endpoint), requests(endpoint, values()), 200)
    assert len(totals) > 10


@pytest.mark.parametrize("endpoint", ["contacts", "companies"])
def test_a_text_beside_the_filters_is_one_of_the_include(endpoint):
    def ask(text):
        beside = trial().asked(endpoint, {"searchText": text})
        within = {"filters": {endpoint: {"include": {"searchText": text}}}}
        assert beside == trial().asked(endpoint, within)
        return beside

    assert finds_some(ask, getattr(values(), endpoint)["searchText"], everyone(endpoint), 20, 100)


@pytest.mark.parametrize("most", [None, 1, 2, 5, 20])
def test_pages_never_overlap_or_skip(most):
    options = {"maxContactsPerCompany": most} if most else {}
    request = {"filters": {"contacts": {"exclude": {"countries": ["DE"]}}}, "options": options}
    answers = [
        trial().asked("contacts", {**request, "pagination": {"page": page, "size": 10}}) for page in range(30)
    ]
    numbers = [number for answer in answers for number in answer.numbers]
    assert len(numbers) == len(set(numbers)) == answers[0].total > 30
    assert {answer.total for answer in answers} == {len(numbers)}
