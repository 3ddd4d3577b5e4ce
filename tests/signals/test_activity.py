"""What records were active in, and which of it filters ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.kit.tokens import Entity
from firmograph.signals.activity import NONE, Wanted, activity, types_of

DAYS = st.dates().map(str)
FOUND = st.tuples(
    st.sampled_from(("linkedinActivityIntent", "surgeInHiringByLocation", "riskNews")),
    st.sampled_from(("", "US", "US|CA", "|Business|Technology|")),
    DAYS,
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
def test_a_signal_is_an_activity_of_its_type_and_of_what_filters_may_ask_of_it(type, detail, names):
    assert activity([(type, detail, "2026-01-31")]) == dict.fromkeys(names, "2026-01-31")


def test_the_newest_day_of_each_activity_counts():
    found = [
        ("surgeInHiringByLocation", "US|CA", "2026-03-01"),
        ("surgeInHiringByLocation", "US", "2026-05-01"),
        ("surgeInHiringByLocation", "US|CA", "2026-04-01"),
    ]
    assert activity(found) == {
        "surgeInHiringByLocation": "2026-05-01",
        "surgeInHiringByLocation|us": "2026-05-01",
        "surgeInHiringByLocation|us|ca": "2026-04-01",
    }


@given(st.lists(FOUND, max_size=6), st.randoms())
def test_neither_order_nor_repetition_matters(found, random):
    again = [*found, *found]
    random.shuffle(again)
    assert activity(again) == activity(found)


def test_types_are_shown_once_and_in_the_documented_order():
    held = {"riskNews": "2026-01-31", "linkedinActivityIntent": "2026-01-31", "surgeInHiring": "2026-01-31"}
    wanted = [
        Wanted("riskNews", "", "2026-01-31"),
        Wanted("surgeInHiring", "", "2026-02-01"),
        Wanted("linkedinActivityIntent"),
        Wanted("linkedinActivityIntent", "business"),
        Wanted("productActivityNews"),
    ]
    assert types_of(Entity.COMPANY, held, wanted) == ["linkedinActivityIntent", "riskNews"]
    assert types_of(Entity.COMPANY, NONE, wanted) == []
