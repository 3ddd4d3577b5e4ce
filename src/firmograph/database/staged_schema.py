"""Staged schema of a server's database, filled by a restore.

Advisory locks and announced changes are of the whole database, so sessions of a staged schema take no lock of a scope
and
announce nothing: charges, imports and indexes of the live schema go on.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Final

import sqlalchemy as sa

from firmograph.database import postgresql
from firmograph.database.connection import Database, Session
from firmograph.database.copies import STAGED_NAME, staging
from firmograph.database.session import Scope
from firmograph.kit.errors import Refused

_WAIT_SECONDS: Final = 5.0
"""Time for the server to notice that a restore was killed, and for other commands to remove its remains."""
_name = sa.text(f"SELECT {STAGED_NAME}")
_may_create = sa.text("SELECT has_database_privilege(current_database(), 'CREATE')")


class _UnlockedSession(postgresql.PostgreSQLSession):
    """Session of a staged schema, which waits for nobody and makes nobody wait."""

    def begin_write(self, scopes: Sequence[Scope]) -> None:
        super().begin_write([])

    def enter(self, *scopes: Scope) -> None:
        """Do nothing: only this process uses the schema."""


class _StagedDatabase(Database):
    """Database in a staged schema of a server's database."""

    def __init__(self, url: str, schema: str) -> None:
        super().__init__(_in_schema(url, schema))
        # rows are loaded and indexes made for as long as it takes
        limits = {"statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}
        self._server = postgresql.Server(self.url, **limits)

    def _new(self) -> Session:
        return _UnlockedSession(self._server, self.engine.dialect)


def _in_schema(url: str, schema: str) -> str:
    """Return the URL with a search path of this schema alone, in which the trigger of changes counts as announced."""
    address = sa.make_url(url)
    given = address.query.get("options", "")
    options = f"{given} -csearch_path={schema} -cfirmograph.announced=yes".strip()
    return address.update_query_dict({"options": options}).render_as_string(hide_password=False)


@contextmanager
def staged_schema(database: Database) -> Iterator[Database]:
    """Make a staged schema, yield it as a database, and remove its remains at the end.

    Raises Refused while another process has one, or if the role may not create schemas.
    """
    session = database.session()
    if session.one(_may_create) != (True,):
        raise Refused(
            f"This command makes a schema of its own, which needs GRANT CREATE ON DATABASE {database.name} TO this role"
        )
    with staging(session, _WAIT_SECONDS) as is_ours:
        if not is_ours:
            raise Refused(
                f"Another process is restoring {database.name} or copying to it; try again when it has finished"
            )
        ((schema,),) = session.all(_name)
        session.define(f"CREATE SCHEMA {schema}")
        with closing(_StagedDatabase(database.url, schema)) as staged:
            yield staged
