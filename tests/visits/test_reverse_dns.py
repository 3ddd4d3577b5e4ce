"""Companies of visitors by the names of their addresses, from a resolver in place of the machine's."""

import socket
import threading

import pytest

from firmograph.accounts.service import Accounts
from firmograph.database.connection import AccountSession
from firmograph.kit.clock import SetClock
from firmograph.visits.collector.service import Collector
from firmograph.visits.collector.waiting import ArrivedPageView
from firmograph.visits.columns import read_columns, read_owners
from firmograph.visits.importing import VisitImport
from firmograph.visits.networks.reverse_dns import KEPT_SECONDS, ReverseDns
from firmograph.visits.networks.service import Networks
from firmograph.visits.reading.files import recognise
from firmograph.visits.recognition import VisitorRecognition
from firmograph.visits.report import VisitReports
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.types import OwnerKind, VisitOwner
from firmograph.visits.unnamed import UnnamedPageViews

AT = 1_789_000_000.0
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
OFFICE, BRANCH, FORGED, UNKNOWN, NETWORK, HOSTED = (
    "9.20.1.1", "9.20.1.2", "9.20.1.3", "9.20.1.4", "9.20.2.1", "9.20.3.1",
)  # fmt: skip
NAMES = dict.fromkeys((OFFICE, BRANCH, FORGED, NETWORK, HOSTED, "10.1.1.1"), "gw.acme.com")
NETWORKS = """network,name,domain,type,country
9.20.2.0/24,Globex,globex.example.org,business,FR
9.20.3.0/24,Hoster,hoster.example.org,hosting,DE
"""


class Names:
    """Names at the edge of the machine."""

    def __init__(self):
        self.asked = []
        self.answers = threading.Event()
        self.answers.set()

    def name_of(self, address):
        self.asked.append(address)
        assert self.answers.wait(30)
        if address not in NAMES:
            raise socket.herror(1, "Unknown host")
        return NAMES[address], [], [address]

    def addresses_of(self, name, port, **given):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in (OFFICE, BRANCH)]


@pytest.fixture
def names(monkeypatch):
    names = Names()
    monkeypatch.setattr(socket, "gethostbyaddr", names.name_of)
    monkeypatch.setattr(socket, "getaddrinfo", names.addresses_of)
    yield names
    names.answers.set()


@pytest.fixture(scope="module")
def asking(make_shared_service, tmp_path_factory):
    """Return an application that asks for names."""
    service = make_shared_service(visit_reverse_dns=True)
    networks = tmp_path_factory.mktemp("networks") / "networks.csv"
    networks.write_text(NETWORKS)
    service.installation.get(Networks).load(networks, "table")
    return service


class Visited:
    """Site of an account of its own."""

    def __init__(self, service, domain):
        self.service = service.with_account()
        self.installation = self.service.installation
        account = self.installation.get(Accounts).find(self.service.account)
        self.site = self.installation.get(Sites).track(account.id, domain)

    def load(self, folder, addresses, unnamed=None):
        file = folder / "access.log"
        file.write_text(
            "".join(
                f'{address} - - [14/Sep/2026:09:00:00 +0000] "GET /{path} HTTP/1.1" 200 5 "-" "{BROWSER}"\n'
                for address in addresses
                for path in ("", "robots.txt")[: 1 + (address == UNKNOWN)]
            )
        )
        get = self.installation.get
        importer = VisitImport(
            self.installation.database,
            self.installation.clock,
            get(VisitorRecognition),
            get(PageViews),
            unnamed or get(UnnamedPageViews),
            self.site,
        )
        return importer.run([(file, recognise(file))], lambda *_: None, lambda _: None)

    def owners(self):
        """Return the company of each session."""
        own = AccountSession(self.installation.database.session(), self.site.account_id)
        found = read_columns(own, [self.site.id], 0, 40_000).owner.tolist()
        owners = read_owners(own, found)
        return sorted((owners[one].owner for one in found if one), key=str), found.count(0)


BY_NAME = VisitOwner(OwnerKind.REVERSE_DNS, "acme.com", 0.4)
BY_NETWORK = VisitOwner(OwnerKind.NETWORK, "globex.example.org", 0.7)


def test_an_import_asks_for_names_of_public_addresses_that_no_network_decides(asking, names, tmp_path):
    visited = Visited(asking, "one.example")
    summary = visited.load(tmp_path, [OFFICE, FORGED, UNKNOWN, NETWORK, HOSTED, "10.1.1.1"])
    assert sorted(names.asked) == [OFFICE, FORGED, UNKNOWN]
    # a name that does not have the address in turn is nobody's, and a reader of robots.txt stays a robot
    assert visited.owners() == ([BY_NETWORK, BY_NAME], 3)
    assert (summary.created, summary.sessions) == (6, 5)
    reports = asking.installation.get(VisitReports).report([visited.site], 0, 40_000)
    assert [(one.way, one.confidence, one.hidden) for one in reports if one.way == "reverse DNS"] == [
        ("reverse DNS", 0.4, False)
    ]


def test_an_import_goes_on_without_names_where_nobody_answers(asking, names, tmp_path):
    visited, clock = Visited(asking, "three.example"), asking.installation.clock
    names.answers.clear()
    silent = UnnamedPageViews(ReverseDns(clock, silence_seconds=0.05), clock)
    assert visited.load(tmp_path, [OFFICE, NETWORK], silent).created == 2
    assert visited.owners() == ([BY_NETWORK], 1)


def test_page_views_of_browsers_are_stored_before_their_addresses_have_a_name(asking, names):
    visited = Visited(asking, "four.example")
    names.answers.clear()
    collector = asking.installation.get(Collector)
    sent = ArrivedPageView(
        "https://four.example", "https://four.example/", AT, int(AT), BRANCH, BROWSER, None, None, None, None
    )
    collector.take(sent)
    collector.save()
    assert visited.owners() == ([], 1)
    names.answers.set()
    asking.installation.get(UnnamedPageViews).wait()
    collector.save()
    assert visited.owners() == ([BY_NAME], 0)


def test_answers_are_kept_for_ten_minutes(names):
    clock = SetClock()
    reverse_dns = ReverseDns(clock)
    for _ in range(2):
        reverse_dns.ask([OFFICE])
        assert reverse_dns.wait()
        reverse_dns.forget_old()
    assert names.asked == [OFFICE]
    assert reverse_dns.domain(OFFICE) == "acme.com"
    clock.advance(KEPT_SECONDS)
    reverse_dns.forget_old()
    assert reverse_dns.domain(OFFICE) is None
