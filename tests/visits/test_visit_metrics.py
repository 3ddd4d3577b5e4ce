"""Metrics and scores of companies, compared with a count of each session."""

from collections import Counter

import numpy as np
import pytest

from firmograph.visits.metrics import SORT_KEYS, CompanyMetrics, WindowSessions
from firmograph.visits.packing import country_number
from firmograph.visits.score import BandLimits, scores

pytestmark = pytest.mark.no_database

DAYS, UNTIL, COMPANIES = 40, 30, 60
COUNTRIES = [0, *map(country_number, ("AT", "DE", "FR"))]


def sessions(rows):
    kinds = (np.int64, np.uint64, np.int32, np.int32, np.int16, np.int16)
    columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
    return WindowSessions(*(np.array(each, kind) for each, kind in zip(columns, kinds, strict=True)))


def metrics_of(rows):
    """Return the metrics of some sessions, and of some without a company."""
    return CompanyMetrics(
        sessions([*rows, *[(COMPANIES, 7, 1, 60, 1, COUNTRIES[1])] * 5]), COMPANIES, DAYS, UNTIL
    )


def every(metrics):
    return np.arange(len(metrics.company))


@pytest.fixture(scope="module")
def rows():
    """Return some sessions of half of the companies; visitors are alike in their lower bits."""
    random = np.random.default_rng(20261128)
    return [
        (
            int(random.integers(0, COMPANIES)) // 2 * 2,
            int(random.integers(0, 9)) << 40,
            int(random.integers(0, DAYS)),
            int(random.integers(0, 2000)),
            int(random.integers(0, 3)),
            COUNTRIES[int(random.integers(0, len(COUNTRIES)))],
        )
        for _ in range(900)
    ]


def test_metrics_match_a_count_of_each_session(rows):
    metrics = metrics_of(rows)
    places = every(metrics)
    found = zip(*(metrics.of(key, places).tolist() for key in SORT_KEYS), strict=True)
    for company, (_, total, visitors, minutes, days, intent, since, last) in zip(
        metrics.company.tolist(), found, strict=True
    ):
        own = [row for row in rows if row[0] == company]
        newest = max(row[2] for row in own)
        assert total == len(own)
        assert visitors == len({row[1] for row in own})
        assert minutes == pytest.approx(sum(row[3] for row in own) / 60 / len(own), abs=0.005)
        assert days == len({row[2] for row in own})
        assert intent == sum(row[4] for row in own)
        assert (since, last) == (max(UNTIL - newest, 0), newest)
    assert metrics.company.tolist() == sorted({row[0] for row in rows})


def test_the_country_is_the_commonest_known_one_and_of_equal_ones_the_first(rows):
    metrics = metrics_of(rows)
    for company, country in zip(metrics.company, metrics.countries(every(metrics)), strict=True):
        counts = Counter(row[5] for row in rows if row[0] == company and row[5])
        assert country == min(counts, key=lambda code: (-counts[code], code))


def test_a_company_without_a_known_country_has_none():
    assert metrics_of([(3, 1, 0, 0, 0, 0)]).countries(np.array([0])).tolist() == [0]


def test_visitors_and_countries_of_some_companies_are_those_of_all(rows):
    metrics = metrics_of(rows)
    some = every(metrics)[3::4][::-1]
    assert metrics.countries(some).tolist() == metrics.countries(every(metrics))[some].tolist()
    visitors = metrics.of("uniqueVisitors", every(metrics))
    assert metrics.of("uniqueVisitors", some).tolist() == visitors[some].tolist()


def test_without_sessions_there_are_no_companies():
    metrics = metrics_of([])
    assert [len(metrics.of(key, every(metrics))) for key in SORT_KEYS] == [0] * len(SORT_KEYS)
    assert len(metrics.countries(every(metrics))) == 0


@pytest.mark.parametrize(
    ("figures", "score"),
    [
        ((20, 10.0, 5, 0), 100),
        ((500, 90.0, 80, 0), 100),
        ((20, 10.0, 5, 14), 70),
        ((20, 10.0, 5, 10_000), 41),
        ((1, 0.0, 0, 0), 11),
        ((1, 0.0, 0, 10_000), 5),
        ((6, 4.0, 1, 3), 41),
    ],
)
def test_a_score_follows_the_formula(figures, score):
    assert scores(*(np.array([each]) for each in figures)).tolist() == [score]


def test_bands_begin_at_their_limits():
    limits = BandLimits(warm=34, hot=67)
    given = [1, 33, 34, 66, 67, 100]
    assert [limits.band(score) for score in given] == ["cold", "cold", "warm", "warm", "hot", "hot"]
    assert limits.bands(np.array(given)).tolist() == [0, 0, 1, 1, 2, 2]
