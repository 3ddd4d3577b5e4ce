"""Commands `visits` and `networks`, and the undo of an import of visits."""

import json

import pytest
from typer.testing import CliRunner

from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.cli.main import app
from firmograph.database.connection import Database
from firmograph.ingest.imports.runs import ImportRuns
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.types import OwnerKind, PageView, VisitOwner

pytestmark = pytest.mark.any_database

AT = 20_000 * 86_400


@pytest.fixture
def database(database_url, monkeypatch):
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)
    database = Database(database_url)
    Accounts(database, load_plans(), SetClock()).create("Acme")
    yield database
    database.close()


def run(*line):
    return CliRunner().invoke(app, [*line], catch_exceptions=False)


def run_visits(*line):
    return run("visits", *line, "--account", "Acme")


def test_a_site_is_tracked_changed_listed_and_untracked(database):
    run_visits("track", "www.acme.com", "--intent", "/pricing*", "--zone", "Europe/Berlin")
    run_visits("track", "acme.com", "--customers", "crm")
    run_visits("exclude", "acme.com", "--network", "192.0.2.7", "--email-domain", "acme.com")
    (site,) = json.loads(run_visits("list", "--json").stdout)
    del site["trackedAt"]
    assert site == {
        "domain": "acme.com",
        "intent": ["/pricing*"],
        "customers": "crm",
        "zone": "Europe/Berlin",
        "excludedNetworks": ["192.0.2.7/32"],
        "excludedEmailDomains": ["acme.com"],
    }
    cleared = run_visits("track", "acme.com", "--customers", "", "--intent", "", "--zone", "", "--json")
    site = json.loads(cleared.stdout)
    assert (site["customers"], site["intent"], site["zone"]) == (None, [], "UTC")
    assert run_visits("untrack", "acme.com", "--yes").stdout.startswith("acme.com is not tracked any more")
    assert json.loads(run_visits("list", "--json").stdout) == []


def test_the_report_shows_confidence_and_what_is_hidden(database):
    sites = Sites(database, SetClock(), OperatorAudit())
    site = sites.track(1, "acme.com")
    owners = [
        VisitOwner(OwnerKind.DOMAIN, "globex.test", 1.0),
        VisitOwner(OwnerKind.REVERSE_DNS, "initech.test", 0.2),
        None,
    ]
    views = [
        PageView(bytes([n]) * 16, AT, b"the path", n == 0, owner=owner) for n, owner in enumerate(owners)
    ]
    PageViews(database).add(site, views)
    ways = json.loads(run_visits("report", "--json").stdout)["ways"]
    shown = [(one["way"], one["confidence"], one["sessions"], one["hidden"]) for one in ways]
    assert shown == [
        ("passed domain", 1.0, 1, False),
        ("reverse DNS", 0.2, 1, True),
        ("none", None, 1, True),
    ]
    result = run_visits("report", "acme.com", "--since", "2024-10-04", "--until", "2024-10-04")
    assert "2 of 3 sessions are in no answer" in result.stderr
    assert json.loads(run_visits("report", "--since", "2024-10-05", "--json").stdout)["ways"] == []


def test_the_report_shows_for_how_long_pages_were_looked_at(database):
    site = Sites(database, SetClock(), OperatorAudit()).track(1, "acme.com")
    views = [
        PageView(bytes([number]) * 16, AT + 40 * 86_400 * number, b"the path", number == 2, seconds)
        for number, seconds in enumerate((10, 20, 90, None))
    ]
    PageViews(database).add(site, views)
    report = run_visits("report")
    assert "looked at for 20 s or longer, of high intent for 90 s: known of 3 page views" in report.stderr
    shown = json.loads(run_visits("report", "--until", "2024-12-01", "--json").stdout)["lookedAt"]
    assert shown == {
        "pageViews": 2,
        "medianSeconds": 15.0,
        "highIntentPageviews": 0,
        "highIntentMedianSeconds": None,
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("track", "localhost"), "is not a domain"),
        (("track", "acme.com", "--intent", "pricing"), "it begins with / or"),
        (("track", "acme.com", "--zone", "Berlin"), "the nearest are Europe/Berlin"),
        (("exclude", "acme.com", "--network", "1.2.3"), "is not a network"),
        (("untrack", "acme.com", "--yes"), "is not tracked"),
    ],
)
def test_what_is_invalid_is_refused(database, line, message):
    with pytest.raises(Refused, match=message):
        run_visits(*line)


def test_networks_are_loaded_listed_and_removed(database, tmp_path):
    (tmp_path / "own.csv").write_text("network,domain,type\n192.0.2.0/24,acme.test,business\nnone,,\n")
    loaded = run("networks", "load", str(tmp_path / "own.csv"))
    assert (loaded.exit_code, loaded.stdout) == (3, "1 networks of 'own', 1 of which name a company\n")
    assert "line 3: no network" in loaded.stderr
    (source,) = json.loads(run("networks", "list", "--json").stdout)
    assert (source["source"], source["networks"]) == ("own", 1)
    with pytest.raises(Refused, match="loaded are own"):
        run("networks", "remove", "maxmind")
    run("networks", "remove", "own")
    assert json.loads(run("networks", "list", "--json").stdout) == []


def test_an_import_of_visits_is_not_taken_back(database):
    runs = ImportRuns(database, SetClock())
    imported = runs.begin("visits", "acme.com", [])
    with pytest.raises(Refused, match="visits untrack"):
        run("import", "undo", str(imported.number))
