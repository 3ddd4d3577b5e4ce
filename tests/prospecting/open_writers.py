"""Connections that write to the change sequence and end whenever they are told to, and a reader that follows."""

import psycopg
import sqlalchemy as sa

from firmograph.database.connection import Database
from firmograph.directory.tables import changes
from firmograph.prospecting.indexing import store

_put = sa.insert(changes).values(entity=1, entity_id=sa.bindparam("number"))


class Writer:
    """One open connection."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self.session = self._database.session()
        self.open = False

    def begin(self) -> None:
        if not self.open:
            self.session.begin_write([])
            self.open = True

    def put(self, number: int) -> None:
        self.begin()
        self.session.execute(_put, {"number": number})

    def commit(self) -> None:
        self.session.commit()
        self.open = False

    def roll_back(self) -> None:
        self.session.rollback()
        self.open = False

    def close(self) -> None:
        self._database.close()


class PlainWriter(Writer):
    """The same from a program that knows nothing of announcements."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._raw = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)

    def begin(self) -> None:
        if not self.open:
            self._raw.execute("BEGIN")
            self.open = True

    def put(self, number: int) -> None:
        self.begin()
        self._raw.execute(f"INSERT INTO changes (entity, entity_id) VALUES (1, {number})")

    def commit(self) -> None:
        self._raw.execute("COMMIT")
        self.open = False

    def roll_back(self) -> None:
        self._raw.execute("ROLLBACK")
        self.open = False

    def close(self) -> None:
        self._raw.close()
        super().close()


class Reader:
    """Follows as indexes do: what is settled is asked first, and read no further."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._place = 0
        self.seen: list[int] = []

    def read(self, most: int = 1_000) -> None:
        until = store.settled(self._database.session())
        with self._database.read() as session:
            changed = store.changed_since(session, self._place, most, until)
        self._place = changed.sequence
        self.seen += changed.contacts
