"""SQL statements on paid units."""

from collections.abc import Collection, Iterable, Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.billing.tables import paid_units
from firmograph.billing.types import PaidUnit, Unit, UnitKind
from firmograph.database.columns import account_ids
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert

_p = paid_units.c
_signal: sa.ColumnElement[int] = sa.literal_column(str(int(UnitKind.SIGNAL)))
_no_record: sa.ColumnElement[int] = sa.literal_column("0")
_OF_RECORDS = sa.select(_p.record_id, _p.unit).where(
    _p.account_id == bindparam("account"),
    _p.kind == bindparam("kind"),
    _p.record_id.in_(bindparam("ids", expanding=True)),
    _p.paid_at > bindparam("since"),
)
_OF_SIGNALS = sa.select(_p.unit).where(
    _p.account_id == bindparam("account"),
    _p.kind == _signal,
    _p.record_id == _no_record,
    _p.unit.in_(bindparam("identities", expanding=True)),
    _p.paid_at > bindparam("since"),
)
_PAYERS = (
    sa.select(_p.record_id, _p.account_id)
    .where(_p.kind == bindparam("kind"), _p.record_id.in_(bindparam("ids", expanding=True)))
    .distinct()
)
_EXPOSURES = sa.select(_p.account_id, _p.unit, _p.first_paid_at, _p.paid_at).where(
    _p.kind == bindparam("kind"), _p.record_id.in_(bindparam("ids", expanding=True))
)
_SIGNAL_PAYERS = sa.select(_p.account_id, _p.first_paid_at, _p.paid_at).where(
    _p.record_id == _no_record,
    _p.kind == _signal,
    # account first, as the unit is the last column of the key
    _p.account_id.in_(sa.select(account_ids.c.id)),
    _p.unit.in_(bindparam("identities", expanding=True)),
)
_insert = insert(paid_units).values(
    {
        "account_id": bindparam("account"),
        **{column.name: bindparam(column.name) for column in paid_units.c if column.name != "account_id"},
    }
)
_UPSERT = _insert.on_conflict_do_update(
    index_elements=[column.name for column in paid_units.primary_key],
    set_={"paid_at": _insert.excluded.paid_at, "request_id": _insert.excluded.request_id},
)


def signal_paid_at(
    account_id: "sa.ColumnElement[int]", identity: "sa.ColumnElement[bytes]"
) -> "sa.ScalarSelect[float]":
    """Return the column with the time of an account's last payment for a signal, for statements of other packages.

    A subquery in place of a join: it gives the whole key for each row, so that no server reads all payments instead,
    whatever its statistics.
    """
    return (
        sa.select(_p.paid_at)
        .where(
            _p.account_id == account_id,
            _p.kind == _signal,
            _p.record_id == _no_record,
            _p.unit == identity,
        )
        .correlate_except(paid_units)
        .scalar_subquery()
    )


def select_data_points(
    session: AccountSession, kind: int, ids: Sequence[int], since: float
) -> set[tuple[int, str]]:
    """Return the data points of these records paid by the account after `since`, as (record, name)."""
    rows = session.all_in(_OF_RECORDS, "ids", ids, kind=kind, since=since)
    return {(row[0], row[1].decode()) for row in rows}


def select_signals(session: AccountSession, identities: Sequence[bytes], since: float) -> set[bytes]:
    """Return those of the signals paid by the account after `since`, by identity."""
    return {row[0] for row in session.all_in(_OF_SIGNALS, "identities", identities, since=since)}


def select_payers(session: Session, kind: int, ids: Sequence[int]) -> list[tuple[int, int]]:
    """Return the records with a data point that an account has paid, each with every such account."""
    return [(row[0], row[1]) for row in session.all_in(_PAYERS, "ids", ids, kind=kind)]


def select_exposures(session: Session, kind: int, ids: Sequence[int]) -> list[tuple[int, str, float, float]]:
    """Return account, data point, first and last payment of all that accounts have paid of these records."""
    rows = session.all_in(_EXPOSURES, "ids", ids, kind=kind)
    return [(account, unit.decode(), first_at, last_at) for account, unit, first_at, last_at in rows]


def select_signal_payers(session: Session, identities: Collection[bytes]) -> list[tuple[int, float, float]]:
    """Return account, first and last payment of each of these signals by each account."""
    rows = session.all_in(_SIGNAL_PAYERS, "identities", sorted(identities))
    return [(account, first_at, last_at) for account, first_at, last_at in rows]


def upsert(session: AccountSession, units: Iterable[Unit], request_id: str, at: float) -> None:
    """Record units as paid; a unit paid before is renewed and keeps its first time. One statement."""
    session.many(_UPSERT, sorted(_row(unit, request_id, at) for unit in units))


def upsert_of_accounts(session: Session, paid: Iterable[PaidUnit], at: float) -> None:
    """Record units of several accounts as paid. One statement."""
    session.many(_UPSERT, sorted((each.account_id, *_row(each.unit, each.request_id, at)) for each in paid))


def _row(unit: Unit, request_id: str, at: float) -> tuple[int, int, bytes, float, float, str]:
    kind, record, name = unit
    return int(kind), record, name.encode() if isinstance(name, str) else name, at, at, request_id
