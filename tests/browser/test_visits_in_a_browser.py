"""A real browser on a page with the script: from the visit to the stored sessions."""

import hashlib
import json
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count

import httpx
import pytest
import sqlalchemy as sa

from firmograph.accounts.service import Accounts
from firmograph.database.connection import AccountSession, Database
from firmograph.visits.columns import read_columns, read_owners
from firmograph.visits.packing import unpack_page_views
from firmograph.visits.sites import Sites
from firmograph.visits.tables import visit_page_views
from firmograph.visits.types import OwnerKind
from installation_factory import installation_of
from server_fixtures import Command, Server, eventually, free_port

PAGE = """<!doctype html><title>Shop</title>
<script>window.firmograph = {given};</script>
<script async src="{server}/collect/v.js"></script>
<button onclick="history.pushState(null, '', '/pricing')">Prices</button>"""

HEADLESS = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/130.0.0.0"

_PACKED = sa.select(visit_page_views.c.page_views).where(visit_page_views.c.site_id == sa.bindparam("site"))

_numbers = count(1)


@pytest.fixture(scope="module")
def server(shared_database, tmp_path_factory):
    server = Server(Command(tmp_path_factory.mktemp("server"), shared_database.url), free_port())
    server.wait_until_ready()
    yield server
    server.stop()


class Shop:
    """Website of a new account, with what was stored of its visits."""

    def __init__(self, database: Database, server: Server, serve_page, **given: str) -> None:
        self.database = database
        self.server = server
        # browsers find hosts below localhost without a look-up, and give them what they give to https
        domain = f"shop{next(_numbers)}.localhost"
        installation = installation_of(database)
        name = domain.replace(".", "-")
        accounts = installation.get(Accounts)
        self.account_id = accounts.create(name, "unlimited", 0).id
        self.key = accounts.create_key(name).api_key
        self.site = installation.get(Sites).track(self.account_id, domain, intent=["/pricing*"])
        page = PAGE.replace("{server}", server.url).replace("{given}", json.dumps(given))
        self.url = f"http://{domain}:{serve_page(page).port}"

    @property
    def session(self) -> AccountSession:
        return AccountSession(self.database.session(), self.account_id)

    @property
    def columns(self):
        return read_columns(self.session, [self.site.id], 0, 40_000)

    @property
    def owners(self):
        return [each.owner for each in read_owners(self.session, self.columns.owner).values()]

    @property
    def seconds(self) -> list[int | None]:
        """Measured time of each page view, in their order."""
        rows = self.database.session().all(_PACKED, {"site": self.site.id})
        return [one.seconds for (packed,) in rows for one in unpack_page_views(packed, b"", 0, {})]

    @property
    def companies(self) -> list[tuple[str, int, int]]:
        """Domain, sessions and visitors of each company that the query shows."""
        today = datetime.now(UTC).date()
        # a test may run past midnight
        asked = {"startDate": str(today - timedelta(1)), "endDate": str(today)}
        url = f"{self.server.url}/v3/companies/website-visits"
        answer = httpx.post(url, json=asked, headers={"api_key": self.key}).raise_for_status().json()
        return [(each["domain"], each["totalSessions"], each["uniqueVisitors"]) for each in answer["results"]]

    def has(self, page_views: int) -> bool:
        return int(self.columns.page_views.sum()) == page_views


@pytest.fixture
def make_shop(shared_database, server, serve_page):
    return lambda **given: Shop(shared_database, server, serve_page, **given)


@contextmanager
def visiting(browser, **options):
    """Open a window, with the messages that it sends to the collector."""
    context = browser.new_context(**options)
    page = context.new_page()
    sent = []
    page.on("request", lambda request: request.url.endswith("/collect/v") and sent.append(request))
    yield page, sent
    context.close()


def answered(page):
    """Wait for the answer to a message of the script."""
    return page.expect_response(lambda response: response.url.endswith("/collect/v"))


def test_pages_of_a_visit_are_one_session_without_cookies(browser, make_shop):
    shop = make_shop()
    with visiting(browser) as (page, _):
        with answered(page) as answer:
            page.goto(f"{shop.url}/")
        assert answer.value.status == 204
        with answered(page):
            page.goto(f"{shop.url}/about?name=Ada")
        assert page.context.cookies() == []
        assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    eventually(lambda: shop.has(2), "two page views")
    assert len(shop.columns.page_views) == 1


def test_pages_of_a_single_page_site_are_followed(browser, make_shop):
    shop = make_shop()
    with visiting(browser) as (page, _):
        with answered(page):
            page.goto(f"{shop.url}/")
        page.click("button")
        page.wait_for_url("**/pricing")
        page.go_back()
        page.wait_for_url(f"{shop.url}/")
        eventually(lambda: shop.columns.intent.sum() == 1 and shop.columns.page_views.sum() > 1, "both pages")


def test_the_time_that_a_page_is_looked_at_is_measured(browser, make_shop):
    shop = make_shop()
    with visiting(browser) as (page, _):
        page.clock.install()
        with answered(page):
            page.goto(f"{shop.url}/")
        # less than half of the step by which the server corrects clocks, as its own clock does not move
        page.clock.fast_forward(20_000)
        page.goto("about:blank")
        eventually(lambda: shop.seconds in ([20], [21]), "its time")


def test_a_visitor_who_has_logged_in_names_company_but_no_address(browser, make_shop):
    shop = make_shop(email="Ada@Acme.com ", customerId="c-7")
    with visiting(browser) as (page, sent), answered(page):
        page.goto(f"{shop.url}/")
    body = json.loads(sent[0].post_data)
    assert body["emailDomain"] == "acme.com"
    assert body["emailHash"] == hashlib.sha256(b"ada@acme.com").hexdigest()
    assert body["customerId"] == "c-7"
    assert "ada" not in sent[0].post_data.lower()
    eventually(
        lambda: [owner[:2] for owner in shop.owners] == [(OwnerKind.DOMAIN, "acme.com")], "its company"
    )


@pytest.mark.parametrize("signal", ["globalPrivacyControl = true", "doNotTrack = '1'"])
def test_the_script_sends_nothing_for_visitors_who_ask_not_to_be_tracked(browser, make_shop, signal):
    shop = make_shop()
    name, value = signal.split(" = ")
    with visiting(browser) as (page, sent):
        page.add_init_script(f"Object.defineProperty(navigator, '{name}', {{value: {value}}})")
        page.goto(f"{shop.url}/", wait_until="networkidle")
    assert sent == []
    assert shop.has(0)


@pytest.mark.parametrize("header", ["Sec-GPC", "DNT"])
def test_the_collector_ignores_visitors_who_ask_not_to_be_tracked(browser, make_shop, header):
    shop = make_shop()
    with visiting(browser, extra_http_headers={header: "1"}) as (page, _), answered(page) as answer:
        page.goto(f"{shop.url}/")
    assert answer.value.status == 204
    # written after it, if it were
    with visiting(browser) as (page, _), answered(page):
        page.goto(f"{shop.url}/other")
    eventually(lambda: shop.has(1), "the visit without the header alone")


def test_the_query_shows_the_company_of_a_visit_without_the_signal_alone(browser, make_shop, server):
    server.command.folder.joinpath("companies.csv").write_text("name,domain\nInitech,initech.com\n")
    assert server.command("import", "companies", "companies.csv").returncode == 0
    shop = make_shop(email="ada@initech.com")
    with visiting(browser, extra_http_headers={"Sec-GPC": "1"}) as (page, _), answered(page):
        page.goto(f"{shop.url}/")
    assert shop.companies == []
    with visiting(browser) as (page, _):
        with answered(page):
            page.goto(f"{shop.url}/pricing")
        with answered(page):
            page.goto(f"{shop.url}/about")
    eventually(lambda: shop.companies == [("initech.com", 1, 1)], "the company")


def test_a_headless_browser_by_its_own_name_is_a_bot(browser, make_shop):
    shop = make_shop()
    with visiting(browser, user_agent=HEADLESS) as (page, _), answered(page):
        page.goto(f"{shop.url}/robot")
    with visiting(browser) as (page, _), answered(page):
        page.goto(f"{shop.url}/")
    eventually(lambda: shop.has(1), "the visit of the other browser alone")
