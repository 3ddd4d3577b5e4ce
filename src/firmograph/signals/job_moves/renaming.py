"""Names of companies in stored job moves, after their records have lost values with a source."""

from collections.abc import Container
from typing import NamedTuple

import msgspec
from msgspec import structs

from firmograph.database.connection import Session
from firmograph.directory.stored_views import view_summary
from firmograph.security.record_ids import Entity
from firmograph.signals.events import JobMove
from firmograph.signals.job_moves import store
from firmograph.signals.store import company_summaries, mark_changed

_decode = msgspec.json.Decoder(JobMove).decode


class RenamedMoves(NamedTuple):
    """Result of a batch."""

    last: int | None
    """Id of the last move that was read; None at the end."""
    moves: dict[int, int]
    """Signals that changed, with their contacts."""


def rename_companies(session: Session, companies: Container[int], after: int, most: int) -> RenamedMoves:
    """Write today's names of companies into the next moves after a signal; empty ones of companies that are gone.

    Part of the caller's transaction, of scope RECORDS.
    """
    page = [(id, contact, _decode(event)) for id, contact, event in store.moves_after(session, after, most)]
    named = {number for *_, move in page for number in _companies(move) if number in companies}
    names = dict.fromkeys(named, ("", ""))
    for number, card in company_summaries(session, named):
        summary = view_summary(card)
        names[number] = summary.name, summary.domain or ""
    changed = {id: (contact, new) for id, contact, move in page if (new := _renamed(move, names)) != move}
    store.rewrite_moves(session, {id: new for id, (_, new) in changed.items()})
    contacts = {id: contact for id, (contact, _) in changed.items()}
    mark_changed(session, ((int(Entity.CONTACT), number) for number in contacts.values()))
    return RenamedMoves(page[-1][0] if page else None, contacts)


def _companies(move: JobMove) -> tuple[int, int]:
    return move.current_company_id, move.previous_company_id


def _renamed(move: JobMove, names: dict[int, tuple[str, str]]) -> JobMove:
    current = names.get(move.current_company_id, (move.current_company_name, move.current_domain))
    previous = names.get(move.previous_company_id, (move.previous_company_name, move.previous_domain))
    return structs.replace(
        move,
        current_company_name=current[0],
        current_domain=current[1],
        previous_company_name=previous[0],
        previous_domain=previous[1],
    )
