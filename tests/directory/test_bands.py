import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.bands import parse_revenue, parse_size
from firmograph.directory.records import Count, Revenue
from firmograph.directory.vocabulary import REVENUE_BANDS, TOP_SIZE_MAX

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("given_size", "exact", "low", "high"),
    [
        (51, 51, 51, 200),
        (12.0, 12, 11, 50),
        ("1,250", 1250, 1001, 5000),
        ("~300 employees", 300, 201, 500),
        (2_100_000, 2_100_000, 100_001, TOP_SIZE_MAX),
        ("51-200", None, 51, 200),
        ("51 – 200 employees", None, 51, 200),
        ("11 to 50", None, 11, 50),
        ("1k-5k", None, 1000, 5000),
        ("1-5k", None, 1000, 5000),
        ("10,001+", None, 10_001, TOP_SIZE_MAX),
        ("more than 500", None, 500, TOP_SIZE_MAX),
        ("<50", None, 1, 50),
        ("Fewer than 10", None, 1, 10),
        ("51-200 Mitarbeiter", None, 51, 200),
        ("0-1", None, 1, 1),
        ("Self-employed", 1, 1, 10),
        ({"min": 51, "max": 200}, None, 51, 200),
        ({"min": "5001"}, None, 5001, TOP_SIZE_MAX),
        ({"exact": 70, "min": 1, "max": 10}, 70, 51, 200),
        (Count(min=11, max=50), None, 11, 50),
    ],
)
def test_a_size_is_read_from_any_usual_form(given_size, exact, low, high):
    assert parse_size(given_size) == Count(exact=exact, min=low, max=high)


@pytest.mark.parametrize(
    "nothing", [None, "", "medium", 0, -5, True, float("nan"), {}, "200-51", 10**9, "n/a", [5]]
)
def test_an_invalid_size_gives_none(nothing):
    assert parse_size(nothing) is None


@given(st.integers(1, TOP_SIZE_MAX))
def test_an_exact_size_lies_in_its_band(exact):
    count = parse_size(exact)
    assert count.exact == exact
    assert count.min <= exact <= count.max


@pytest.mark.parametrize(
    ("given_revenue", "low", "high"),
    [
        (12_000_000, 10_000_001, 50_000_000),
        ("$12M", 10_000_001, 50_000_000),
        ("USD 1,500,000", 1_000_001, 5_000_000),
        ("$10M-$50M", 10_000_000, 50_000_000),
        ("10-50M", 10_000_000, 50_000_000),
        ("$1 billion to $10 billion", 1e9, 1e10),
        ("1B+", 1e9, None),
        ("$1 mil. - $5 mil.", 1_000_000, 5_000_000),
        ("$500 mil. - $1 bil.", 5e8, 1e9),
        ("Over $5 bil.", 5e9, None),
        ("<$1M", 1, 1_000_000),
        ("$1.5bn", 1_000_000_001, 1e10),
        (3e11, 100_000_000_001, None),
        ({"min": 1, "max": 1_000_000}, 1, 1_000_000),
        (Revenue(min=5.0, max=None), 5, None),
    ],
)
def test_a_revenue_is_read_from_any_usual_form(given_revenue, low, high):
    assert parse_revenue(given_revenue) == Revenue(min=low, max=high)


@pytest.mark.parametrize("nothing", [None, "", "€10M", "unknown", 0, -1, False, {}, {"min": 9, "max": 3}])
def test_an_invalid_revenue_or_one_in_another_currency_gives_none(nothing):
    assert parse_revenue(nothing) is None


@given(st.floats(1, 1e13))
def test_a_revenue_figure_lies_in_a_band_of_the_catalogue(figure):
    band = parse_revenue(figure)
    assert (band.min, band.max) in REVENUE_BANDS
    assert figure <= (band.max or figure)


@given(st.text(max_size=40))
def test_no_text_raises_an_error(text):
    parse_size(text)
    parse_revenue(text)
