"""Scores of records by number, for the calls and for tables."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import Final

from firmograph.database.connection import Session
from firmograph.directory.store import LookupContact, companies_by_number, contacts_by_number
from firmograph.directory.stored_views import view_contact
from firmograph.security.record_ids import Entity
from firmograph.signal_score import store
from firmograph.signal_score.rules import Score, company_kinds, contact_kinds, score
from firmograph.signal_score.service import find_activity
from firmograph.signals.store import feed_kinds

PRICE_KEYS: Final = {Entity.CONTACT: "signalScoreContact", Entity.COMPANY: "signalScoreCompany"}


def find_scores(
    session: Session, entity: Entity, numbers: Collection[int], until: date
) -> dict[int, Score | None]:
    """Return the scores of existing records on a day; None of those without stored facts.

    At most five statements.
    """
    newest, since = find_activity(session, entity, numbers, until)
    if entity is Entity.CONTACT:
        return score_contacts(contacts_by_number(session, numbers).values(), newest, since)
    return score_companies(session, companies_by_number(session, numbers), newest, since)


def score_contacts(
    contacts: Iterable[LookupContact], newest: Mapping[int, Mapping[str, str]], since: str
) -> dict[int, Score | None]:
    """Return the scores of contacts by number."""
    return {
        contact.number: score(
            Entity.CONTACT,
            contact_kinds(has_company=contact.company_id is not None, has_title=_has_title(contact)),
            newest.get(contact.number, {}),
            since,
        )
        for contact in contacts
    }


def score_companies(
    session: Session, numbers: Collection[int], newest: Mapping[int, Mapping[str, str]], since: str
) -> dict[int, Score | None]:
    """Return the scores of existing companies by number. Three statements."""
    feeds = feed_kinds(session)
    return {
        number: score(Entity.COMPANY, company_kinds(facts, feeds), newest.get(number, {}), since)
        for number, facts in store.stored_facts(session, numbers).items()
    }


def _has_title(contact: LookupContact) -> bool:
    title = view_contact(contact.preview).job_title
    return title is not None and bool(title.title)
