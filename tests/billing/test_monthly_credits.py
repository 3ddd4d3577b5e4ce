from datetime import UTC, datetime

import msgspec
import pytest

from firmograph.accounts.worker_wiring import renewal_job
from firmograph.billing import holds, ledger
from firmograph.billing.holds import Hold
from firmograph.billing.plans import Plans
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.clock import iso
from firmograph.kit.errors import PaymentRequired

JANUARY_31 = datetime(2027, 1, 31, 15, 30, tzinfo=UTC).timestamp()
"""Time at which the accounts of these tests get their plan."""


def move_to(world, year: int, month: int, day: int, hour: int = 0) -> None:
    world.clock.advance(datetime(year, month, day, hour, tzinfo=UTC).timestamp() - world.clock.seconds())


def run_scheduler(world, plans: Plans | None = None) -> int:
    """Run the job of renewals as a worker does, and return the number of its parts."""
    job, now, parts = renewal_job(plans or world.plans), world.clock.seconds(), 0
    while True:
        part = job.next_part(world.database.session(), now)
        with world.database.write(*part.scopes) as session:
            if not part.do(session, now):
                return parts
        parts += 1


def spend(world, caller, credits: int) -> None:
    with world.database.write(account_scope(caller.account_id)) as session:
        ledger.charge(
            AccountSession(session, caller.account_id),
            caller.plan,
            {"revealEmail": credits},
            f"request {credits}",
            world.clock.seconds(),
        )


def rows(world, caller) -> list[tuple[str, str, int, int]]:
    """Return kind, day, credits and balance of the account's ledger rows."""
    return [
        (entry.kind, iso(entry.at)[:16], entry.credits, entry.balance)
        for entry in world.entries(caller.account_id)
    ]


@pytest.fixture
def january(monthly):
    monthly.clock.advance(JANUARY_31 - monthly.clock.seconds())
    return monthly


def test_a_new_account_receives_the_credits_of_its_plan_at_once(january):
    caller = january.caller(plan="expiring", credits=5)
    assert rows(january, caller) == [
        ("renewal", "2027-01-31T15:30", 100, 100),
        ("grant", "2027-01-31T15:30", 5, 105),
    ]
    assert run_scheduler(january) == 0


def test_unused_credits_expire_as_the_next_month_is_paid_on_the_last_day_of_a_short_month(january):
    caller = january.caller(plan="expiring", credits=5)
    spend(january, caller, 30)
    move_to(january, 2027, 2, 27, 23)
    assert run_scheduler(january) == 0
    move_to(january, 2027, 2, 28)
    assert run_scheduler(january) == 1
    assert rows(january, caller)[3:] == [
        ("expiry", "2027-02-28T00:00", 70, 5),
        ("renewal", "2027-02-28T00:00", 100, 105),
    ]
    assert january.accounts.find("Acme").renews_at == datetime(2027, 3, 31, tzinfo=UTC).timestamp()
    assert january.balance(caller.account_id) == (135, 30, 0)


def test_unused_credits_stay_where_the_plan_says_so(january):
    caller = january.caller(plan="staying")
    spend(january, caller, 30)
    move_to(january, 2027, 2, 28)
    run_scheduler(january)
    assert rows(january, caller)[2:] == [("renewal", "2027-02-28T00:00", 100, 170)]


@pytest.mark.parametrize(
    ("plan", "starts"),
    [("expiring", ["2027-04-30"]), ("staying", ["2027-02-28", "2027-03-31", "2027-04-30"])],
)
def test_missed_months_are_paid_each_where_credits_stay_and_else_the_last(january, plan, starts):
    caller = january.caller(plan=plan)
    move_to(january, 2027, 5, 2)
    assert run_scheduler(january) == 1
    paid = [day[:10] for kind, day, _, _ in rows(january, caller) if kind == "renewal"]
    assert paid == ["2027-01-31", *starts]


def test_a_call_that_would_lack_credits_pays_the_month_that_is_due_itself(january):
    caller = january.caller(plan="expiring")
    spend(january, caller, 90)
    move_to(january, 2027, 2, 28)
    spend(january, caller, 60)
    assert [row[0] for row in rows(january, caller)] == ["renewal", "charge", "expiry", "renewal", "charge"]
    assert january.balance(caller.account_id).remaining == 40
    assert run_scheduler(january) == 0


@pytest.mark.parametrize("change", ["another plan", "closed"])
def test_a_call_that_was_admitted_before_its_plan_ended_pays_no_month(january, change):
    caller = january.caller(plan="expiring")
    if change == "closed":
        january.accounts.close("Acme")
    else:
        january.accounts.set_plan("Acme", "free")
    with pytest.raises(PaymentRequired, match="needs 1 and 0 remain"):
        spend(january, caller, 1)
    assert [row[0] for row in rows(january, caller)] == ["renewal", "expiry"]


def test_a_call_that_lacks_credits_within_the_month_is_refused(january):
    caller = january.caller(plan="expiring")
    with pytest.raises(PaymentRequired, match="needs 101 and 100 remain"):
        spend(january, caller, 101)
    assert [row[0] for row in rows(january, caller)] == ["renewal"]


def test_held_credits_count_as_used_when_a_month_ends(january):
    caller = january.caller(plan="expiring", credits=50)
    with january.database.write(account_scope(caller.account_id)) as session:
        holds.place_holds(AccountSession(session, caller.account_id), [Hold("delivery", "x", 40)], 0.0)
    move_to(january, 2027, 2, 28)
    run_scheduler(january)
    assert rows(january, caller)[3:] == [
        ("expiry", "2027-02-28T00:00", 60, 50),
        ("renewal", "2027-02-28T00:00", 100, 150),
    ]


def test_another_plan_ends_the_month_at_once_and_begins_its_own(january):
    caller = january.caller(plan="expiring")
    spend(january, caller, 30)
    move_to(january, 2027, 2, 10, 9)
    account = january.accounts.set_plan("Acme", "staying")
    assert rows(january, caller)[2:] == [
        ("expiry", "2027-02-10T09:00", 70, 0),
        ("renewal", "2027-02-10T09:00", 100, 100),
    ]
    assert iso(account.renews_at) == "2027-03-10T00:00:00.000Z"
    assert january.accounts.set_plan("Acme", "free").renews_at is None
    assert january.balance(caller.account_id).remaining == 100


def test_the_same_plan_again_is_not_paid_again(january):
    caller = january.caller(plan="expiring")
    january.clock.advance(60)
    january.accounts.set_plan("Acme", "expiring")
    assert [row[0] for row in rows(january, caller)] == ["renewal"]


def test_months_that_begin_while_the_account_is_disabled_are_not_paid(january):
    caller = january.caller(plan="staying")
    january.accounts.set_active("Acme", False)
    move_to(january, 2027, 4, 2)
    assert run_scheduler(january) == 0
    account = january.accounts.set_active("Acme", True)
    assert iso(account.renews_at) == "2027-04-30T00:00:00.000Z"
    assert [row[0] for row in rows(january, caller)] == ["renewal"]


def test_months_that_ended_before_the_account_was_disabled_are_paid(january):
    caller = january.caller(plan="staying")
    move_to(january, 2027, 3, 1)
    january.accounts.set_active("Acme", False)
    assert [row[0] for row in rows(january, caller)] == ["renewal", "renewal"]


def test_an_account_whose_plan_gets_monthly_credits_later_is_paid_from_then_on(january):
    caller = january.caller(plan="free")
    free = january.plans.named("free")
    changed = msgspec.structs.replace(free, credits_per_month=7)
    assert run_scheduler(january) == 0
    assert run_scheduler(january, Plans({"free": changed})) == 1
    assert rows(january, caller) == [("renewal", "2027-01-31T15:30", 7, 7)]


def test_an_account_whose_plan_is_not_configured_keeps_what_it_has(january):
    caller = january.caller(plan="expiring")
    move_to(january, 2027, 4, 2)
    assert run_scheduler(january, Plans({})) == 0
    assert january.balance(caller.account_id).remaining == 100


def test_the_month_of_a_plan_that_lost_its_credits_still_ends(january):
    caller = january.caller(plan="expiring")
    plan = january.plans.named("expiring")
    without = msgspec.structs.replace(plan, credits_per_month=0)
    move_to(january, 2027, 4, 2)
    assert run_scheduler(january, Plans({"expiring": without})) == 1
    assert rows(january, caller)[1:] == [("expiry", "2027-02-28T00:00", 100, 0)]
    assert january.accounts.find("Acme").renews_at is None


def test_the_credits_of_an_account_stay_within_the_exact_numbers_of_json(january):
    caller = january.caller(plan="staying", credits=ledger.MAX_CREDITS - 150)
    move_to(january, 2027, 2, 28)
    assert run_scheduler(january) == 1
    assert rows(january, caller)[-1][2] == 50
    assert january.balance(caller.account_id).granted == ledger.MAX_CREDITS
