"""People by identifiers: legacy calls as reveals (docs/reference/legacy.md#people).

A look-up costs nothing by itself; e-mails and phones are the paid units of the current generation. An employer comes
with a person and is not paid by it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from msgspec import UNSET, UnsetType

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.database.connection import Session
from firmograph.directory.lookup.identifiers import ValuePath
from firmograph.directory.lookup.queries import ContactQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import RESTRICTED, ResultSlot
from firmograph.directory.store import EmployedContact
from firmograph.enrichment.reveal import RequestedSignals, RevealBatch, Revealer, RevealRequest
from firmograph.kit.errors import LegallyRestricted
from firmograph.legacy.identified import (
    GivenEmployer,
    GivenPerson,
    PersonQueryReader,
    PersonTerms,
    find_people,
    given_once,
    items_by_key,
    paths_by_key,
    person_slots,
)
from firmograph.legacy.people import shapes
from firmograph.legacy.requested_signals import GivenSignals, read_given_signals
from firmograph.legacy.revealed_people import AskedContacts, PersonRenderer, render_item, requested_units
from firmograph.security.record_ids import Entity

A = TypeVar("A")

_QUERY_TERMS = PersonTerms(
    companies="company",
    expected="must have personId, email, linkedinUrl, or firstName (and lastName) with companyName or companyDomain",
)


class ShownPeople(NamedTuple):
    """Content of the answer to a batch."""

    items: Mapping[str, bytes]
    """Rendered item of each key."""
    companies: bytes
    """Rendered employers."""


class LegacyPeople:
    """The calls for one person and for a batch."""

    def __init__(self, lookup: RecordLookup, revealer: Revealer, renderer: PersonRenderer) -> None:
        self._lookup = lookup
        self._people = PersonQueryReader(lookup.queries)
        self._revealer = revealer
        self._renderer = renderer

    def single(self, request: Request, query: shapes.LegacyPersonQuery) -> ChargedCall[bytes]:
        """Return the call for one person, whose content is the rendered item."""
        queries = [self._people.read(_given_by_query(query), (), _QUERY_TERMS)]
        kind = AskedContacts(self._lookup, requested_units(request.caller, query), query.filter_by)
        signals = self._signals(request, kind, query.signals, query.signals_start_date)

        def show(session: Session, batch: RevealBatch[EmployedContact]) -> bytes:
            (slot,) = batch.slots
            people = self._renderer.open(session, request.caller, batch, kind, signals)
            if people.record(slot) is None and batch.error(slot) == RESTRICTED:
                raise LegallyRestricted
            (view,) = people.views()
            return render_item(view)

        return self._ready(request, kind, queries, query.partial_profile, signals, show)

    def batch(
        self, request: Request, body: shapes.LegacyPeopleRequest, flags: shapes.RevealFlags
    ) -> ChargedCall[ShownPeople]:
        metadata = body.metadata
        if metadata is UNSET:
            metadata = shapes.LegacyPeopleMetadata()
        items = items_by_key(body.contacts, "contacts", lambda item: item.contact_id, "contactId")
        paths = paths_by_key(body.contacts, "contacts", lambda item: item.contact_id)
        queries = [
            self._people.read(_given(item, paths[key]), paths[key], PersonTerms())
            for key, item in items.items()
        ]
        asked = requested_units(request.caller, body, metadata, flags)
        kind = AskedContacts(self._lookup, asked, metadata.filter_by)
        signals = self._signals(request, kind, metadata.signals, metadata.signals_start_date, "metadata.")

        def show(session: Session, batch: RevealBatch[EmployedContact]) -> ShownPeople:
            people = self._renderer.open(session, request.caller, batch, kind, signals)
            items_shown = map(render_item, people.views())
            return ShownPeople(dict(zip(items, items_shown, strict=True)), people.employers())

        return self._ready(request, kind, queries, metadata.partial_profile, signals, show)

    def _signals(
        self,
        request: Request,
        kind: AskedContacts,
        names: list[str] | UnsetType,
        start: str | UnsetType,
        prefix: str = "",
    ) -> RequestedSignals[EmployedContact] | None:
        """Return the requested signals. Raises Forbidden for a plan without signals, BadRequest."""
        given = GivenSignals([(f"{prefix}signals", names)], [(f"{prefix}signalsStartDate", start)])
        query = read_given_signals(request, Entity.CONTACT, given)
        return None if query is None else RequestedSignals(query, lambda record: bool(kind.shown(record)))

    def _ready(
        self,
        request: Request,
        kind: AskedContacts,
        queries: Sequence[Sequence[ContactQuery]],
        partial: bool | UnsetType,
        signals: RequestedSignals[EmployedContact] | None,
        show: Callable[[Session, RevealBatch[EmployedContact]], A],
    ) -> ChargedCall[A]:
        def resolve(session: Session) -> list[ResultSlot]:
            hits = find_people(self._lookup, session, queries)
            return person_slots(hits, partial=partial is not False)

        asked = RevealRequest(request, kind.asked, show, signals=signals)
        return self._revealer.ready(asked, kind, resolve)


def _given(item: shapes.LegacyPersonItem, path: ValuePath) -> GivenPerson:
    employers = [_employer(one, (*path, "companies", index)) for index, one in enumerate(item.companies)]
    return GivenPerson(item.person_id, item.linkedin_url, item.email, item.full_name, None, employers)


def _employer(company: shapes.LegacyItemEmployer, path: ValuePath) -> GivenEmployer:
    at = ".".join(map(str, path))
    domain = given_once([(f"{at}.domain", company.domain), (f"{at}.fqdn", company.fqdn)])
    if domain is None:
        return GivenEmployer(company.name, UNSET, company.is_current)
    return GivenEmployer(company.name, domain[1], company.is_current, (domain[0],))


def _given_by_query(query: shapes.LegacyPersonQuery) -> GivenPerson:
    names = None
    if query.first_name is not UNSET:
        # a name of one word finds people whose whole name is that word
        names = (query.first_name, "" if query.last_name is UNSET else query.last_name)
    named = given_once([("companyName", query.company_name), ("company", query.company)])
    company = named[1] if named else UNSET
    employers = []
    if company is not UNSET or query.company_domain is not UNSET:
        employers.append(GivenEmployer(company, query.company_domain, True, ("companyDomain",)))
    return GivenPerson(query.person_id, query.linkedin_url, query.email, UNSET, names, employers)
