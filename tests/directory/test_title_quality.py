"""Lower bounds of the measured quality; see `evaluation/titles/README.md`."""

import hashlib

import pytest
from evaluation.titles.measure import LEADERS, derive, read_rows

pytestmark = pytest.mark.no_database


@pytest.fixture(scope="module")
def rows():
    return read_rows()


def test_the_halves_are_fixed_by_a_hash_of_the_title(rows):
    for row in rows:
        digest = hashlib.sha256(f"titles 1 {row['title'].casefold()}".encode()).digest()
        assert row["split"] == ("tune" if int.from_bytes(digest[:8], "big") % 2 else "test")


def test_the_second_draw_has_no_title_of_the_first(rows):
    first = {row["title"].casefold() for row in rows}
    assert not first & {row["title"].casefold() for row in read_rows("second_draw.csv")}


def test_titles_keep_their_quality_on_those_they_were_tuned_on(rows):
    titles = derive([row for row in rows if row["split"] == "tune"])
    assert sum(one.seniority_is_right for one in titles) >= 0.97 * len(titles)
    assert sum(one.department_is_right for one in titles) >= 0.91 * len(titles)
    leaders = [one for one in titles if one.row["seniority"] in LEADERS]
    assert sum(one.seniority in LEADERS for one in leaders) >= 0.97 * len(leaders)
