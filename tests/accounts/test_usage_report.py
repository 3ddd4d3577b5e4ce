"""Reports of usage by month."""

import pytest

from firmograph.accounts.request_counts import RequestCounts
from firmograph.accounts.usage_report import UsageReports, read_month
from firmograph.billing import holds
from firmograph.billing.holds import Hold, Settlement
from firmograph.caller import Spender
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.clock import midnight
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

NOVEMBER, DECEMBER = midnight("2026-11-01"), midnight("2026-12-01")
FIRST, SECOND = Spender("fg_first"), Spender("fg_second")


@pytest.fixture
def used(world):
    """Return a world whose accounts have used something around November."""
    world.clock.advance(NOVEMBER - 0.25 - world.clock.seconds())
    acme, other = world.caller("Acme", credits=100, spender=FIRST), world.caller("Other", credits=100)
    world.caller("Idle", credits=100)
    counts = RequestCounts(world.database, world.clock)
    second = type(acme)(acme.account_id, acme.plan, "names", SECOND)

    def call(caller, number, units=(), *, is_error=False):
        world.buy(caller, [(Entity.CONTACT, number, unit) for unit in units])
        counts.count(caller, "enrich_contacts" if units else "search_contacts", is_error)

    call(acme, 1, ["emails"])
    world.clock.advance(0.25)
    call(acme, 2, ["emails"])
    call(acme, 2, ["emails"])
    call(acme, 3, is_error=True)
    world.clock.advance(86_399.75)
    call(second, 3, ["phones"])
    call(other, 3, ["phones"])
    world.clock.advance(86_400)
    with world.database.write(account_scope(acme.account_id)) as session:
        own, hold = AccountSession(session, acme.account_id), Hold("delivery", "showSignalsContact", 4)
        holds.place_holds(own, [hold], world.clock.seconds())
        world.clock.advance(DECEMBER - 1 - world.clock.seconds())
        holds.settle_holds(own, [Settlement(hold, 3)], world.clock.seconds())
    world.clock.advance(1)
    call(second, 4, ["emails"])
    counts.save()
    return world


def report(world, month="2026-11", **chosen):
    """Return the rows without the number of their account."""
    return [row[:-1] for row in UsageReports(world.database).report(read_month(month), **chosen)]


def test_a_month_has_the_requests_errors_and_credits_of_every_account_with_usage(used):
    assert report(used) == [("Acme", 4, 1, 9, ""), ("Other", 1, 0, 5, "")]
    assert report(used, "2026-10") == [("Acme", 1, 0, 1, "")]
    assert report(used, "2026-12") == [("Acme", 1, 0, 1, "")]
    assert report(used, "2027-01") == []


def test_one_account_is_reported_alone_by_name_or_id(used):
    assert report(used, account="Other") == report(used, account="2") == [("Other", 1, 0, 5, "")]
    assert report(used, account="Idle") == []
    with pytest.raises(Refused, match="No account 'Nobody'"):
        report(used, account="Nobody")


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("key", [("Acme", 0, 0, 3, ""), ("Acme", 3, 1, 1, "fg_first"), ("Acme", 1, 0, 5, "fg_second")]),
        (
            "action",
            [
                ("Acme", 3, 0, 0, "enrich_contacts"),
                ("Acme", 0, 0, 1, "revealEmail"),
                ("Acme", 0, 0, 5, "revealPhone"),
                ("Acme", 1, 1, 0, "search_contacts"),
                ("Acme", 0, 0, 3, "showSignalsContact"),
            ],
        ),
        ("day", [("Acme", 4, 1, 6, "2026-11-01"), ("Acme", 0, 0, 3, "2026-11-30")]),
    ],
)
def test_a_month_is_split_by_key_action_or_day(used, by, rows):
    assert report(used, by=by, account="Acme") == rows


def test_a_split_adds_up_to_the_ledger(used):
    charged = sum(
        entry.credits
        for account in (1, 2, 3)
        for entry in used.entries(account)
        if entry.kind in ("charge", "capture") and NOVEMBER <= entry.at < DECEMBER
    )
    for by in ("account", "key", "action", "day"):
        assert sum(row[3] for row in report(used, by=by)) == charged


@pytest.mark.parametrize(
    "text", ["", "2026", "2026-13", "2026-00", "0000-01", "november", "2026-11-01", "2026-1"]
)
def test_a_month_that_is_none_is_refused_with_an_example(text):
    with pytest.raises(Refused, match="write it as 2026-11"):
        read_month(text)
