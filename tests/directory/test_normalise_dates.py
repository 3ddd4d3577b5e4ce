from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.normalise.dates import normalise_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29", "2024-02-29"),
        (" 2024-03-01 ", "2024-03-01"),
        ("2024-03", "2024-03-01"),
        ("2024", "2024-01-01"),
        ("20240301", "2024-03-01"),
        ("2024-03-01T23:30:00", "2024-03-01"),
        ("2024-03-01 23:30:00", "2024-03-01"),
        ("2024-03-01T23:30:00Z", "2024-03-01"),
        ("2024-03-01T23:30:00.123-02:00", "2024-03-02"),
        ("2024-03-01T00:30:00+01:00", "2024-02-29"),
    ],
)
def test_a_day_has_one_form(text, day):
    assert normalise_date(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2023-02-29",
        "2024-13",
        "2024-00",
        "0000",
        "01/02/2024",
        "soon",
        "2024-1-1",
        "٢٠٢٤",
        "0001-01-01T00:00+14:00",
    ],
)
def test_what_is_no_day_is_none(text):
    assert normalise_date(text) is None


@given(st.dates(), st.datetimes())
def test_days_and_moments_keep_their_day(day: date, moment: datetime):
    assert normalise_date(day.isoformat()) == day.isoformat()
    assert normalise_date(moment.isoformat()) == moment.date().isoformat()
