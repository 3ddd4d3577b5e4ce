"""The collector and its script over HTTP: what counts, and that every answer is the same."""

import asyncio
import gzip
import json
from itertools import count

import httpx
import pytest

from firmograph.accounts.service import Accounts
from firmograph.api.metrics import Metrics
from firmograph.database.connection import AccountSession
from firmograph.visits.collector.service import Collector
from firmograph.visits.columns import read_columns, read_owners
from firmograph.visits.sites import Sites
from firmograph.visits.types import OwnerKind

CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
)
HASH = "ab" * 32

_numbers = count(1)


class TrackedSite:
    """Site of an account of its own, and browsers that look at it."""

    def __init__(self, service, domain=None):
        self.service = service.with_account()
        self.installation = service.installation
        self.account_id = self.installation.get(Accounts).find(self.service.account).id
        self.domain = domain or f"shop{next(_numbers)}.example.com"
        self.address = f"203.0.113.{next(_numbers)}"
        self.site = self.installation.get(Sites).track(self.account_id, self.domain, intent=["/pricing*"])

    def send(self, path="/", *, address="", headers=None, raw=None, **sent):
        """Send a page view as the script does; header values of None are left out."""
        body = {"url": f"https://{self.domain}{path}", **sent} if raw is None else raw
        given = {
            "origin": f"https://{self.domain}",
            "user-agent": CHROME,
            "content-type": "text/plain;charset=UTF-8",
            **(headers or {}),
        }
        return post(
            self.service.app,
            body if isinstance(body, bytes) else json.dumps(body).encode(),
            {name: value for name, value in given.items() if value is not None},
            address or self.address,
        )

    def columns(self):
        self.installation.get(Collector).save()
        own = AccountSession(self.installation.database.session(), self.account_id)
        return read_columns(own, [self.site.id], 0, 40_000)

    def owners(self):
        own = AccountSession(self.installation.database.session(), self.account_id)
        return [each.owner for each in read_owners(own, self.columns().owner).values()]

    @property
    def page_views(self):
        return int(self.columns().page_views.sum())


def post(app, body, headers, address):
    async def ask():
        transport = httpx.ASGITransport(app=app, client=(address, 4000))
        async with httpx.AsyncClient(transport=transport, base_url="https://firmograph.test") as client:
            client.headers.pop("user-agent")
            return await client.post("/collect/v", content=body, headers=headers)

    return asyncio.run(ask())


@pytest.fixture
def site(shared_service):
    return TrackedSite(shared_service)


def shown(service, name):
    """Return the value of a counter in /metrics."""
    service.installation.get(Collector).save()
    lines = service.installation.get(Metrics).render().decode().splitlines()
    return float(next(line.rsplit(" ", 1)[1] for line in lines if line.startswith(f"{name} ")))


def test_a_page_view_becomes_a_session(site):
    answer = site.send("/pricing")
    assert (answer.status_code, answer.content) == (204, b"")
    assert "set-cookie" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers
    columns = site.columns()
    assert (columns.page_views.tolist(), columns.intent.tolist()) == ([1], [1])


@pytest.mark.parametrize("wrong_by", [0, 3_600, -100_000])
def test_both_messages_of_a_page_view_agree_whatever_the_browsers_clock(site, wrong_by):
    now = site.installation.clock.seconds() + wrong_by
    site.send("/", time=now, age=0.05)
    site.send("/", time=now, age=0.35, durationSeconds=0.3)
    columns = site.columns()
    assert columns.page_views.tolist() == [1]
    assert abs(int(columns.started_at[0]) - site.installation.clock.seconds()) <= 30


def test_every_account_that_tracks_the_domain_gets_the_page_view(site, shared_service):
    other = TrackedSite(shared_service, site.domain)
    site.send()
    assert (site.page_views, other.page_views) == (1, 1)


def test_a_subdomain_counts_for_the_domain_that_is_tracked(site):
    site.send(headers={"origin": f"http://blog.{site.domain}:8080"}, url=f"http://blog.{site.domain}:8080/x")
    assert site.page_views == 1


def test_the_company_of_a_passed_address_has_the_confidence_of_what_anybody_can_send(site):
    site.send(emailDomain="acme.com", emailHash=HASH)
    (owner,) = site.owners()
    assert owner == (OwnerKind.DOMAIN, "acme.com", 0.6)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": None},
        {"origin": "null"},
        {"origin": "https://unknown.example.org"},
        {"origin": "https://example.com"},
        {"dnt": "1"},
        {"sec-gpc": "1"},
        {"user-agent": None},
        {"user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
    ],
)
def test_what_does_not_count_has_the_same_answer(site, headers):
    taken, ignored = site.send(), site.send("/other", headers=headers)
    for answer in (taken, ignored):
        del answer.headers["x-request-id"]
    assert (ignored.status_code, ignored.headers, ignored.content) == (204, taken.headers, b"")
    assert site.page_views == 1


@pytest.mark.parametrize(
    "url", ["https://elsewhere.example.org/", "file:///x", "about:blank", "http://[", "x"]
)
def test_a_page_of_another_host_than_the_origin_does_not_count(site, url):
    assert site.send(url=url).status_code == 204
    assert site.page_views == 0


@pytest.mark.parametrize(
    ("raw", "status", "message"),
    [
        (b"", 400, "The body is empty; send a JSON object"),
        (b"{", 400, "The body is not valid JSON"),
        (b"[]", 400, "The body must be a JSON object"),
        (b"{}", 400, "url is required"),
        (b'{"url": "https://a.example", "email": "x@y.example"}', 400, "property email should not exist"),
        (b'{"url": "https://a.example", "emailHash": "x"}', 400, "emailHash"),
        (b'{"url": "https://a.example", "durationSeconds": -1}', 400, "durationSeconds"),
        (b'{"url": "https://a.example/' + b"x" * 4_096 + b'"}', 413, "larger than 4096 bytes"),
    ],
)
def test_malformed_and_long_messages_are_refused(site, raw, status, message):
    answer = site.send(raw=raw)
    assert answer.status_code == status
    assert message in answer.json()["message"]


@pytest.mark.parametrize(
    "headers",
    [{"content-type": "application/json"}, {"content-encoding": "gzip"}, {"content-type": "text/html"}],
)
def test_only_plain_text_is_taken_as_it_needs_no_preflight(site, headers):
    raw = gzip.compress(b"{}") if "content-encoding" in headers else None
    assert site.send(raw=raw, headers=headers).status_code == 415


def test_an_address_gives_60_page_views_a_minute_to_a_site(site, shared_service):
    dropped = shown(shared_service, 'firmograph_page_views_dropped_total{limit="address"}')
    assert {site.send(f"/{number}").status_code for number in range(62)} == {204}
    assert site.page_views == 60
    assert shown(shared_service, 'firmograph_page_views_dropped_total{limit="address"}') == dropped + 2
    site.send(address="198.51.100.77")
    assert site.page_views == 61


def test_page_views_are_counted_and_ignored_ones_by_reason(site, shared_service):
    names = ["taken_total", 'ignored_total{reason="bot"}', 'ignored_total{reason="privacy"}']
    before = [shown(shared_service, f"firmograph_page_views_{name}") for name in names]
    site.send()
    site.send(headers={"user-agent": "curl/8.7.1"})
    site.send(headers={"dnt": "1"})
    assert [shown(shared_service, f"firmograph_page_views_{name}") for name in names] == [
        one + 1 for one in before
    ]


def test_own_traffic_is_left_out(site):
    site.installation.get(Sites).exclude(site.account_id, site.domain, networks=[site.address])
    site.send()
    site.send("/a", address="198.51.100.78")
    assert site.page_views == 1


def test_a_site_that_is_untracked_takes_nothing_more(site):
    site.installation.get(Sites).untrack(site.account_id, site.domain)
    assert site.send().status_code == 204
    assert site.page_views == 0


def test_the_script_is_below_two_kilobytes_and_cached(shared_service):
    answer = shared_service.client.get("/collect/v.js")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert len(answer.content) < 2_000
    assert b"//" not in answer.content
    again = shared_service.client.get("/collect/v.js", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
