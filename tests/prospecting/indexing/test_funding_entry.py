import pytest

from firmograph.directory.money import dollars
from firmograph.directory.records import Funding, FundingRound
from firmograph.prospecting.engines import fields
from firmograph.prospecting.indexing.funding_entry import (
    displayed_day_number,
    funding_figures,
    funding_kind,
    funding_terms,
    round_value,
)

pytestmark = pytest.mark.no_database


def terms(funding, field):
    return {value for name, value in funding_terms(funding) if name == field}


def figures(funding, field):
    return [low for name, low, high in funding_figures(funding) if name == field and low == high]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("Pre-Seed", "pre_seed"),
        ("preseed round", "pre_seed"),
        ("Seed", "seed"),
        ("Seed Extension", "seed"),
        ("Series A", "series_a"),
        ("series_b", "series_b"),
        ("Series C-1", "series_c"),
        ("Series D2", "series_d"),
        ("SERIES H", "series_h"),
        ("Series J", "other"),
        ("Series", "other"),
        ("Grant", "other"),
    ],
)
def test_rounds_are_recognised_in_the_spellings_of_rows(named, expected):
    assert round_value(named) == expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("Angel Round", "angel"),
        ("Venture - Series Unknown", "venture"),
        ("Series B", "venture"),
        ("Private Equity", "private_equity"),
        ("Equity Crowdfunding", "crowdfunding"),
        ("grant", "grant"),
        ("debt_financing", "debt_financing"),
        ("Venture Debt", "debt_financing"),
        ("Convertible Note", "debt_financing"),
        ("Corporate Round", "other"),
    ],
)
def test_kinds_of_money_are_recognised_in_the_spellings_of_rows(named, expected):
    assert funding_kind(named) == expected


THREE = Funding(
    rounds=[
        FundingRound("USD", 3e6, "Series A", "Jun 1, 2020", "Venture", ["Example Capital"]),
        FundingRound("EUR", 1e6, "Seed", "Jan 15, 2018", None, ["Sample Partners", "Example Capital"]),
        FundingRound("USD", 1e5, "Grant", None, None),
    ],
    is_ipo=True,
)


def test_every_round_counts_and_the_last_is_that_of_the_latest_day():
    assert terms(THREE, fields.ROUND) == {
        "any_round|series_a",
        "any_round|seed",
        "any_round|other",
        "last_round|series_a",
    }
    assert terms(THREE, fields.ROUND_NAME) == {"any_round|venture", "any_round|grant", "last_round|venture"}
    assert terms(THREE, fields.FUNDING_TYPE) == {"series a", "seed", "grant"}
    assert terms(THREE, fields.INVESTOR) == {"Example Capital", "Sample Partners"}
    assert terms(THREE, fields.IS_IPO) == {"1"}
    assert figures(THREE, fields.FUNDING_LAST) == [3e6]
    assert figures(THREE, fields.FUNDING_LAST_DAY) == [displayed_day_number("Jun 1, 2020")]


def test_the_summary_takes_precedence_over_the_rounds():
    funding = Funding(
        rounds=[FundingRound("USD", 3e6, "Series A", "Jun 1, 2020")],
        last_round_type="Series B",
        last_round_amount=9e6,
        last_round_date="Feb 3, 2023",
    )
    assert terms(funding, fields.ROUND) == {"any_round|series_a", "last_round|series_b"}
    assert figures(funding, fields.FUNDING_LAST) == [9e6]
    assert figures(funding, fields.FUNDING_LAST_DAY) == [displayed_day_number("Feb 3, 2023")]


def test_a_summary_alone_stands_for_one_round():
    funding = Funding(last_round_type="Seed", last_round_amount=5e5)
    assert terms(funding, fields.ROUND) == {"any_round|seed", "last_round|seed"}
    assert figures(funding, fields.FUNDING_ANY) == figures(funding, fields.FUNDING_LAST) == [5e5]


def test_none_of_several_rounds_without_a_day_is_the_last():
    funding = Funding(rounds=[FundingRound(round_type="Seed"), FundingRound(round_type="Series A")])
    assert terms(funding, fields.ROUND) == {"any_round|seed", "any_round|series_a"}


def test_a_total_is_summed_only_from_all_rounds():
    known = [FundingRound(round_amount=1e6), FundingRound(round_amount=2e6)]
    assert figures(Funding(rounds=known), fields.FUNDING_TOTAL) == [3e6]
    assert figures(Funding(rounds=known, total_rounds=3), fields.FUNDING_TOTAL) == []
    assert figures(Funding(rounds=[*known, FundingRound(round_type="Seed")]), fields.FUNDING_TOTAL) == []
    assert figures(Funding(rounds=known, total_rounds_amount=7e6), fields.FUNDING_TOTAL) == [7e6]


def test_empty_funding_has_no_terms():
    assert funding_terms(Funding()) == []
    assert funding_figures(Funding()) == []


def test_amounts_compare_in_dollars():
    assert dollars(100, "USD") == dollars(100, None) == 100
    assert 1.2e6 < dollars(1e6, "GBP") < 1.4e6
    assert 5e3 < dollars(1e6, "JPY") < 8e3
    assert dollars(1e6, "XXX") is None
    assert figures(Funding(total_rounds_amount=1e6, currency="XXX"), fields.FUNDING_TOTAL) == []


@pytest.mark.parametrize(
    ("text", "expected"), [("Jan 1, 1970", 0), ("Dec 31, 1969", -1), ("Feb 30, 2020", None), (None, None)]
)
def test_days_are_read_in_the_forms_of_records(text, expected):
    assert displayed_day_number(text) == expected
