from hypothesis import given
from hypothesis import strategies as st

from firmograph.enrichment.ownership import owners_of


def test_the_direct_owner_is_the_parent_that_is_no_ancestor_of_another():
    assert owners_of(1, {1: [2, 3], 2: [3]}) == (2, 3)


def test_of_unrelated_parents_the_first_is_taken_always():
    assert owners_of(1, {1: [5, 3]}) == (3, 3)


def test_the_walk_ends_before_a_company_that_was_met():
    assert owners_of(1, {1: [2], 2: [3], 3: [2]}) == (2, 3)
    assert owners_of(1, {1: [2], 2: [1]}) == (2, 2)


edges = st.dictionaries(st.integers(1, 6), st.lists(st.integers(1, 6), min_size=1, max_size=3), max_size=6)


@given(edges)
def test_every_owned_company_has_owners_other_than_itself(parents):
    for company, above in parents.items():
        if set(above) - {company}:
            held = {number: [p for p in owners if p != number] for number, owners in parents.items()}
            held = {number: owners for number, owners in held.items() if owners}
            owners = owners_of(company, held)
            assert company not in owners
            assert owners.direct in held[company]
