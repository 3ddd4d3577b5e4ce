"""All SQL of signals as filters ask for them: what records were active in."""

from collections import defaultdict
from collections.abc import Collection, Sequence

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals.activity import Activity, Dated, Wanted, activity, types_of
from firmograph.signals.tables import signals
from firmograph.signals.types import NAME_OF

_numbers: sa.BindParameter[int] = sa.bindparam("numbers", expanding=True)
# the newest day that had come when it was detected, and each that had not
_coming = sa.case(
    (signals.c.ahead == sa.literal_column("1"), signals.c.day), else_=sa.literal_column("''", sa.Text)
)
_newest = (
    sa.select(
        signals.c.entity_id,
        signals.c.type,
        signals.c.detail,
        sa.func.max(signals.c.day),
        sa.func.max(signals.c.ahead),
    )
    .where(
        signals.c.entity == sa.bindparam("entity", type_=sa.SmallInteger), signals.c.entity_id.in_(_numbers)
    )
    .group_by(signals.c.entity_id, signals.c.type, signals.c.detail, _coming)
)


def activity_of(session: Session, entity: Entity, numbers: Collection[int]) -> dict[int, Activity]:
    """The activity of those of the records that have signals. One statement."""
    if not numbers:
        return {}
    found = defaultdict[int, list[Dated]](list)
    rows = session.all_in(_newest, "numbers", sorted(numbers), entity=int(entity))
    for number, type, detail, day, ahead in rows:
        found[number].append(Dated(NAME_OF[type], detail, day, ahead))
    return {number: activity(rows) for number, rows in found.items()}


def active_types(
    session: Session, entity: Entity, numbers: Collection[int], wanted: Sequence[Wanted]
) -> dict[int, list[str]]:
    """Of those of the records that have a wanted signal, the types, in the documented order. One statement at most."""
    if not wanted:
        return {}
    held = activity_of(session, entity, numbers)
    shown = {number: types_of(entity, one, wanted) for number, one in held.items()}
    return {number: names for number, names in shown.items() if names}
