"""`POST /v3/companies/website-visits`: results, filters, order, pages, freshness, and whose they are."""

import json
from datetime import UTC, datetime
from itertools import count
from typing import NamedTuple

import msgspec
import pytest

from firmograph.database.connection import RECORDS
from firmograph.directory.records import Company, Location
from firmograph.ingest.merging.company_mentions import CompanyMentions
from firmograph.ingest.merging.record_deletion import RecordDeletion
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.erasing import Erasers
from firmograph.visits.search import WebsiteVisits
from firmograph.visits.service import PageViews
from firmograph.visits.shapes import WebsiteVisitsRequest
from firmograph.visits.sites import Sites
from firmograph.visits.types import OwnerKind, PageView, VisitOwner
from installation_factory import installation_of
from record_factory import DIGESTS, load_companies
from stored_records import stored_companies

PATH = "/v3/companies/website-visits"
WINDOW = {"startDate": "2026-08-01", "endDate": "2026-09-20"}
COMPANIES = [
    ("c1", Company(name="Acme Inc", domain="acme.example.com", location=Location(country="Germany"))),
    ("c2", Company(name="Globex", domain="globex.example.org")),
    ("c3", Company(name="Initech Systems", domain="initech.example.net")),
]
_domains = (f"site{number}.example" for number in count())


def seconds(text):
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def by_domain(domain, confidence=1.0):
    return VisitOwner(OwnerKind.DOMAIN, domain, confidence)


def by_customer(source_id):
    return VisitOwner(OwnerKind.CUSTOMER, source_id, 1.0)


def by_network(key):
    return VisitOwner(OwnerKind.NETWORK, key, 0.7)


ACME, GLOBEX, INITECH = (by_domain(one.domain) for _, one in COMPANIES)


def visit(owner, visitor, at, minutes=0, *, intent=0, country=None):
    """Return the page views of one session."""
    start = seconds(at)
    views = [(start + 60 * minute, False) for minute in range(0, minutes + 1, 20)]
    views += [(start + 60 * minutes, False)] if minutes % 20 else []
    views += [(start, True)] * intent
    return [
        PageView(visitor.ljust(16).encode(), second, place.to_bytes(8, "big"), wanted, None, owner, country)
        for place, (second, wanted) in enumerate(views)
    ]


def delete_company(service, name):
    database = service.database
    (number,) = (number for number, one in stored_companies(database).items() if one.name == name)
    deletion = RecordDeletion(DIGESTS, Erasers(service.installation.personal_data))
    with database.write(RECORDS) as session:
        deletion.delete_companies(session, CompanyMentions(session, [number]), [number], 0.0)


class Visited(NamedTuple):
    """Application with a new account whose sites have visits."""

    service: object
    sites: Sites

    @property
    def account_id(self):
        return self.service.accounts.find(self.service.account).id

    def track(self, *visits, **given):
        """Track a new domain with visits; return it."""
        site = self.sites.track(self.account_id, next(_domains), **given)
        self.add(site, *visits)
        return site

    def add(self, site, *visits):
        PageViews(self.service.database).add(site, [one for views in visits for one in views])

    def ask(self, **body):
        answer = self.service.post(PATH, WINDOW | body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def names(self, **body):
        return [one["name"] for one in self.ask(**body)["results"]]


@pytest.fixture(scope="module")
def shared(shared_service):
    load_companies(shared_service.database, "crm", COMPANIES)
    return shared_service


@pytest.fixture
def visited(shared):
    own = shared.with_account()
    return Visited(own, Sites(own.database, own.clock, OperatorAudit()))


@pytest.fixture(scope="module")
def three(shared):
    """Return an account with two sites and visits of three companies, which tests only read."""
    own = shared.with_account()
    made = Visited(own, Sites(own.database, own.clock, OperatorAudit()))
    made.track(
        visit(ACME, "ann", "2026-09-18T10:00", 12, intent=2, country="DE"),
        visit(ACME, "bob", "2026-09-18T12:00", 6, country="DE"),
        visit(ACME, "ann", "2026-09-20T23:59", country="FR"),
        visit(GLOBEX, "cy", "2026-09-01T08:00", 3, intent=1, country="FR"),
        visit(None, "nobody", "2026-09-01T08:00"),
    )
    made.track(
        visit(ACME, "dee", "2026-08-01T00:00", country="DE"),
        visit(INITECH, "eve", "2026-08-20T08:00"),
        visit(INITECH, "eve", "2026-07-31T23:59"),
    )
    return made


def test_companies_are_shown_with_their_preview_and_metrics(three):
    answer = three.ask()
    acme, *others = answer["results"]
    assert [one["name"] for one in others] == ["Globex", "Initech Systems"]
    search = three.service.post("/v3/companies/search", {"companies": [{"domain": "acme.example.com"}]})
    preview = search.json()["results"][0]
    assert acme == preview | {
        "score": acme["score"],
        "scoreBand": "warm",
        "totalSessions": 4,
        "uniqueVisitors": 3,
        "avgSessionMinutes": 4.5,
        "daysVisited": 3,
        "highIntentPageviews": 2,
        "daysSinceLastVisit": 0,
        "lastVisit": "2026-09-20",
        "visitorCountry": "DE",
    }
    assert "visitorCountry" not in others[1]
    assert answer["pagination"] == {"page": 0, "size": 25, "total": 3, "limit": 25, "offset": 0}
    assert answer["billing"] == {"creditsCharged": 0, "resultsReturned": 3}


def test_only_the_chosen_domains_count(three):
    first, second = (site.domain for site in three.sites.all(three.account_id))
    assert three.names(domains=[first]) == ["Acme Inc", "Globex"]
    assert three.names(domains=[second]) == ["Acme Inc", "Initech Systems"]
    assert [one["totalSessions"] for one in three.ask(domains=[first, second])["results"]] == [4, 1, 1]


def test_only_the_days_of_the_window_count(three):
    assert three.names(startDate="2026-09-01", endDate="2026-09-17") == ["Globex"]
    assert three.names(startDate="2026-07-31", endDate="2026-07-31") == ["Initech Systems"]
    (globex,) = three.ask(startDate="2026-09-01", endDate="2026-09-17")["results"]
    assert (globex["daysSinceLastVisit"], globex["lastVisit"]) == (16, "2026-09-01")


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["Acme Inc", "Globex", "Initech Systems"]),
        ({"scoreBands": ["cold"]}, ["Globex", "Initech Systems"]),
        ({"scoreBands": ["hot", "Warm"]}, ["Acme Inc"]),
        ({"score": {"max": 10}}, ["Initech Systems"]),
        ({"totalSessions": {"min": 2}}, ["Acme Inc"]),
        ({"uniqueVisitors": {"min": 1, "max": 2}}, ["Globex", "Initech Systems"]),
        ({"avgSessionMinutes": {"min": 2.5, "max": 3}}, ["Globex"]),
        ({"daysVisited": {"max": 1}}, ["Globex", "Initech Systems"]),
        ({"highIntentPageviews": {"min": 1}}, ["Acme Inc", "Globex"]),
        ({"daysSinceLastVisit": {"min": 1, "max": 19}}, ["Globex"]),
        ({"visitorCountries": {"include": ["FR", "DE"]}}, ["Acme Inc", "Globex"]),
        ({"visitorCountries": {"exclude": ["DE"]}}, ["Globex", "Initech Systems"]),
        ({"visitorCountries": {"include": ["DE", "FR"], "exclude": ["FR"]}}, ["Acme Inc"]),
        ({"visitorCountries": {}, "scoreBands": [], "score": {}}, ["Acme Inc", "Globex", "Initech Systems"]),
        ({"totalSessions": {"min": 9}}, []),
    ],
)
def test_a_company_meets_every_filter(three, filters, names):
    answer = three.ask(filters=filters)
    assert [one["name"] for one in answer["results"]] == names
    assert answer["pagination"]["total"] == len(names)


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ({"order": "asc"}, ["Initech Systems", "Globex", "Acme Inc"]),
        ({"by": "avgSessionMinutes"}, ["Acme Inc", "Globex", "Initech Systems"]),
        ({"by": "daysSinceLastVisit"}, ["Initech Systems", "Globex", "Acme Inc"]),
        ({"by": "lastVisit"}, ["Acme Inc", "Globex", "Initech Systems"]),
        ({"by": "totalSessions", "order": "asc"}, ["Globex", "Initech Systems", "Acme Inc"]),
        ({"by": "uniqueVisitors"}, ["Acme Inc", "Globex", "Initech Systems"]),
    ],
)
def test_companies_are_sorted_and_equal_ones_by_their_number(three, sort, names):
    assert three.names(sort=sort) == names


def test_pages_of_both_forms_join_to_the_whole(three):
    whole = three.names()
    assert [name for page in range(3) for name in three.names(pagination={"page": page, "size": 1})] == whole
    assert three.names(pagination={"limit": 2, "offset": 1}) == whole[1:]
    beyond = three.ask(pagination={"limit": 2, "offset": 5})
    assert (beyond["results"], beyond["pagination"]["page"]) == ([], 2)


def test_one_company_is_one_result_however_its_visitors_were_found(visited):
    visited.track(
        visit(by_domain("mail.acme.example.com"), "ann", "2026-09-01T10:00"),
        visit(by_customer("c1"), "bob", "2026-09-02T10:00"),
        visit(by_network("Acme, Inc."), "cy", "2026-09-03T10:00"),
        visit(by_network("acme.example.com"), "dee", "2026-09-04T10:00"),
        visit(by_domain("unknown.example.com"), "eve", "2026-09-04T10:00"),
        customers="crm",
    )
    (acme,) = visited.ask()["results"]
    assert (acme["name"], acme["totalSessions"], acme["uniqueVisitors"]) == ("Acme Inc", 4, 4)


def test_a_customer_is_one_of_the_current_source_of_the_site(visited):
    site = visited.track(visit(by_customer("c2"), "ann", "2026-09-01T10:00"))
    assert visited.names() == []
    visited.sites.track(visited.account_id, site.domain, customers="crm")
    assert visited.names() == ["Globex"]
    visited.sites.track(visited.account_id, site.domain, customers="other")
    assert visited.names() == []


def test_a_company_of_too_little_confidence_is_not_shown(visited):
    visited.track(
        visit(by_domain("acme.example.com", 0.29), "ann", "2026-09-01T10:00"),
        visit(by_domain("globex.example.org", 0.3), "ann", "2026-09-02T10:00"),
    )
    assert visited.names() == ["Globex"]


def test_page_views_count_as_soon_as_they_are_stored(visited):
    site = visited.track(visit(ACME, "ann", "2026-09-01T10:00"))
    assert visited.names() == ["Acme Inc"]
    visited.add(site, visit(ACME, "ann", "2026-09-02T10:00"), visit(GLOBEX, "bob", "2026-08-02T10:00"))
    assert [one["totalSessions"] for one in visited.ask()["results"]] == [2, 1]
    visited.sites.untrack(visited.account_id, site.domain)
    assert visited.names() == []


def test_a_company_is_shown_from_its_import_on(visited):
    visited.track(visit(by_domain("new.example.net"), "ann", "2026-09-01T10:00"))
    assert visited.names() == []
    load_companies(visited.service.database, "crm", [Company(name="New", domain="new.example.net")])
    assert visited.names() == ["New"]


def test_a_deleted_company_is_not_shown_from_then_on(visited):
    load_companies(visited.service.database, "crm", [Company(name="Old", domain="old.example.net")])
    visited.track(
        visit(by_domain("old.example.net"), "ann", "2026-09-01T10:00"),
        visit(GLOBEX, "bob", "2026-09-01T10:00"),
    )
    assert sorted(visited.names()) == ["Globex", "Old"]
    delete_company(visited.service, "Old")
    assert visited.names() == ["Globex"]
    assert visited.ask()["pagination"]["total"] == 1


def test_a_day_is_one_of_the_zone_of_its_site(visited):
    early = visit(ACME, "ann", "2026-09-01T02:00")
    west = visited.track(early, zone="America/New_York")
    utc = visited.track(early)
    shown = [
        visited.ask(domains=[site.domain], startDate="2026-08-31")["results"][0]["lastVisit"]
        for site in (west, utc)
    ]
    assert shown == ["2026-08-31", "2026-09-01"]
    assert visited.names(domains=[west.domain], startDate="2026-09-01") == []


def test_another_account_finds_nothing_and_learns_of_no_domain(three, visited):
    tracked = three.sites.all(three.account_id)[0]
    assert visited.ask()["results"] == []
    answer = visited.service.post(PATH, WINDOW | {"domains": [tracked.domain]})
    untracked = visited.service.post(PATH, WINDOW | {"domains": ["unknown.example"]})
    assert answer.status_code == untracked.status_code == 400
    assert answer.json()["errors"] == untracked.json()["errors"]
    own = visited.track(visit(GLOBEX, "ann", "2026-09-01T10:00"))
    both = visited.service.post(PATH, WINDOW | {"domains": [own.domain, tracked.domain]})
    assert both.json()["errors"] == [f"domains.1 must be one of: {own.domain}"]
    assert visited.names() == ["Globex"]


def test_nothing_is_charged(three):
    three.ask()
    usage = three.service.get("/v3/account/usage").json()
    assert usage["credits"]["used"] == 0


def found_with(three, body, **settings):
    """Return what an installation with other settings finds for the account."""
    service = three.service
    visits = installation_of(service.database, service.clock, **settings).get(WebsiteVisits)
    request = msgspec.convert(WINDOW | body, WebsiteVisitsRequest)
    caller = service.accounts.operator(service.account, "names")
    return [
        [json.loads(one) for one in visits.find(caller, request, service.clock.seconds()).results]
        for _ in range(2)
    ]


def test_answers_are_the_same_without_room_for_a_cache(three):
    assert found_with(three, {}, visit_cache_bytes=1) == [three.ask()["results"]] * 2


def test_limits_of_bands_are_settings(three):
    cold = {"filters": {"scoreBands": ["cold"]}}
    (found, _) = found_with(three, cold, visit_warm_score=90, visit_hot_score=91)
    assert [one["scoreBand"] for one in found] == ["cold"] * 3


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"startDate": None}, "startDate"),
        ({"endDate": "2026-09-20T00:00:00Z"}, "endDate"),
        ({"domains": []}, "domains"),
        ({"pagination": {"size": 151}}, "pagination.size"),
        ({"pagination": {"limit": 0}}, "pagination.limit"),
        ({"pagination": {"offset": 100_001}}, "pagination.offset"),
        ({"filters": {"score": {"min": 0}}}, "filters.score.min"),
        ({"filters": {"totalSessions": {"min": 1.5}}}, "filters.totalSessions.min"),
        ({"filters": {"scoreBands": ["mild"]}}, "filters.scoreBands.0"),
        ({"filters": {"visitors": {}}}, "filters"),
        ({"sort": {"by": "name"}}, "sort.by"),
    ],
)
def test_a_wrong_request_is_refused_with_its_path(three, body, path):
    answer = three.service.post(PATH, WINDOW | body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0].startswith(path)
