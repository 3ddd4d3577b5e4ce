"""Sessions: a pure function of page views, for every order, portion and repetition of them."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import AccountSession
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.columns import read_columns, read_owners
from firmograph.visits.packing import country_number, visitor_number
from firmograph.visits.service import PageViews
from firmograph.visits.sessions import ROBOTS_MARK, sessions
from firmograph.visits.sites import Sites
from firmograph.visits.types import OwnerKind, PageView, VisitOwner

DAY = 86_400
START = 20_000 * DAY
OWNERS = [
    None,
    VisitOwner(OwnerKind.NETWORK, "acme.test", 0.7),
    VisitOwner(OwnerKind.DOMAIN, "globex.test", 0.6),
    VisitOwner(OwnerKind.DOMAIN, "globex.test", 1.0),
]
_gaps = st.sampled_from([0, 1, 900, 1_799, 1_800, 1_801, 20_000, DAY - 1, DAY, 3 * DAY])
_domains = (f"site{number}.test" for number in count())


@st.composite
def page_views(draw):
    """Page views of few visitors, often at the same second or around midnight, also stated twice."""
    found = []
    for visitor in draw(st.sets(st.sampled_from([b"a" * 16, b"b" * 16]), min_size=1)):
        at = START + draw(st.sampled_from([0, 100, DAY - 100, DAY - 1_900]))
        for gap in draw(st.lists(_gaps, max_size=12)):
            at += gap
            found += draw(
                st.lists(
                    st.builds(
                        PageView,
                        st.just(visitor),
                        st.just(at),
                        st.sampled_from([b"path-one", b"path-two"] * 3 + [ROBOTS_MARK]),
                        st.booleans(),
                        st.none() | st.integers(0, 60),
                        st.sampled_from(OWNERS),
                        st.sampled_from([None, "DE", "US"]),
                    ),
                    min_size=1,
                    max_size=2,
                )
            )
    return found


@pytest.fixture(scope="module")
def sites(shared_database):
    return Sites(shared_database, SetClock(), OperatorAudit())


@pytest.fixture(scope="module")
def account_ids(shared_database):
    accounts = Accounts(shared_database, load_plans(), SetClock())
    return [accounts.create(name).id for name in ("Acme", "Globex")]


def stored_sessions(database, account_id, site_id):
    """Return the stored sessions, with their owners."""
    with database.read() as session:
        own = AccountSession(session, account_id)
        columns = read_columns(own, [site_id], 0, 40_000)
        owners = read_owners(own, columns.owner)
    return [
        (*row, owners[owner].owner if owner else None)
        for owner, *row in zip(
            columns.owner.tolist(),
            *(
                getattr(columns, name).tolist()
                for name in ("visitor", "started_at", "day", "seconds", "page_views", "intent", "country")
            ),
            strict=True,
        )
    ]


def expected_sessions(views):
    rows = [
        (
            visitor_number(one.visitor),
            one.started_at,
            one.started_at // DAY,
            one.seconds,
            one.page_views,
            one.intent_page_views,
            country_number(one.country),
            one.owner,
        )
        for one in sessions(views)
    ]
    return sorted(rows, key=lambda row: (row[1], row[0]))


@settings(max_examples=examples(60))
@given(views=page_views(), random=st.randoms(use_true_random=False), parts=st.integers(1, 5))
def test_sessions_are_the_same_for_every_order_portion_and_repetition(
    shared_database, sites, account_ids, views, random, parts
):
    site = sites.track(account_ids[0], next(_domains))
    adder = PageViews(shared_database)
    given_views = views + random.sample(views, random.randint(0, len(views)))
    random.shuffle(given_views)
    counts = [adder.add(site, given_views[part::parts]) for part in range(parts)]
    counted = [(one.visitor, one.at, one.path) for one in given_views if one.path != ROBOTS_MARK]
    assert sum(each.new for each in counts) == len(set(counted))
    assert sum(each.known for each in counts) == len(counted) - len(set(counted))
    assert sum(each.sessions for each in counts) == len(expected_sessions(views))
    assert stored_sessions(shared_database, account_ids[0], site.id) == expected_sessions(views)
    assert stored_sessions(shared_database, account_ids[1], site.id) == []


@given(views=page_views(), random=st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_order_and_repetition_change_no_session(views, random):
    again = [*views, *views]
    random.shuffle(again)
    assert sessions(again) == sessions(views)


def test_a_day_with_robots_txt_or_over_300_page_views_in_an_hour_has_no_session():
    def found(*seconds, mark=None):
        marks = [] if mark is None else [PageView(b"v" * 16, START + mark, ROBOTS_MARK, False)]
        views = [PageView(b"v" * 16, START + at, b"path-one", False) for at in seconds]
        return [(one.started_at - START, one.page_views) for one in sessions([*marks, *views])]

    assert found(10, DAY - 10, DAY + 10, mark=500) == [(DAY + 10, 1)]
    assert found(*range(301), DAY) == [(DAY, 1)]
    assert found(*range(300), 3_600) == [(0, 300), (3_600, 1)]


def test_a_session_has_at_most_a_thousand_page_views_and_a_day():
    visitor = b"v" * 16
    quick = [PageView(visitor, START + n * 13, b"path-one", False) for n in range(2_500)]
    assert [one.page_views for one in sessions(quick)] == [1_000, 1_000, 500]
    steady = [PageView(visitor, START + n * 1_000, b"path-one", True) for n in range(100)]
    assert [(one.page_views, one.seconds) for one in sessions(steady)] == [(87, 86_000), (13, 12_000)]


def test_a_break_of_half_an_hour_ends_a_session():
    views = [PageView(b"v" * 16, START + at, b"path-one", False) for at in (0, 1_799, 3_599)]
    assert [(one.started_at - START, one.seconds) for one in sessions(views)] == [(0, 1_799), (3_599, 0)]


def test_a_site_that_is_untracked_leaves_nothing(shared_database, sites, account_ids):
    site = sites.track(account_ids[0], next(_domains))
    views = [PageView(bytes([n]) * 16, START + n, b"path-one", False, None, OWNERS[1]) for n in range(9)]
    PageViews(shared_database).add(site, views)
    assert sites.untrack(account_ids[0], site.domain) == 9
    session = shared_database.session()
    for table in ("visit_page_views", "visit_sessions", "visit_owners"):
        assert not session.raw.execute(f"SELECT * FROM {table} WHERE site_id = {site.id}").fetchall()
    with pytest.raises(Refused, match="is not tracked any more"):
        PageViews(shared_database).add(site, views)


def test_days_are_those_of_the_zone(shared_database, sites, account_ids):
    site = sites.track(account_ids[0], next(_domains), zone="America/New_York")
    late = PageView(b"v" * 16, START + 3 * 3_600, b"path-one", False)
    PageViews(shared_database).add(site, [late])
    with shared_database.read() as session:
        own = AccountSession(session, account_ids[0])
        assert read_columns(own, [site.id], 19_999, 19_999).day.tolist() == [19_999]
        assert len(read_columns(own, [site.id], 20_000, 20_000).day) == 0


def test_the_site_of_a_host_is_the_longest_tracked_domain_of_each_account(sites, account_ids):
    one, other = account_ids
    above, below = sites.track(one, "longest.test"), sites.track(other, "shop.longest.test")
    nearest = sites.track(one, "eu.shop.longest.test")
    assert sites.of_host(one, "a.shop.longest.test") == above
    assert sites.of_host(other, "longest.test") is None
    found = sites.of_host_in_every_account("www.eu.shop.longest.test")
    assert sorted(found) == sorted([nearest, below])


def test_sites_of_other_accounts_are_not_found(sites, account_ids):
    sites.track(account_ids[0], "secret.test")
    with pytest.raises(Refused, match="not tracked") as refused:
        sites.find(account_ids[1], "secret.test")
    assert "secret.test," not in str(refused.value)
