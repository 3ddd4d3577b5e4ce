"""Pages of many documents, taken from buckets, compared with sorting all of them."""

import numpy as np
import pytest
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import to_bitmap
from firmograph.prospecting.engines.memory.documents import Documents, rank
from firmograph.prospecting.engines.memory.employment import NO_COMPANY, EmploymentIndex
from firmograph.prospecting.engines.memory.pages import capped_page, plain_page
from firmograph.prospecting.engines.query import All, Query
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

COUNT = 60_000
PAGES = [(0, 25), (10, 100), (24_000, 100), (27_900, 100), (31_000, 25)]


@pytest.fixture(scope="module")
def ranks() -> np.ndarray:
    """Return completeness in a few steps and days, so that many documents differ by their number only."""
    rng = np.random.default_rng(20_260_101)
    points, days = rng.integers(0, 12, COUNT), rng.integers(0, 30, COUNT)
    numbers = rng.permutation(COUNT) + 1
    return np.array(
        [rank(*each) for each in zip(points.tolist(), days.tolist(), numbers.tolist(), strict=True)],
        dtype=np.uint64,
    )


@pytest.fixture(scope="module")
def documents(ranks: np.ndarray) -> Documents:
    return Documents(ranks, BitMap())


@pytest.fixture(scope="module")
def employers() -> np.ndarray:
    """Return companies of very different sizes; one in five contacts has none."""
    rng = np.random.default_rng(20_260_102)
    drawn = (rng.pareto(0.7, COUNT) * 3).astype(np.uint32) % 2_000 + 1
    drawn[rng.random(COUNT) < 0.2] = NO_COMPANY
    return drawn


def found(share: float, seed: int) -> BitMap:
    return to_bitmap(np.flatnonzero(np.random.default_rng(seed).random(COUNT) < share))


def query(offset: int, size: int, most: int | None = None) -> Query:
    return Query(Entity.CONTACT, All(()), (), most, offset, size)


def in_order(ranks: np.ndarray, documents: BitMap) -> list[int]:
    return sorted(documents, key=lambda document: ranks[document])


@pytest.mark.parametrize(("offset", "size"), PAGES)
def test_a_page_of_many_documents_equals_sorting_them_all(
    documents: Documents, ranks: np.ndarray, offset: int, size: int
) -> None:
    one, other = found(0.5, 1), found(0.9, 2)

    total, page = plain_page(documents, [one, other], query(offset, size))

    ordered = in_order(ranks, one & other)
    assert (total, page.tolist()) == (len(ordered), ordered[offset : offset + size])


def test_pages_follow_each_other_without_gap_or_overlap(documents: Documents, ranks: np.ndarray) -> None:
    every = found(0.5, 3)

    pages = [
        plain_page(documents, [every], query(offset, 1_000))[1].tolist() for offset in range(0, COUNT, 1_000)
    ]

    assert [document for page in pages for document in page] == in_order(ranks, every)


@pytest.mark.parametrize("most", [1, 3, 20])
@pytest.mark.parametrize(("offset", "size"), PAGES)
def test_the_cap_admits_the_first_contacts_of_each_company_across_buckets(
    documents: Documents, ranks: np.ndarray, employers: np.ndarray, offset: int, size: int, most: int
) -> None:
    employment = EmploymentIndex(employers, np.ones(COUNT, dtype=np.bool_))
    every = found(0.5, 4)

    total, page = capped_page(documents, employment, [every], query(offset, size, most))

    counts: dict[int, int] = {}
    let = []
    for document in in_order(ranks, every):
        company = int(employers[document])
        counts[company] = counts.get(company, 0) + 1
        if company == NO_COMPANY or counts[company] <= most:
            let.append(document)
    assert (total, page.tolist()) == (len(let), let[offset : offset + size])


def test_the_contacts_of_many_companies_are_the_union_of_theirs(employers: np.ndarray) -> None:
    employment = EmploymentIndex(employers, np.ones(COUNT, dtype=np.bool_))
    employment.add(COUNT, 7)

    for companies in ({7}, {1, 7, 40}, set(range(1, 1_500))):
        expected = {number for number, one in enumerate(employers.tolist()) if one in companies} | {COUNT}
        assert set(employment.contacts_of_many(np.array(sorted(companies)))) == expected
