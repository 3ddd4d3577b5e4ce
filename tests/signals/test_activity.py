"""Activity of records and its filters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.security.record_ids import Entity
from firmograph.signals.activity.record_activity import (
    NO_ACTIVITY,
    DatedSignal,
    RequestedSignal,
    derive_activity,
    matching_types,
)

pytestmark = pytest.mark.no_database

DAYS = st.dates().map(str)
FOUND = st.builds(
    DatedSignal,
    st.sampled_from(("linkedinActivityIntent", "surgeInHiringByLocation", "riskNews")),
    st.sampled_from(("", "US", "US|CA", "|Business|Technology|")),
    DAYS,
    st.integers(0, 1),
)


@pytest.mark.parametrize(
    ("type", "detail", "names"),
    [
        ("promotion", "", {"promotion"}),
        ("riskNews", "Security Issue", {"riskNews"}),
        ("surgeInHiringByDepartment", "Sales", {"surgeInHiringByDepartment", "surgeInHiringByDepartment|sales"}),
        ("surgeInHiringByLocation", "US", {"surgeInHiringByLocation", "surgeInHiringByLocation|us"}),
        (
            "surgeInHiringByLocation",
            "FR|75",
            {"surgeInHiringByLocation", "surgeInHiringByLocation|fr", "surgeInHiringByLocation|fr|75"},
        ),
        (
            "linkedinActivityIntent",
            "|Business|Human Resources|",
            {
                "linkedinActivityIntent",
                "linkedinActivityIntent|business",
                "linkedinActivityIntent|human resources",
            },
        ),
    ],
)  # fmt: skip
def test_a_signal_is_an_activity_of_its_type_and_of_its_filter_values(type, detail, names):
    assert derive_activity([DatedSignal(type, detail, "2026-01-31")]) == dict.fromkeys(names, ("2026-01-31",))


def test_the_newest_day_of_each_activity_counts():
    found = [
        DatedSignal("surgeInHiringByLocation", "US|CA", "2026-03-01"),
        DatedSignal("surgeInHiringByLocation", "US", "2026-05-01"),
        DatedSignal("surgeInHiringByLocation", "US|CA", "2026-04-01"),
    ]
    assert derive_activity(found) == {
        "surgeInHiringByLocation": ("2026-05-01",),
        "surgeInHiringByLocation|us": ("2026-05-01",),
        "surgeInHiringByLocation|us|ca": ("2026-04-01",),
    }


@pytest.mark.parametrize(
    ("found", "days"),
    [
        ([("2026-05-01", 0), ("2026-05-02", 1)], ("2026-05-02", "2026-05-01")),
        ([("2026-05-02", 1), ("2026-05-03", 1)], ("2026-05-03", "2026-05-02")),
        ([("2026-05-01", 0), ("2026-05-02", 1), ("2026-05-02", 0)], ("2026-05-02",)),
        ([("2026-05-02", 1)], ("2026-05-02",)),
    ],
)
def test_the_day_before_a_future_day_counts_too(found, days):
    signals = [DatedSignal("riskNews", "Security Issue", day, ahead) for day, ahead in found]
    assert derive_activity(signals) == {"riskNews": days}


@pytest.mark.parametrize(
    ("since", "until", "active"),
    [
        ("2026-05-02", "2026-05-01", False),
        ("2026-05-01", "2026-05-01", True),
        ("2026-05-02", "2026-05-02", True),
        ("2026-05-03", "2026-05-03", False),
    ],
)
def test_a_future_day_counts_from_that_day_on(since, until, active):
    stored = {"riskNews": ("2026-05-02", "2026-05-01")}
    found = matching_types(Entity.COMPANY, stored, [RequestedSignal("riskNews", "", since, until)])
    assert found == (["riskNews"] if active else [])


@given(st.data(), st.lists(FOUND, max_size=6))
def test_activity_does_not_depend_on_order_or_repetition(data, found):
    again = data.draw(st.permutations([*found, *found]))
    assert derive_activity(again) == derive_activity(found)


def test_types_are_returned_once_and_in_the_documented_order():
    stored = dict.fromkeys(("riskNews", "linkedinActivityIntent", "surgeInHiring"), ("2026-01-31",))
    filters = [
        RequestedSignal("riskNews", "", "2026-01-31"),
        RequestedSignal("surgeInHiring", "", "2026-02-01"),
        RequestedSignal("linkedinActivityIntent"),
        RequestedSignal("linkedinActivityIntent", "business"),
        RequestedSignal("productActivityNews"),
    ]
    assert matching_types(Entity.COMPANY, stored, filters) == ["linkedinActivityIntent", "riskNews"]
    assert matching_types(Entity.COMPANY, NO_ACTIVITY, filters) == []
