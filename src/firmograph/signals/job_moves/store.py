"""All SQL of job move detection: companies and stored job signals."""

from collections.abc import Collection, Mapping

import msgspec
import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.directory.company_json import CompanyParts
from firmograph.directory.company_names import company_keys
from firmograph.directory.store import ownership_edges
from firmograph.directory.stored_views import other_domains, other_names, view_summary
from firmograph.directory.tables import companies
from firmograph.security.record_ids import Entity
from firmograph.signals.events import JobMove, event_json
from firmograph.signals.job_moves.detector import EmployerIdentity, Employment, StoredMove
from firmograph.signals.tables import signals
from firmograph.signals.types import NAME_OF

_companies = sa.select(companies.c.id, companies.c.card, companies.c.profile, companies.c.extras).where(
    companies.c.id.in_(sa.bindparam("numbers", expanding=True))
)
_past = sa.select(signals.c.entity_id, signals.c.type, signals.c.day, signals.c.event, signals.c.id).where(
    signals.c.entity == int(Entity.CONTACT),
    signals.c.entity_id.in_(sa.bindparam("numbers", expanding=True)),
)
_moves_after = (
    sa.select(signals.c.id, signals.c.entity_id, signals.c.event)
    .where(
        signals.c.entity == sa.literal_column(str(int(Entity.CONTACT))),
        signals.c.id > sa.bindparam("after", type_=sa.BigInteger),
    )
    .order_by(signals.c.id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_rewrite = (
    sa.update(signals).values(event=sa.bindparam("new_event")).where(signals.c.id == sa.bindparam("signal"))
)

_move = msgspec.json.Decoder(JobMove).decode


def employer_identities(
    session: Session, numbers: Collection[int], not_written: Mapping[int, CompanyParts]
) -> dict[int, EmployerIdentity]:
    """Return the companies by number, including companies that this transaction has created but not written yet.

    Two statements.
    """
    sorted_numbers = sorted(numbers)
    found = {
        row[0]: (row[1], row[2], row[3]) for row in session.all_in(_companies, "numbers", sorted_numbers)
    }
    created = {
        number: (one.summary, one.profile, one.extras)
        for number, one in not_written.items()
        if number in numbers
    }
    owners = {
        number: frozenset(parent for parents in edges.values() for parent in parents)
        for number, edges in ownership_edges(session, sorted_numbers).items()
    }
    return {
        number: _employer(card, profile, extras, owners.get(number, frozenset()))
        for number, (card, profile, extras) in (found | created).items()
    }


def _employer(card: bytes, profile: bytes, extras: bytes | None, owners: frozenset[int]) -> EmployerIdentity:
    company = view_summary(card)
    keys = frozenset(key for name in (company.name, *other_names(extras)) for key in company_keys(name))
    return EmployerIdentity(
        company.name, company.domain or "", keys, frozenset(other_domains(profile)), owners
    )


def stored_moves(session: Session, contacts: Collection[int]) -> list[StoredMove]:
    """Return the stored job signals of contacts. One statement."""
    found = []
    for number, type, day, event, id in session.all_in(_past, "numbers", sorted(contacts)):
        move = _move(event)
        previous = Employment(move.previous_company_id, move.previous_title)
        found.append(
            StoredMove(
                number,
                NAME_OF[type],
                previous,
                Employment(move.current_company_id, move.current_title),
                day,
                id,
            )
        )
    return found


def moves_after(session: Session, after: int, most: int) -> list[tuple[int, int, bytes]]:
    """Return the next job moves after a signal, with contact and event."""
    return [(row[0], row[1], row[2]) for row in session.all(_moves_after, {"after": after, "most": most})]


def rewrite_moves(session: Session, moves: Mapping[int, JobMove]) -> None:
    """Replace the events of job moves."""
    session.many(_rewrite, [(event_json(move), id) for id, move in moves.items()])
