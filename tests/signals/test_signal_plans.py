"""How PostgreSQL reads signals: by the numbers of records, whatever it knows of the table when it plans."""

import pytest

from firmograph.database.connection import Database
from firmograph.security.record_ids import Entity
from firmograph.signals import activity_store, paid_store, store

OF_RECORDS = {
    "entity": int(Entity.COMPANY),
    "numbers": [1, 2, 3],
    "since": "2026-01-01",
    "until": "2026-09-21",
}
PAID = OF_RECORDS | {"account": 1, "types": [11, 12, 13], "last": paid_store.EVERY}


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("statement", "asked"),
    [
        (paid_store._of_records, PAID),
        (paid_store._newest_of_records, PAID | {"most": 9}),
        (activity_store._newest, OF_RECORDS),
        (store._newest, OF_RECORDS),
        (store._of_records, OF_RECORDS),
    ],
)
def test_a_plan_made_while_there_are_none_finds_those_of_records_by_number(
    database: Database, statement, asked
):
    """A server keeps its plans for as long as a connection lives, and imports fill the table meanwhile."""
    session = database.session()
    text, values = session.prepared(statement).bind(asked)
    plan = "".join(row[0] for row in session.raw.execute("EXPLAIN " + text, values).fetchall())
    assert "Index Cond: ((entity_id = ANY (" in plan
