"""deploy/grafana, prometheus.yml and its alerts, compared with the metrics of a running server."""

import json
import re

import httpx
import pytest
import yaml
from deployment_files import DEPLOY, PAGE

from server_fixtures import Server, free_port

pytestmark = pytest.mark.any_database

BOARD = json.loads((DEPLOY / "grafana" / "firmograph.json").read_text())
ALERTS = yaml.safe_load((DEPLOY / "prometheus-alerts.yml").read_text())
METRIC = r"\bfirmograph_\w+"


@pytest.fixture
def exported(command):
    """Return the names of all series of a server configured to count in Redis, which need not exist."""
    redis = f"redis://127.0.0.1:{free_port()}/0"
    server = Server(command, free_port(), FIRMOGRAPH_REDIS_URL=redis)
    server.wait_until_ready()
    page = httpx.get(f"{server.url}/metrics").text
    server.stop()
    names = set()
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", page, re.MULTILINE):
        names |= {name, *(f"{name}_{part}" for part in ("bucket", "count", "sum") if kind == "histogram")}
    return names


def expressions():
    for panel in BOARD["panels"]:
        for target in panel["targets"]:
            yield target["expr"]
    for group in ALERTS["groups"]:
        for rule in group["rules"]:
            yield rule["expr"]


def test_every_metric_of_the_dashboard_the_alerts_and_the_page_is_exported(exported):
    named = {name for expression in expressions() for name in re.findall(METRIC, expression)}
    assert len(named) >= 8
    assert named <= exported
    assert set(re.findall(rf"`({METRIC})", PAGE.read_text())) <= exported


def test_the_dashboard_has_the_shape_that_grafana_imports():
    assert isinstance(BOARD["schemaVersion"], int)
    assert BOARD["title"]
    assert BOARD["uid"]
    source, *_ = BOARD["templating"]["list"]
    assert (source["name"], source["type"], source["query"]) == ("datasource", "datasource", "prometheus")
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])
    for panel in BOARD["panels"]:
        assert panel["type"] in ("timeseries", "stat", "table")
        assert panel["title"]
        assert panel["targets"]
        for target in panel["targets"]:
            assert target["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
            assert target["refId"]


def test_every_variable_of_the_dashboard_is_declared():
    declared = {variable["name"] for variable in BOARD["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(BOARD["panels"])))
    assert used - {"__rate_interval"} == declared


def test_no_panel_overlaps_another():
    occupied = set()
    for panel in BOARD["panels"]:
        place = panel["gridPos"]
        across, down = range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        cells = {(x, y) for x in across for y in down}
        assert max(across) < 24
        assert not cells & occupied
        occupied |= cells


def test_every_alert_is_explained_on_the_page():
    names = [rule["alert"] for group in ALERTS["groups"] for rule in group["rules"]]
    assert len(set(names)) == len(names)
    page = PAGE.read_text()
    assert [name for name in names if f"`{name}`" not in page] == []


def test_prometheus_reads_the_servers_themselves():
    configuration = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
    (job,) = configuration["scrape_configs"]
    assert job["metrics_path"] == "/metrics"
    assert job["job_name"] in next(expression for expression in expressions() if "up{" in expression)
    assert configuration["rule_files"] == ["prometheus-alerts.yml"]
