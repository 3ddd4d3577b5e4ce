"""The benches of providers and the waterfall: the verdicts of their tables."""

import pytest
from bench.providers import Asked, ProvidersReport, providers_tables
from bench.rounds import Compared, Speed
from bench.waterfall_report import Waits, WaterfallReport, waterfall_tables

pytestmark = [pytest.mark.any_database, pytest.mark.folders("bench")]


def asked(per_second, p99):
    return Asked("some", per_second, 250.0, 50.0, p99)


def test_the_tables_name_the_figures_that_missed_an_aim():
    report = ProvidersReport(
        1.0, [asked(600.0, 70.0), asked(400.0, 70.0)], [asked(500.0, 60.0), asked(450.0, 130.0)]
    )
    sustained, paced = providers_tables(report)
    assert [row[-1] for row in sustained.rows] == ["met", "missed"]
    assert [row[-1] for row in paced.rows] == ["", "missed"]


def test_the_tables_of_the_waterfall_name_the_figures_that_missed_an_aim():
    speeds = [Speed("with", 100.0, 1.0), Speed("without", 130.0, 1.0)]
    report = WaterfallReport(
        10,
        0.05,
        Compared("with a provider", speeds, 0.77, 0.8),
        Compared("without", speeds, 1.0, 1.0),
        1_000,
        450.0,
        300.0,
        Waits("100 contacts", 5, 0.4, 0.9),
        [Waits("all answer", 100, 0.1, 0.2), Waits("a tenth hangs", 100, 0.1, 0.5)],
    )
    nothing, worker, waiting = waterfall_tables(report)
    assert [row[-1] for row in nothing.rows] == ["missed", "met"]
    assert worker.rows[0][3] == "missed"
    assert [row[-1] for row in waiting.rows] == ["met", "", "missed"]
