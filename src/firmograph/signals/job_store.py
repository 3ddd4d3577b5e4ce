"""What job signals need of the database: the companies of a move, and the signals that are held."""

from collections.abc import Collection, Mapping

import msgspec
import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.directory.company_json import CompanyParts
from firmograph.directory.company_names import company_keys
from firmograph.directory.store import ownership_edges
from firmograph.directory.tables import companies
from firmograph.security.record_ids import Entity
from firmograph.signals.events import JobMove
from firmograph.signals.job_moves import Employer, Job, Past
from firmograph.signals.tables import signals
from firmograph.signals.types import NAME_OF

_companies = sa.select(companies.c.id, companies.c.card, companies.c.profile, companies.c.extras).where(
    companies.c.id.in_(sa.bindparam("numbers", expanding=True))
)
_past = sa.select(signals.c.entity_id, signals.c.type, signals.c.day, signals.c.event).where(
    signals.c.entity == int(Entity.CONTACT),
    signals.c.entity_id.in_(sa.bindparam("numbers", expanding=True)),
)


class _Card(msgspec.Struct):
    name: str = ""
    domain: str = ""


class _OtherNames(msgspec.Struct, rename="camel"):
    alternative_names: list[str] = []


class _OtherDomains(msgspec.Struct, rename="camel"):
    alternative_domains: list[str] = []


_card = msgspec.json.Decoder(_Card).decode
_other_names = msgspec.json.Decoder(_OtherNames).decode
_other_domains = msgspec.json.Decoder(_OtherDomains).decode
_move = msgspec.json.Decoder(JobMove).decode
_OTHER_DOMAINS = b'"alternativeDomains"'


def employers(
    session: Session, numbers: Collection[int], not_written: Mapping[int, CompanyParts]
) -> dict[int, Employer]:
    """The companies of these numbers that are held, and of those that this transaction has made but not written yet.

    Two statements.
    """
    asked = sorted(numbers)
    found = {row[0]: (row[1], row[2], row[3]) for row in session.all_in(_companies, "numbers", asked)}
    made = {
        number: (one.summary, one.profile, one.extras)
        for number, one in not_written.items()
        if number in numbers
    }
    above = {
        number: frozenset(parent for parents in edges.values() for parent in parents)
        for number, edges in ownership_edges(session, asked).items()
    }
    return {
        number: _employer(card, profile, extras, above.get(number, frozenset()))
        for number, (card, profile, extras) in (found | made).items()
    }


def _employer(card: bytes, profile: bytes, extras: bytes | None, above: frozenset[int]) -> Employer:
    shown = _card(b"{%b}" % card)
    names = [shown.name, *(_other_names(extras).alternative_names if extras else ())]
    domains = _other_domains(profile).alternative_domains if _OTHER_DOMAINS in profile else []
    keys = frozenset(key for name in names for key in company_keys(name))
    return Employer(shown.name, shown.domain, keys, frozenset(domains), above)


def past_moves(session: Session, contacts: Collection[int]) -> list[Past]:
    """The job signals of these contacts. One statement."""
    found = []
    for number, type, day, event in session.all_in(_past, "numbers", sorted(contacts)):
        move = _move(event)
        previous = Job(move.previous_company_id, move.previous_title)
        found.append(
            Past(number, NAME_OF[type], previous, Job(move.current_company_id, move.current_title), day)
        )
    return found
