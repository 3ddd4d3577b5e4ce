"""Copy of everything that a database holds into an empty one, of the same or the other kind.

The rows fill a staged copy of the target, as a restore does, which is compared with the source and put in place in one
commit. Nobody else uses the source from the first row to the last.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import sqlalchemy as sa

from firmograph.backup import store
from firmograph.backup.archive import Progress
from firmograph.backup.service import KIND_NAMES, ProgressFactory, Stage, kind_of
from firmograph.billing.ledger import ledger_sums
from firmograph.database.connection import Database, Session
from firmograph.database.schema import HEAD, declared_tables, held_revision, is_ours
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit

_OWN: Final = frozenset({"duties", "fanout_positions", "installation", "similarity_models"})
"""Tables that have rows in a database that was served, and into which nobody has brought anything."""


class CopyEngine(Protocol):
    """What a copy does differently on each kind of database."""

    def sole_use(self, database: Database) -> AbstractContextManager[Session]:
        """Yield a session that reads a database while nobody else can use it. Raises Refused if others do."""
        ...

    def stage_blank(self, database: Database, progress: Progress) -> AbstractContextManager[Stage]: ...

    def read_rows(self, session: Session, table: sa.Table) -> Iterator[list[Sequence[Any]]]:
        """Yield the rows of a table, many at a time."""
        ...

    def load_rows(self, session: Session, table: sa.Table, rows: list[Sequence[Any]]) -> None:
        """Write rows. Raises Refused if the database cannot hold a value of them."""
        ...

    def drop_indexes(self, session: Session) -> list[str]:
        """Drop what is made faster after the rows; return the statements that make it again."""
        ...

    def read_last_numbers(self, session: Session, tables: Sequence[sa.Table]) -> dict[str, int]:
        """Return the last number that was given to a row, by table."""
        ...

    def set_last_numbers(
        self, session: Session, tables: Sequence[sa.Table], numbers: Mapping[str, int]
    ) -> None:
        """Let the numbers of new rows follow these, so that none is given twice."""
        ...


class CopyResult(NamedTuple):
    """Finished copy."""

    tables: dict[str, int]
    """Rows by table."""
    ledger_rows: int
    ledger_credits: int
    """Sum over the ledgers of all accounts."""


def check_target(source: Database, target: Database) -> str | None:
    """Return the fingerprint of the source's keys, if it has any; create nothing.

    Raises Refused unless the target can take a copy: empty, of this release, not opened under other keys.
    """
    fingerprint = store.read_keyring(source.session())
    if target.embedded and not Path(target.path).exists():
        return fingerprint
    if source.embedded and target.embedded and Path(target.path).samefile(source.path):
        raise _same(target)
    session = target.session()
    if not session.tables():
        return fingerprint
    if not is_ours(session):
        raise Refused(f"The database {target.name} holds the tables of another program; choose an empty one")
    if store.read_identity(session) == store.read_identity(source.session()):
        raise _same(target)
    held = held_revision(target)
    if held != HEAD:
        raise Refused(
            f"The database {target.name} was made by another release (schema {held}, this release has {HEAD}); "
            "choose an empty one"
        )
    _refuse_filled(session, target)
    if len({fingerprint, store.read_keyring(session)} - {None}) > 1:
        raise Refused(
            f"The database {target.name} was opened with another key file than the source; choose one that nobody"
            " has used"
        )
    return fingerprint


def _same(target: Database) -> Refused:
    return Refused(f"{target.name} is the database that would be copied; choose another one")


def _refuse_filled(session: Session, target: Database) -> None:
    """Raise Refused if a database holds anything."""
    made = session.tables() - _OWN
    filled = store.find_filled(session, [table for table in declared_tables() if table.name in made])
    if filled:
        raise Refused(
            f"The database {target.name} is not empty (rows in {', '.join(filled[:3])}); choose an empty one, as a"
            " copy replaces nothing"
        )


def copy_database(
    source: Database,
    target: Database,
    clock: Clock,
    *,
    complete: Callable[[], object],
    progress_of: ProgressFactory,
) -> CopyResult:
    """Copy a prepared database into another one that `check_target` accepts, completely or not at all.

    `complete` is called before the copy is put in place. Raises Refused while other processes use the source, and if
    the target is not empty any more.
    """
    reader, writer = _engine(source), _engine(target)
    tables = declared_tables()
    numbered = [table for table in tables if table.autoincrement_column is not None]
    steps = [progress_of(what) for what in ("Copying rows", "Making indexes", "Putting in place")]
    with reader.sole_use(source) as session, writer.stage_blank(target, steps[2]) as stage:
        counts = store.count_rows(session, tables)
        numbers = reader.read_last_numbers(session, numbered)
        with stage.copy.write(None) as copy:
            store.delete_rows(copy, tables)
            rebuilt = writer.drop_indexes(copy)
        report = _Counter(steps[0], sum(counts.values()))
        for table in tables:
            with stage.copy.write(None) as copy:
                for rows in reader.read_rows(session, table):
                    writer.load_rows(copy, table, rows)
                    report.add(len(rows))
        for done, statement in enumerate(rebuilt, 1):
            stage.copy.session().define(statement)
            steps[1](done, len(rebuilt))
        result = _compare(session, stage.copy.session(), tables, counts)
        with stage.copy.write(None) as copy:
            writer.set_last_numbers(copy, numbered, numbers)
            store.renew_identity(copy)
            details: dict[str, int | str] = {
                "from": KIND_NAMES[kind_of(source.url)],
                "rows": sum(counts.values()),
            }
            OperatorAudit().record(copy, clock.seconds(), "copy-database", details=details)
        complete()
        stage.swap(lambda replaced: _refuse_filled(replaced, target))
    return result


def _engine(database: Database) -> CopyEngine:
    if database.embedded:
        from firmograph.backup import copy_sqlite

        return copy_sqlite
    from firmograph.backup import copy_postgresql

    return copy_postgresql


class _Counter:
    """Number of rows that are copied, with its progress."""

    def __init__(self, progress: Callable[[int, int], None], total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def add(self, rows: int) -> None:
        self._done += rows
        self._progress(self._done, self._total)


def _compare(
    source: Session, copy: Session, tables: Sequence[sa.Table], counts: Mapping[str, int]
) -> CopyResult:
    """Return what was copied. Raises Refused if a copy differs from its source."""
    copied = store.count_rows(copy, tables)
    for name, count in counts.items():
        if copied[name] != count:
            raise Refused(
                f"The copy has {copied[name]:,} rows of {count:,} in {name}, so it was not put in place"
            )
    sums = ledger_sums(source)
    if ledger_sums(copy) != sums:
        raise Refused("The ledger of the copy has other sums, so it was not put in place")
    return CopyResult(copied, sum(each.rows for each in sums), sum(each.credits for each in sums))
