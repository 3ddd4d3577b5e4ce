"""Imports of page views, from raw files to the answer of the query."""

import gzip
import json
import socket
from datetime import UTC, datetime
from itertools import count

import pytest

from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import AccountSession, Database
from firmograph.directory.records import Company
from firmograph.kit.clock import SystemClock
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.columns import read_columns
from firmograph.visits.importing import VisitImport
from firmograph.visits.networks.service import Networks
from firmograph.visits.reading.files import recognise
from firmograph.visits.recognition import VisitorRecognition
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.unnamed import UnnamedPageViews
from record_factory import load_companies

PATH = "/v3/companies/website-visits"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
NETWORKS = """network,name,domain,type,country
10.1.0.0/16,Acme Inc,acme.example.com,business,DE
10.2.0.0/16,Globex,globex.example.org,business,FR
10.3.0.0/16,Provider,provider.test,isp,FR
"""
_domains = (f"logged{number}.example" for number in count())


def line(address, at, path="/", *, agent=BROWSER, status=200):
    moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
    return (
        f'{address} - - [{moment:%d/%b/%Y:%H:%M:%S} +0000] "GET {path} HTTP/1.1" {status} 5 "-" "{agent}"\n'
    )


MONDAY = [
    line("10.1.0.5", "2026-09-14T09:00:00", "/pricing"),
    line("10.1.0.5", "2026-09-14T09:00:00", "/style.css"),
    line("10.1.0.5", "2026-09-14T09:10:00", "/contact"),
    line("10.1.0.5", "2026-09-14T23:50:00"),
    line("10.2.0.9", "2026-09-14T12:00:00", "/pricing", agent="Googlebot/2.1"),
    line("10.2.0.9", "2026-09-14T13:00:00", "/blog"),
    # a robot with the agent of a browser, as it reads robots.txt in the evening
    *(line("10.2.7.7", f"2026-09-14T0{hour}:00:00", f"/{hour}") for hour in range(6)),
    # a robot by the number of its page views
    *(line("10.2.8.8", f"2026-09-14T10:{at // 60:02}:{at % 60:02}", f"/{at}") for at in range(301)),
    line("10.2.7.7", "2026-09-14T22:00:00", "/robots.txt"),
]
TUESDAY = [
    line("10.1.0.5", "2026-09-15T00:05:00", "/pricing"),
    line("10.2.7.7", "2026-09-15T08:00:00", "/pricing"),
    line("10.3.0.1", "2026-09-15T08:00:00", "/pricing"),
    "not a line\n",
]


@pytest.fixture(scope="module")
def shared(shared_service, tmp_path_factory):
    load_companies(
        shared_service.database,
        "crm",
        [
            ("c1", Company(name="Acme Inc", domain="acme.example.com")),
            ("c2", Company(name="Globex", domain="globex.example.org")),
        ],
    )
    table = tmp_path_factory.mktemp("networks") / "networks.csv"
    table.write_text(NETWORKS)
    Networks(shared_service.database, shared_service.clock, OperatorAudit()).load(table, "made-up")
    return shared_service


class Visited:
    """A new account that tracks a domain."""

    def __init__(self, service, folder):
        self.service = service.with_account()
        self.installation = self.service.installation
        self.folder = folder
        account = self.service.accounts.find(self.service.account)
        self.site = self.installation.get(Sites).track(account.id, next(_domains), intent=["/pricing"])

    def load(self, *files):
        """Import files of these lines together; return the summary and the rejects."""
        paths = []
        for number, lines in enumerate(files):
            paths.append(self.folder / f"{number}.log")
            paths[-1].write_text("".join(lines))
        installation, rejects = self.installation, []
        importer = VisitImport(
            installation.database,
            installation.clock,
            installation.get(VisitorRecognition),
            installation.get(PageViews),
            installation.get(UnnamedPageViews),
            self.site,
        )
        recognised = [(path, recognise(path)) for path in paths]
        return importer.run(recognised, lambda file, reject: rejects.append(reject), lambda _: None), rejects

    def results(self):
        answer = self.service.post(PATH, {"startDate": "2026-09-14", "endDate": "2026-09-16"})
        assert answer.status_code == 200, answer.text
        return answer.json()["results"]

    def sessions(self):
        own = AccountSession(self.service.database.session(), self.site.account_id)
        found = read_columns(own, [self.site.id], 20_000, 30_000)
        return sorted(
            zip(found.started_at.tolist(), found.page_views.tolist(), found.intent.tolist(), strict=True)
        )


@pytest.fixture
def make_visited(shared, tmp_path):
    return lambda: Visited(shared, tmp_path)


def at(text):
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def test_nobody_is_asked_for_names_of_addresses_by_default(make_visited, monkeypatch):
    asked = []
    monkeypatch.setattr(socket, "gethostbyaddr", asked.append)
    make_visited().load([line("9.20.1.1", "2026-09-14T09:00:00")])
    assert asked == []


def test_a_log_gives_the_same_sessions_and_answer_in_either_order_and_twice(make_visited):
    ordered, turned = make_visited(), make_visited()
    ordered.load(MONDAY, TUESDAY)
    turned.load(TUESDAY)
    turned.load(MONDAY[::-1])
    assert turned.load(MONDAY, TUESDAY)[0].created == 0

    assert ordered.sessions() == turned.sessions()
    assert ordered.sessions() == [
        (at("2026-09-14T09:00"), 2, 1),
        (at("2026-09-14T13:00"), 1, 0),
        (at("2026-09-14T23:50"), 2, 1),
        # the robots of Monday are people on Tuesday
        (at("2026-09-15T08:00"), 1, 1),
        (at("2026-09-15T08:00"), 1, 1),
    ]
    assert ordered.results() == turned.results()
    assert {one["domain"] for one in ordered.results()} == {"acme.example.com", "globex.example.org"}


def test_the_summary_counts_what_became_of_each_line(make_visited):
    summary, rejects = make_visited().load(MONDAY, TUESDAY)
    read = summary.json_fields()
    parts = ("pageViews", "known", "bots", "assets", "otherRequests", "rejected")
    assert sum(read[part] for part in parts) == read["read"] == len(MONDAY) + len(TUESDAY)
    assert [read[part] for part in parts] == [314, 0, 2, 1, 0, 1]
    assert (read["visitors"], read["sessions"]) == (5, 5)
    assert [(one.line, one.reason) for one in rejects] == [(4, "it is not in combined format")]


def test_own_traffic_is_left_out_and_counted(make_visited):
    visited = make_visited()
    visited.site = visited.installation.get(Sites).exclude(
        visited.site.account_id, visited.site.domain, networks=["10.1.0.0/16"]
    )
    summary, _ = visited.load(MONDAY[:4])
    assert (summary.own_traffic, summary.created, summary.lines.assets) == (3, 0, 1)


def test_page_views_of_json_lines_meet_those_of_the_log(make_visited):
    visited = make_visited()
    visited.load(MONDAY[:1])
    same = {"time": at("2026-09-14T09:00"), "url": "/pricing", "ip": "10.1.0.5", "userAgent": BROWSER}
    nobody = {"time": same["time"], "url": "/"}
    summary, rejects = visited.load([json.dumps(one) + "\n" for one in (same, nobody)])
    assert (summary.unchanged, summary.created) == (1, 0)
    assert [(one.line, one.reason) for one in rejects] == [
        (2, "it has no emailHash, customerId, visitor or valid ip")
    ]


@pytest.fixture
def tracked(in_process, database_url) -> InProcess:
    """Return the command line on a database whose account Acme tracks acme.test."""
    database = Database(database_url)
    account = Accounts(database, load_plans(), SystemClock()).create("Acme")
    Sites(database, SystemClock(), OperatorAudit()).track(account.id, "acme.test")
    database.close()
    return in_process


def command(tracked, *arguments):
    return tracked("import", "visits", "--account", "Acme", "--domain", "acme.test", *arguments)


def test_the_command_prints_counts_in_words_and_keeps_neither_address_nor_content_of_lines(tracked, tmp_path):
    lines = [line("10.1.0.5", "2025-09-14T09:00:00", "/secret-path"), "10.1.0.5 garbage\n"]
    (tmp_path / "access.log.gz").write_bytes(gzip.compress("".join(lines).encode()))
    done = command(tracked, "access.log.gz")
    assert done.returncode == 3
    assert "page views, new\t1\n" in done.stdout
    assert "lines not read\t1\n" in done.stdout
    rejects = tmp_path / "access.log.gz.rejects.jsonl"
    assert json.loads(rejects.read_text()) == {"line": 2, "reason": "it is not in combined format"}
    rejects.unlink()
    (tmp_path / "access.log.gz").unlink()
    for path in tmp_path.iterdir():
        for text in (b"10.1.0.5", b"secret-path", b"Firefox", b"garbage"):
            assert text not in path.read_bytes()


def test_an_import_of_visits_is_listed_and_not_taken_back(tracked, tmp_path):
    (tmp_path / "access.log").write_text(line("10.1.0.5", "2025-09-14T09:00:00"))
    assert json.loads(command(tracked, "access.log", "--json").stdout)["pageViews"] == 1
    (one,) = json.loads(tracked("import", "list", "--json").stdout)
    assert (one["kind"], one["source"], one["created"], one["state"]) == ("visits", "acme.test", 1, "done")
    undone = tracked("import", "undo", "1")
    assert "firmograph visits untrack" in undone.stderr
