"""Hiring surges (docs/reference/signals.md#hiring-surges)."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.signals.hiring.detector import Openings, detect_surges, week_before, week_end, weeks_needed
from firmograph.signals.thresholds import load_thresholds

pytestmark = pytest.mark.no_database

LIMITS = load_thresholds().hiring
LAST = date(2025, 6, 29)

TOTAL = "surgeInHiring"
DEPARTMENT = "surgeInHiringByDepartment"
LOCATION = "surgeInHiringByLocation"


def sunday(back: int) -> str:
    """Return the last day of the week that lies this many weeks before the last one."""
    return (LAST - timedelta(weeks=back)).isoformat()


def weekly_openings(
    counts, department="Sales", country=None, state=None, names=(None, None), begin=0
) -> list[Openings]:
    """Return openings by counts for each week, the last week first."""
    return [
        Openings(sunday(back), department, country, state, *names, count)
        for back, count in enumerate(counts, begin)
        if count
    ]


def find_surges(openings, weeks=range(31), first=None, limits=LIMITS):
    first = first or min((one.day for one in openings), default=sunday(0))
    return detect_surges(7, first, [sunday(back) for back in weeks], openings, limits)


def found(openings, **others) -> dict[tuple[str, str], object]:
    return {(one.type, one.detail): one.event for one in find_surges(openings, **others)}


@pytest.mark.parametrize(
    ("counts", "event"),
    [
        pytest.param([10] + [5] * 20, (10, 5, 100), id="twice the average"),
        pytest.param([9] + [5] * 20, None, id="less than twice"),
        pytest.param([5] + [2] * 20, (5, 2, 150), id="the least number"),
        pytest.param([4] + [1] * 20, None, id="too few"),
        pytest.param([7] + [3] * 8, (7, 3, 133), id="eight weeks of history"),
        pytest.param([7] + [3] * 7, None, id="seven weeks of history"),
        pytest.param([7] * 20, None, id="no change"),
        pytest.param([], None, id="nothing"),
        pytest.param([0] + [5] * 20, None, id="a decline"),
        pytest.param([8] + [0, 0, 3] * 4, (8, 1, 700), id="weeks without postings are zeros"),
        pytest.param([10] + [2] * 26 + [90] * 4, (10, 2, 400), id="no more than 26 weeks back"),
        pytest.param([10] + [0] * 26 + [2] * 4, None, id="nothing to compare with"),
    ],
)
def test_the_last_week_is_compared_with_the_average_of_the_previous_weeks(counts, event):
    signal = found(weekly_openings(counts)).get((TOTAL, ""))
    result = signal and (
        signal.new_jobs_posted_last_week,
        signal.historical_avg,
        signal.change_rate_percent,
    )
    assert result == event


@pytest.mark.parametrize(
    ("counts", "event"),
    [
        pytest.param([3, 3, 3, 3] + [2] * 8, (12, 8, 50), id="half more than a block"),
        pytest.param([3, 3, 3, 2] + [2] * 8, None, id="less than half more"),
        pytest.param([3, 3, 3, 3] + [2] * 7, None, id="less than eight weeks before"),
        pytest.param([3, 2, 2, 0] + [0] * 7 + [1], None, id="too few"),
        pytest.param([8, 0, 0, 0] + [0, 0, 0, 1] * 2, (8, 1, 700), id="in one week of the four"),
        pytest.param([3, 3, 3, 3] + [2] * 8 + [90] * 3, (12, 8, 50), id="whole blocks only"),
        pytest.param([3, 3, 3, 3] + [2] * 24 + [90] * 4, (12, 8, 50), id="six blocks back at most"),
    ],
)
def test_four_weeks_of_a_department_are_compared_with_previous_blocks_of_four(counts, event):
    signal = found(weekly_openings(counts)).get((DEPARTMENT, "Sales"))
    result = signal and (
        signal.department,
        signal.new_jobs_posted_last4_weeks,
        signal.historical_avg,
        signal.change_rate_percent,
    )
    assert result == (event and ("Sales", *event))


def test_each_department_has_its_own_history():
    openings = [*weekly_openings([5] * 4 + [1] * 20, "Sales"), *weekly_openings([1] * 4 + [5] * 20, "Legal")]
    assert [detail for type, detail in found(openings) if type == DEPARTMENT] == ["Sales"]


def test_a_location_counts_for_its_state_and_its_country():
    openings = [
        *weekly_openings([5] * 4 + [1] * 20, country="US", state="CA", names=("United States", "California")),
        *weekly_openings([1] * 4 + [5] * 20, country="US", state="NY", names=("United States", "New York")),
        *weekly_openings([5] * 4 + [1] * 20, country="DE", names=("Germany", None)),
        *weekly_openings([5] * 4 + [1] * 20),
    ]
    places = {detail: event for (type, detail), event in found(openings).items() if type == LOCATION}
    result = {detail: (event.country, event.state) for detail, event in places.items()}
    assert result == {"DE": ("Germany", None), "US|CA": ("United States", "California")}


@given(
    st.lists(
        st.tuples(
            st.integers(0, 30),
            st.sampled_from(["Sales", "Legal"]),
            st.sampled_from([(None, None), ("US", None), ("US", "CA"), ("DE", None)]),
            st.integers(1, 9),
        ),
        max_size=60,
    ),
    st.randoms(use_true_random=False),
)
def test_surges_do_not_depend_on_the_order_or_grouping_of_postings(kinds, random):
    openings = [
        Openings(sunday(back), department, *place, *place, postings)
        for back, department, place, postings in kinds
    ]
    singly = [one._replace(postings=1) for one in openings for _ in range(one.postings)]
    random.shuffle(singly)
    assert find_surges(singly) == find_surges(openings)


def test_a_gap_in_coverage_counts_neither_as_zeros_nor_as_a_rise():
    openings = weekly_openings([3] * 31)
    weeks = [0, *range(20, 31)]
    assert find_surges([one for one in openings if one.day in map(sunday, weeks)], weeks=weeks) == []


def test_weeks_before_a_gap_do_not_count_for_departments():
    openings = weekly_openings([9] * 31)
    for gap in (1, 2, 3):
        weeks = [*range(gap), *range(gap + 1, 30)]
        busy = [one for one in openings if one.day >= sunday(6)]
        assert {
            one.type for one in find_surges([*busy, *weekly_openings([1] * 24, begin=7)], weeks=weeks)
        } <= {TOTAL}
    assert find_surges(
        [*weekly_openings([9] * 4), *weekly_openings([1] * 20, begin=5)], weeks=[*range(4), *range(5, 25)]
    )


def test_postings_of_uncovered_weeks_do_not_count():
    openings = [*weekly_openings([20]), *weekly_openings([5] * 20, begin=1)]
    assert find_surges(openings, weeks=range(1, 21)) == []


def test_weeks_before_the_first_posting_are_no_history():
    assert find_surges(weekly_openings([10] + [2] * 7), weeks=range(31)) == []
    assert find_surges(weekly_openings([10] + [2] * 8), weeks=range(31))


def test_history_begins_with_the_first_posting_even_of_an_uncovered_week():
    openings = weekly_openings([10, 1] + [0] * 12)
    weeks = range(13)
    assert find_surges(openings, weeks=weeks) == []
    assert TOTAL in {type for type, _ in found(openings, weeks=weeks, first=sunday(20))}


def test_the_key_of_a_surge_is_its_week_and_department_or_location():
    names = ("United States", "California")
    signals = find_surges(weekly_openings([9] * 4 + [1] * 20, country="US", state="CA", names=names))
    assert [(one.type, one.key, one.day, one.detail, one.number) for one in signals] == [
        (TOTAL, "2025-06-29", "2025-06-29", "", 7),
        (DEPARTMENT, "2025-06-29|Sales", "2025-06-29", "Sales", 7),
        (LOCATION, "2025-06-29|US", "2025-06-29", "US", 7),
        (LOCATION, "2025-06-29|US|CA", "2025-06-29", "US|CA", 7),
    ]


def test_averages_have_two_decimals_and_rates_are_rounded():
    (signal,) = [
        one for one in find_surges(weekly_openings([7, 1, 1, 2, 1, 1, 1, 1, 1, 1])) if one.type == TOTAL
    ]
    assert (signal.event.historical_avg, signal.event.change_rate_percent) == (1.11, 530)


def test_there_are_no_surges_without_covered_weeks():
    assert find_surges(weekly_openings([10] + [1] * 20), weeks=()) == []


@pytest.mark.parametrize(
    ("day", "end"),
    [
        ("2025-06-23", "2025-06-29"),
        ("2025-06-29", "2025-06-29"),
        ("2024-12-30", "2025-01-05"),
        ("9999-12-31", "9999-12-31"),
    ],
)
def test_a_week_ends_on_its_sunday(day, end):
    assert week_end(day) == end


def test_the_week_before_ends_seven_days_earlier():
    assert week_before("2025-01-05") == "2024-12-29"
    assert week_before("0001-01-07") == "0001-01-01"


def test_weeks_needed_covers_the_whole_look_back():
    assert weeks_needed(LIMITS) == 30
