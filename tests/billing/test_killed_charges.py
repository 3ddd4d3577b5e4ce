"""A real process that is killed during a charge, and the database that it leaves behind."""

import pytest

from firmograph.billing.paid_units import Purchase
from firmograph.database.connection import AccountSession
from firmograph.security.record_ids import Entity
from process_server import LoadedProcess

CHILD = """
import os, sys
from firmograph.accounts import tables
from firmograph.billing import ledger_store
from firmograph.caller import ApiKeyCaller
from firmograph.bootstrap.packages import load_plans
from firmograph.billing.paid_units import PaidUnits
from firmograph.kit.clock import SetClock
from firmograph.database.connection import ACCOUNTS, AccountSession, Database

url, account, moment = sys.argv[1], int(sys.argv[2]), sys.argv[3]
append = ledger_store.append_entries

def append_and_die(session, entries):
    append(session, entries)
    os._exit(9)

if moment == "after the ledger rows":
    ledger_store.append_entries = append_and_die
database = Database(url)
caller = ApiKeyCaller(account, load_plans().named("unlimited"), "names")
with database.write(ACCOUNTS) as session:
    own, units = AccountSession(session, account), [(1, 1, "emails"), (1, 1, "phones")]
    PaidUnits(SetClock()).pay(own, caller.plan, "killed", units, 1.0)
    if moment == "before the commit":
        os._exit(9)
os._exit(9)
"""

UNITS = [(Entity.CONTACT, 1, "emails"), (Entity.CONTACT, 1, "phones")]


@pytest.mark.parametrize(
    ("moment", "used", "due"),
    [("after the ledger rows", 0, 6), ("before the commit", 0, 6), ("after the commit", 6, 0)],
)
def test_a_killed_process_leaves_the_whole_charge_or_nothing(world, moment, used, due):
    caller = world.caller(credits=20)
    world.database.close()
    child = LoadedProcess(["-c", CHILD, world.url, str(caller.account_id), moment])
    assert child.wait() == 9
    world.reopen()
    assert world.balance(caller.account_id) == (20, used, 0)
    assert sum(e.credits for e in world.entries(caller.account_id) if e.request_id == "killed") == used
    with world.database.read() as session:
        paid = world.purchases.paid(AccountSession(session, caller.account_id), Entity.CONTACT, [1])
    assert paid == (set() if due else {(1, "emails"), (1, "phones")})
    expected = Purchase(due, frozenset(UNITS) if due else frozenset())
    assert world.buy(caller, UNITS) == expected
