import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.records import DIRECT_PARENT, ULTIMATE_PARENT
from firmograph.enrichment.ownership import derive_owners

pytestmark = pytest.mark.no_database


def unnamed(edges):
    """Return owners without stated roles."""
    return {company: dict.fromkeys(owners, 0) for company, owners in edges.items()}


def test_the_direct_owner_is_the_parent_that_is_no_ancestor_of_another():
    assert derive_owners(1, unnamed({1: [2, 3], 2: [3]})) == (2, 3)


def test_the_first_of_unrelated_parents_is_always_chosen():
    assert derive_owners(1, unnamed({1: [5, 3]})) == (3, 3)


def test_the_walk_ends_before_a_visited_company():
    assert derive_owners(1, unnamed({1: [2], 2: [3], 3: [2]})) == (2, 3)
    assert derive_owners(1, unnamed({1: [2], 2: [1]})) == (2, 2)


def test_stated_roles_win_over_the_walk():
    stated = {1: {5: DIRECT_PARENT, 3: ULTIMATE_PARENT}}
    assert derive_owners(1, stated) == (5, 3)
    assert derive_owners(1, stated | {5: {9: 0}, 3: {5: 0}}) == (5, 3)
    assert derive_owners(1, {1: {2: 0, 4: DIRECT_PARENT}, 2: {4: 0}}) == (4, 4)
    assert derive_owners(1, {1: {2: DIRECT_PARENT | ULTIMATE_PARENT}, 2: {3: 0}}) == (2, 2)


def test_the_walk_fills_missing_roles():
    assert derive_owners(1, {1: {2: DIRECT_PARENT}, 2: {3: 0}}) == (2, 3)
    assert derive_owners(1, {1: {3: ULTIMATE_PARENT}}) == (3, 3)
    assert derive_owners(1, {1: {2: ULTIMATE_PARENT, 7: 0}}) == (7, 2)
    # a stated ultimate owner above ends the walk, unless it leads back
    assert derive_owners(1, {1: {2: 0}, 2: {3: 0, 9: ULTIMATE_PARENT}, 3: {4: 0}}) == (2, 9)
    assert derive_owners(1, {1: {2: 0}, 2: {1: ULTIMATE_PARENT}}) == (2, 2)


edges = st.dictionaries(
    st.integers(1, 6),
    st.dictionaries(st.integers(1, 6), st.integers(0, 3), min_size=1, max_size=3),
    max_size=6,
)


@given(edges)
def test_every_owned_company_has_owners_other_than_itself(parents):
    for company, above in parents.items():
        if set(above) - {company}:
            other_owners = {
                number: {owner: role for owner, role in owners.items() if owner != number}
                for number, owners in parents.items()
            }
            owners = derive_owners(company, other_owners)
            assert company not in owners
            assert owners.direct in other_owners[company]
