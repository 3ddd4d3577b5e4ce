"""Engines give the same answers as a plain filter over the records, with every field filled."""

from functools import cache, partial

import pytest
from conformance import KINDS, TOKENS, Trial, finds_some, totals_of
from request_strategies import FILTERS, of_one_filter, requests
from sample_records import generated
from value_strategies import Values

from effort import examples

pytestmark = pytest.mark.no_database

EVERY_FILTER = [
    (endpoint, side, clause, name)
    for (endpoint, side), names in FILTERS.items()
    for name in names
    for clause in ("include", "exclude")
]


@cache
def trial():
    records = generated(20_260_101, contacts=160, companies=40)
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
def test_every_filter_finds_the_expected_records_some_but_not_all(endpoint, side, clause, name):
    requests_of_filter = of_one_filter(values(), side, clause, name)
    assert finds_some(
        partial(trial().answer_of, endpoint), requests_of_filter, everyone(endpoint), examples(8), 100
    )


@pytest.mark.parametrize("endpoint", ["contacts", "companies"])
def test_filters_of_both_sides_options_and_pages_can_be_combined(endpoint):
    totals = totals_of(partial(trial().answer_of, endpoint), requests(endpoint, values()), examples(200))
    assert len(totals) > 5


@pytest.mark.parametrize("endpoint", ["contacts", "companies"])
def test_a_top_level_text_acts_as_part_of_the_include(endpoint):
    def ask(text):
        top_level = trial().answer_of(endpoint, {"searchText": text})
        within = {"filters": {endpoint: {"include": {"searchText": text}}}}
        assert top_level == trial().answer_of(endpoint, within)
        return top_level

    assert finds_some(ask, getattr(values(), endpoint)["searchText"], everyone(endpoint), 20, 100)


@pytest.mark.parametrize("most", [None, 1, 2, 5, 20])
def test_pages_never_overlap_or_skip(most):
    options = {"maxContactsPerCompany": most} if most else {}
    request = {"filters": {"contacts": {"exclude": {"countries": ["DE"]}}}, "options": options}
    answers = [
        trial().answer_of("contacts", {**request, "pagination": {"page": page, "size": 10}})
        for page in range(30)
    ]
    numbers = [number for answer in answers for number in answer.numbers]
    assert len(numbers) == len(set(numbers)) == answers[0].total > 30
    assert {answer.total for answer in answers} == {len(numbers)}
