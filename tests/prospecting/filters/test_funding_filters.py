import pytest
from filter_requests import companies, contact_query

from firmograph.prospecting.engines.query import All, Any, Between, Criterion, EmployedBy, Term, Words

pytestmark = pytest.mark.no_database

FUNDING: dict[str, tuple[object, Criterion]] = {
    "isIpo": (False, Term("is_ipo", "0")),
    "ranges": (
        [
            {"coverage": "last_funding", "min": 1},
            {"coverage": "last_round", "min": 2},
            {"coverage": "total_funds", "max": 3},
            {"min": 4, "max": 5},
        ],
        Any(
            (
                Between("funding_last", 1),
                Between("funding_last", 2),
                Between("funding_total", high=3),
                Between("funding_any", 4, 5),
            )
        ),
    ),
    "date": ({"coverage": "last_funding", "date": "1970-01-02"}, Between("funding_last_day", 1)),
    "rounds": (
        [{"coverage": "last_round", "round": "series_a"}, {"round": "Seed"}],
        Any((Term("round", "last_round|series_a"), Term("round", "any_round|seed"))),
    ),
    "names": ([{"coverage": "last_funding", "name": "venture"}], Term("round_name", "last_round|venture")),
    "investors": (["Sequoia Capital"], Words("investor", ("sequoia", "capital"))),
    "types": (["Series A"], Term("funding_type", "series a")),
}


@pytest.mark.parametrize("name", FUNDING)
def test_each_part_of_funding_is_a_filter(name):
    value, criterion = FUNDING[name]
    sides = {"include": {"funding": {name: value}}, "exclude": {"funding": {name: value}}}
    query = companies(**sides)
    assert (query.where, query.excluded) == (criterion, (criterion,))
    query = contact_query({"filters": {"companies": sides}})
    assert (query.where, query.excluded) == (EmployedBy(criterion), (EmployedBy(criterion),))


def test_parts_of_funding_are_combined_by_include_and_separate_in_exclude():
    funding = {"isIpo": True, "types": ["Seed"]}
    parts = (Term("is_ipo", "1"), Term("funding_type", "seed"))
    assert companies(include={"funding": funding}).where == All(parts)
    assert companies(exclude={"funding": funding}).excluded == parts
