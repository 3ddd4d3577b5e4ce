"""The bench of deliveries: its receivers and the report of its figures."""

import httpx
import pytest
from bench.deliveries_report import DeliveriesReport, FannedOut, OnSite, Paced, Sustained, deliveries_tables
from bench.receivers import receiving
from bench.report import Report
from bench.serving import QUICK

pytestmark = [pytest.mark.any_database, pytest.mark.folders("bench")]

BODY = b'{"id":"0b5f5a3e-7a54-4b5e-9c6a-0f6f3a1d2c3b","data":{}}'


def test_receivers_answer_record_arrivals_and_fall_silent_on_command():
    with receiving(3) as receivers, httpx.Client() as client:
        for url in receivers.urls:
            answered = client.post(url, content=BODY)
            assert (answered.status_code, answered.json()["webhookId"]) == (201, BODY[7:43].decode())
        assert receivers.count() == 3
        assert [body for _, body in receivers.take_arrivals()] == [BODY] * 3
        receivers.behave(silent=2)
        assert client.post(receivers.urls[1], content=BODY).is_success
        with pytest.raises(httpx.ReadTimeout):
            client.post(receivers.urls[0], content=BODY, timeout=0.2)
        assert receivers.count() == 1


def on_site(name, *, per_second, p99, p99_with_silent):
    sustained = Sustained("at once", per_second, 400.0, 5_000.0, 100.0, 0.2, 0.25)
    paced = [
        Paced("all", 500.0, 5_000, 50.0, p99, 900.0),
        Paced("a tenth", 500.0, 4_500, 60.0, p99_with_silent, 900.0),
    ]
    return OnSite(name, [sustained], paced, FannedOut(10_000.0, 1_000.0, 20_000.0, 30.0), 100 << 20)


def report_of(*sites):
    made = Report("2026-01-01", 1, 1, {"Processor": "some"}, 0.0, QUICK)
    made.deliveries = DeliveriesReport(10, 1_000, 100, 3_000, 12.0, list(sites))
    return made


def test_the_tables_name_the_databases_that_missed_an_aim():
    good = on_site("SQLite", per_second=1_200.0, p99=300.0, p99_with_silent=500.0)
    bad = on_site("PostgreSQL", per_second=900.0, p99=600.0, p99_with_silent=1_300.0)
    sustained, paced, _ = deliveries_tables(report_of(good, bad).deliveries)
    assert [row[-1] for row in sustained.rows] == ["met", "missed"]
    assert [row[-1] for row in paced.rows] == ["met", "met", "missed", "missed"]
