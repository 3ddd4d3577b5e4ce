"""The bench of providers: its asks, and the verdicts of its tables."""

import pytest
from bench.providers import Asked, ProvidersReport, providers_tables

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
