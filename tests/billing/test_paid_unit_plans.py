"""Query plans of the statements that read paid units: each gives the key from its beginning."""

import re

import pytest
import sqlalchemy as sa

import database_fixtures
from account_fixtures import World
from firmograph.billing import paid_unit_store
from firmograph.billing.types import Unit, UnitKind, signal_unit
from firmograph.database.connection import ACCOUNTS, AccountSession
from firmograph.signals import paid_store
from firmograph.signals.tables import signals
from firmograph.webhooks.deliveries import claim_store, result_store
from firmograph.webhooks.opt_outs import store as opt_out_store
from firmograph.webhooks.tables import deliveries

OF_RECORDS = {
    "account": 1,
    "entity": 2,
    "numbers": [1, 2],
    "types": [17, 18],
    "since": "2026-01-01",
    "until": "2026-09-21",
    "last": 9,
}
UNIT = ["record_id", "kind", "account_id", "unit"]
READS = {
    "paid data points of previews": (
        paid_unit_store._OF_RECORDS,
        {"account": 1, "kind": 1, "ids": [1, 2], "since": 0.0},
        UNIT[:3],
    ),
    "paid signals": (paid_store._paid_at, {"account": 1, "ids": [1, 2]}, UNIT),
    "signals of records": (paid_store._of_records, OF_RECORDS, UNIT),
    "newest signals of records": (paid_store._newest_of_records, OF_RECORDS | {"most": 9}, UNIT),
    "heads of queues": (claim_store._heads, {"ids": [1, 2]}, UNIT),
    "deliveries that were sent": (result_store._read_deliveries, {"ids": [1, 2]}, UNIT),
    "reveals for opt-outs": (opt_out_store._find_reveals, {"numbers": [1, 2]}, UNIT[:2]),
}


def conditions(session, statement, values):
    """Return the columns of the key by which each access to the table finds its rows."""
    text, bound = session.prepared(statement).bind(values)
    if database_fixtures.EMBEDDED:
        lines = [row[3] for row in session.raw.execute("EXPLAIN QUERY PLAN " + text, bound)]
        return [re.findall(r"(\w+)=", line) for line in lines if "paid_units" in line]
    plan = [row[0] for row in session.raw.execute("EXPLAIN " + text, bound)]
    found = []
    for line, following in zip(plan, [*plan[1:], ""], strict=True):
        if re.search(r"(Scan|Index) .*\bpaid_units", line):
            assert "Index Cond" in following, "\n".join(plan)
            found.append(
                sorted(set(re.findall(r"(account_id|kind|record_id|unit) =", following)), key=UNIT.index)
            )
    return found


def fill(database, count):
    """Write as many payments, signals and deliveries of one account, and let the server look at them."""
    with database.write(ACCOUNTS) as session:
        units = [
            unit
            for n in range(count)
            for unit in (Unit(UnitKind.CONTACT_DATA, n, "emails"), signal_unit(b"%016d" % n))
        ]
        paid_unit_store.upsert(AccountSession(session, 1), units, "r", 1.0)
        session.load(
            signals,
            [(n + 1, b"%016d" % n, 2, n % 9, 17, "2026-05-01", "", b"{}", 0.0, 0, 0) for n in range(count)],
        )
        session.load(
            deliveries,
            [(f"p{n}", 1, 1, 1, n, b"%016d" % n, 0.0) for n in range(count)],
            ("payload_id", "account_id", "subscription_id", "state", "signal_id", "identity", "made_at"),
        )
    with database.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(sa.text("ANALYZE"))


@pytest.fixture(scope="module", params=[None, 1, 3_000], ids=["unknown", "tiny", "large"])
def analysed(request, tmp_path_factory):
    """Return a database with statistics of as many rows; they may date from any number of them."""
    world = World(tmp_path_factory.mktemp("plans"))
    if request.param:
        world.caller()
        fill(world.database, request.param)
        # a connection keeps its plans
        world.reopen()
    yield world.database
    world.end()


@pytest.mark.parametrize("read", READS)
def test_a_read_of_paid_units_gives_the_key_from_its_beginning(analysed, read):
    statement, values, columns = READS[read]
    (found,) = conditions(analysed.session(), statement, values)
    assert found[: len(columns)] == columns
