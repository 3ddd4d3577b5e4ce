"""All SQL of the activity of records, for filters by signals."""

from collections import defaultdict
from collections.abc import Collection, Sequence

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals.activity.record_activity import (
    Activity,
    DatedSignal,
    RequestedSignal,
    derive_activity,
    matching_types,
)
from firmograph.signals.tables import signals
from firmograph.signals.types import NAME_OF

_numbers: sa.BindParameter[int] = sa.bindparam("numbers", expanding=True)
# one group of all days not in the future at detection, and one for each future day
_future_day = sa.case(
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
    .group_by(signals.c.entity_id, signals.c.type, signals.c.detail, _future_day)
)


def read_activity(session: Session, entity: Entity, numbers: Collection[int]) -> dict[int, Activity]:
    """Return the activity of each record with signals. One statement."""
    if not numbers:
        return {}
    found = defaultdict[int, list[DatedSignal]](list)
    rows = session.all_in(_newest, "numbers", sorted(numbers), entity=int(entity))
    for number, type, detail, day, ahead in rows:
        found[number].append(DatedSignal(NAME_OF[type], detail, day, ahead))
    return {number: derive_activity(rows) for number, rows in found.items()}


def active_types(
    session: Session, entity: Entity, numbers: Collection[int], requested: Sequence[RequestedSignal]
) -> dict[int, list[str]]:
    """Return the types of requested signals of each record that has any, in documented order.

    At most one statement.
    """
    if not requested:
        return {}
    activities = read_activity(session, entity, numbers)
    types = {number: matching_types(entity, one, requested) for number, one in activities.items()}
    return {number: names for number, names in types.items() if names}
