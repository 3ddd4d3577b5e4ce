"""A table for tests of sessions, and statements over it."""

import sqlalchemy as sa

from firmograph.database.connection import RECORDS, Database

_things = sa.table("things", sa.column("id", sa.BigInteger), sa.column("name", sa.Text))
put = sa.insert(_things).values(id=sa.bindparam("id"), name=sa.bindparam("name"))
named = sa.select(_things.c.id).where(_things.c.name == sa.bindparam("name"))
some = sa.select(_things.c.id).where(
    _things.c.id.in_(sa.bindparam("ids", expanding=True)), _things.c.name != sa.bindparam("other")
)
few = sa.select(_things.c.id).where(
    _things.c.id >= sa.bindparam("least"),
    _things.c.name.in_(sa.bindparam("names", expanding=True)),
    _things.c.id <= sa.bindparam("most"),
)
of_account = sa.select(_things.c.name).where(
    _things.c.id == sa.bindparam("account"), _things.c.name.in_(sa.bindparam("names", expanding=True))
)
renamed = sa.update(_things).where(_things.c.id == sa.bindparam("account")).values(name=sa.bindparam("name"))
owned = sa.Table(
    "owned",
    sa.MetaData(),
    sa.Column("id", sa.BigInteger, primary_key=True),
    sa.Column("account_id", sa.BigInteger),
    sa.Column("text", sa.Text),
)
first = sa.select(_things.c.name).order_by(_things.c.id).limit(1)
count = sa.select(sa.func.count()).select_from(_things)


def things(database: Database) -> None:
    """Create the table with a hundred rows: (1, "n1") to (100, "n100")."""
    database.session().raw.execute("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT)")
    with database.write(RECORDS) as session:
        session.many(put, [(n, f"n{n}") for n in range(1, 101)])
    owned.create(database.engine)
