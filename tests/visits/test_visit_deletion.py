"""Deletion of visits: of suppressed people, past the retention, of closed accounts; and salts after a restore."""

import hashlib

import pytest

from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans, registrations
from firmograph.database.connection import AccountSession
from firmograph.kit.clock import SetClock, day_of
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.declarations import Replacement
from firmograph.privacy.suppression import Suppression
from firmograph.visits.account_wiring import ACCOUNTS
from firmograph.visits.columns import read_columns, read_revisions
from firmograph.visits.deletion import delete_old_visits
from firmograph.visits.packing import visitor_number
from firmograph.visits.salts import Salts, keep_destroyed
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.types import PageView
from record_factory import DIGESTS, KEYRING, contact, load_contacts

DAY = 86_400
NOW = 20_700 * DAY
OTHER = b"somebody else..."


def person_of(address):
    return DIGESTS.contact_email_hash(hashlib.sha256(address.encode()).hexdigest())


@pytest.fixture
def site(database):
    account_id = Accounts(database, load_plans(), SetClock()).create("Acme").id
    return Sites(database, SetClock(NOW), OperatorAudit()).track(account_id, "acme.test")


def add(database, site, *views):
    given = [PageView(visitor, at, b"the path", False) for visitor, at in views]
    return PageViews(database).add(site, given)


def visitors(database, site):
    with database.read() as session:
        own = AccountSession(session, site.account_id)
        return sorted(read_columns(own, [site.id], 0, 40_000).visitor.tolist())


@pytest.mark.parametrize("is_held", [True, False])
def test_a_suppressed_person_leaves_no_page_view_and_none_comes_in(database, site, is_held):
    if is_held:
        load_contacts(database, "crm", [contact(emails=["jane+news@globex.test"])])
    person = person_of("jane@globex.test")
    add(database, site, (person, NOW), (person, NOW + DAY), (OTHER, NOW))
    data = [each for one in registrations().values() for each in one.personal_data()]
    suppression = Suppression(database, KEYRING, SetClock(), data)
    found = suppression.person(email="jane+news@globex.test")
    suppression.suppress(found)
    assert visitors(database, site) == [visitor_number(OTHER)]
    assert (
        not database.session()
        .raw.execute("SELECT 1 FROM visit_page_views WHERE visitor <> CAST('somebody else...' AS BLOB)")
        .fetchall()
        if database.embedded
        else True
    )
    assert add(database, site, (person, NOW)).suppressed == 1
    assert suppression.unsuppress(found)
    assert add(database, site, (person, NOW)).new == 1


def test_visits_past_the_retention_are_deleted(database, site):
    add(database, site, (OTHER, NOW - 2 * DAY), (OTHER, NOW - DAY), (OTHER, NOW))
    session = database.session()
    before = read_revisions(AccountSession(session, site.account_id))
    while True:
        with database.write(None) as writing:
            if not delete_old_visits(writing, NOW, 1, 1):
                break
    assert len(visitors(database, site)) == 2
    assert read_revisions(AccountSession(session, site.account_id)) != before
    assert session.raw.execute("SELECT count(*) FROM visit_page_views").fetchone()[0] == 2


def test_a_closed_account_keeps_no_site(database, site):
    add(database, site, (OTHER, NOW))
    with database.write(None) as session:
        own = AccountSession(session, site.account_id)
        while ACCOUNTS.erase(own, NOW):
            pass
    for table in ("visit_sites", "visit_page_views", "visit_sessions", "visit_owners"):
        assert database.session().raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0


def test_a_restore_brings_back_no_destroyed_salt(database, shared_database):
    clock = SetClock(NOW)
    held = Salts(shared_database, clock)
    assert held.find(day_of(NOW)) is not None
    Salts(database, clock).find(day_of(NOW))
    with database.write(None) as replaced:
        replaced.raw.execute("UPDATE visit_salts SET salt = NULL")
        with shared_database.write(None) as copy:
            keep_destroyed(Replacement(replaced, copy, same_origin=True, keyring=lambda: KEYRING))
    assert Salts(shared_database, clock).find(day_of(NOW)) is None
