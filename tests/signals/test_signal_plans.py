"""Query plans of PostgreSQL for signals of records."""

import pytest

from firmograph.database.connection import Database
from firmograph.security.record_ids import Entity
from firmograph.signals import paid_store, store
from firmograph.signals.activity import store as activity_store

OF_RECORDS = {
    "entity": int(Entity.COMPANY),
    "numbers": [1, 2, 3],
    "since": "2026-01-01",
    "until": "2026-09-21",
}
PAID = OF_RECORDS | {"account": 1, "types": [11, 12, 13], "last": paid_store.NO_LIMIT}


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("statement", "values"),
    [
        (paid_store._of_records, PAID),
        (paid_store._newest_of_records, PAID | {"most": 9}),
        (activity_store._newest, OF_RECORDS),
        (store._newest, OF_RECORDS),
        (store._of_records, OF_RECORDS),
    ],
)
def test_a_plan_made_for_an_empty_table_uses_the_index_by_record(database: Database, statement, values):
    """A connection keeps its plans while imports fill the table."""
    session = database.session()
    text, bound = session.prepared(statement).bind(values)
    plan = "".join(row[0] for row in session.raw.execute("EXPLAIN " + text, bound).fetchall())
    assert "Index Cond: ((entity_id = ANY (" in plan
