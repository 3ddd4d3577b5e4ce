"""SQL on contacts that were marked as do-not-call since the index followed."""

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.directory.contact_json import decode_phones
from firmograph.directory.tables import changes, contacts, counters
from firmograph.privacy.do_not_call.registry import MARKED_POSITION
from firmograph.security.record_ids import Entity

_position = sa.select(counters.c.value).where(
    counters.c.name == MARKED_POSITION, counters.c.value > bindparam("after", type_=sa.BigInteger)
)
_changed = (
    sa.select(contacts.c.id, contacts.c.phones)
    .select_from(changes.join(contacts, contacts.c.id == changes.c.entity_id))
    .where(
        changes.c.sequence > bindparam("after", type_=sa.BigInteger),
        changes.c.sequence <= bindparam("last", type_=sa.BigInteger),
        changes.c.entity == int(Entity.CONTACT),
        contacts.c.phones.is_not(None),
    )
)


def marked_since(session: Session, sequence: int) -> set[int]:
    """Return the contacts with do-not-call numbers among those that changed between a position and the last marks."""
    last = session.one(_position, {"after": sequence})
    if last is None:
        return set()
    rows = session.all(_changed, {"after": sequence, "last": last[0]})
    return {number for number, phones in rows if any(phone.do_not_call for phone in decode_phones(phones))}
