"""Visitors: their digests, salts by quarter, companies by the surest way, and own traffic."""

import hashlib
from datetime import UTC, date, datetime

import pytest

from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import AccountSession
from firmograph.kit.clock import SetClock
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.columns import read_columns
from firmograph.visits.networks.service import Networks
from firmograph.visits.recognition import UnknownVisitorError, VisitorRecognition
from firmograph.visits.salts import Salts, destroy_due
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.types import OwnerKind, RawPageView, VisitOwner
from record_factory import DIGESTS

QUARTER_END = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
AT = int(datetime(2026, 9, 20, 12, tzinfo=UTC).timestamp())
RAW = RawPageView(AT, "/pricing?plan=team#top", "10.1.2.3", "Browser")
TABLE = """network,name,domain,type,country
10.1.0.0/16,Acme Inc,acme.test,business,us
10.1.9.0/24,Cloud,cloud.test,hosting,DE
10.2.0.0/16,Provider,provider.test,isp,FR
10.3.0.0/16,Unnamed School,,education,
2001:db8::/32,Globex,globex.test,government,GB
"""


class World:
    def __init__(self, database, folder):
        self.database = database
        self.clock = SetClock(AT)
        accounts = Accounts(database, load_plans(), self.clock)
        self.account_id, self.other_id = (accounts.create(name).id for name in ("Acme", "Globex"))
        self.sites = Sites(database, self.clock, OperatorAudit())
        self.networks = Networks(database, self.clock, OperatorAudit())
        (folder / "networks.csv").write_text(TABLE)
        self.networks.load(folder / "networks.csv", "table")
        self.salts = Salts(database, self.clock)
        self.recognition = VisitorRecognition(DIGESTS, self.salts, self.networks)
        self.site = self.sites.track(
            self.account_id, "acme.test", intent=["/pricing*", "*/demo"], customers="crm"
        )

    def view(self, raw=RAW, *, from_collector=False, site=None):
        recognised = self.recognition.for_site(site or self.site, from_collector=from_collector)
        return recognised.page_view(raw)


@pytest.fixture
def world(database, tmp_path):
    return World(database, tmp_path)


def test_a_visitor_is_the_same_by_address_and_agent_on_one_site_alone(world):
    other = world.sites.track(world.account_id, "globex.test")
    one = world.view()
    assert one.visitor == world.view(RAW._replace(at=AT + 60, path="/")).visitor
    assert one.visitor != world.view(RAW._replace(agent="Other")).visitor
    assert one.visitor != world.view(RAW._replace(address="10.1.2.4")).visitor
    assert one.visitor != world.view(site=other).visitor
    next_quarter = RAW._replace(at=int(QUARTER_END))
    assert one.visitor != world.view(next_quarter).visitor


def test_a_passed_hash_is_the_key_by_which_a_person_is_suppressed(world):
    hashed = hashlib.sha256(b"jane@globex.test").hexdigest()
    named = RAW._replace(email_hash=hashed.upper(), email_domain="globex.test", customer_id="7")
    assert world.view(named).visitor == DIGESTS.contact_email_hash(hashed)
    assert (
        world.view(named._replace(email_hash="none")).visitor
        == world.view(RawPageView(AT, "/", customer_id="7")).visitor
    )
    with pytest.raises(UnknownVisitorError):
        world.view(RawPageView(AT, "/"))


def test_paths_show_intent_without_their_query(world):
    assert world.view().is_intent
    assert world.view(RAW._replace(path="/en/demo?x=1")).is_intent
    assert not world.view(RAW._replace(path="/demo/thanks")).is_intent
    assert world.view().path == world.view(RAW._replace(path="/pricing")).path


def test_the_company_is_that_of_the_surest_way(world):
    raw = RAW._replace(email_domain="www.globex.test", customer_id="7")
    assert world.view(raw).owner == VisitOwner(OwnerKind.DOMAIN, "globex.test", 1.0)
    assert world.view(raw, from_collector=True).owner == VisitOwner(OwnerKind.DOMAIN, "globex.test", 0.6)
    of_customer = VisitOwner(OwnerKind.CUSTOMER, "7", 1.0)
    assert world.view(raw._replace(email_domain="gmail.com")).owner == of_customer
    assert world.view().owner == VisitOwner(OwnerKind.NETWORK, "acme.test", 0.7)
    assert world.view().country == "US"


@pytest.mark.parametrize(
    ("address", "owner", "country"),
    [
        ("10.1.9.1", None, "DE"),
        ("10.2.0.1", None, "FR"),
        ("10.3.0.1", "Unnamed School", None),
        ("::ffff:10.1.2.3", "acme.test", "US"),
        ("2001:db8::1", "globex.test", "GB"),
        ("192.0.2.1", None, None),
        ("host.example", None, None),
    ],
)
def test_networks_name_companies_and_countries(world, address, owner, country):
    found = world.view(RAW._replace(address=address))
    assert (found.owner.key if found.owner else None, found.country) == (owner, country)


def test_own_traffic_is_left_out(world):
    site = world.sites.exclude(
        world.account_id, "acme.test", networks=["10.1.2.9/24"], email_domains=["acme.test"]
    )
    recognised = world.recognition.for_site(site)
    assert recognised.is_excluded(RAW)
    assert recognised.is_excluded(RAW._replace(address=None, email_domain="mail.acme.test"))
    assert not recognised.is_excluded(RAW._replace(address="10.1.3.1", email_domain="notacme.test"))
    site = world.sites.exclude(world.account_id, "acme.test", networks=["10.1.2.0/24"], remove=True)
    assert not world.recognition.for_site(site).is_excluded(RAW)


def test_a_salt_is_destroyed_92_days_after_its_quarter_or_first_use(world):
    assert world.view() is not None
    world.clock.advance(QUARTER_END - AT + 91 * 86_400)
    assert world.view() is not None
    early = date(2015, 5, 17)
    assert world.salts.find(early) is not None
    world.clock.advance(86_400)
    assert world.view() is None
    with world.database.write(None) as session:
        assert destroy_due(session, world.clock.seconds()) == 1
    assert Salts(world.database, world.clock).find(date(2026, 9, 20)) is None
    assert world.salts.find(early) is not None
    world.clock.advance(92 * 86_400)
    assert world.salts.find(early) is None


def test_a_recognition_goes_on_until_networks_change_or_a_quarter_is_closed(world, tmp_path):
    first = world.recognition.for_site(world.site)
    first.page_view(RAW)
    assert world.recognition.for_site(world.site, first) is first
    (tmp_path / "more.csv").write_text("network,name,type\n10.1.2.0/24,Initech,business\n")
    world.networks.load(tmp_path / "more.csv", "more")
    second = world.recognition.for_site(world.site, first)
    assert second.page_view(RAW).owner.key == "Initech"
    world.clock.advance(QUARTER_END - AT + 92 * 86_400)
    assert world.recognition.for_site(world.site, second).page_view(RAW) is None


def test_page_views_of_a_closed_quarter_are_counted(world):
    world.view()
    world.clock.advance(QUARTER_END - AT + 93 * 86_400)
    named = RAW._replace(visitor="me")
    recognised = world.recognition.for_site(world.site)
    added = PageViews(world.database).add(world.site, map(recognised.page_view, [RAW, named, named]))
    assert (added.new, added.known, added.closed) == (1, 1, 1)
    with world.database.read() as session:
        columns = read_columns(AccountSession(session, world.other_id), [world.site.id], 0, 40_000)
    assert len(columns.day) == 0
