"""Renderer of responses: stored JSON parts joined with ids, prices and revealed data.

Records are not decoded, except the few values that name other records.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache, partial

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import InstallationOperator, PreviewCaller
from firmograph.directory.company_json import TOKEN_BIT
from firmograph.directory.data_points import COMPANY_TOKENS, CONTACT_UNITS
from firmograph.directory.result_slots import NOT_FOUND, RESTRICTED, ItemErrorCode, item_message
from firmograph.directory.store import CompanyProfile, ContactProfile, LookupCompany, LookupContact
from firmograph.enrichment.ownership import Related, show_competitor, show_owner
from firmograph.security.record_ids import Entity, RecordIds

_json = msgspec.json.Encoder().encode

_ANSWERED: tuple[tuple[Entity, ItemErrorCode], ...] = (
    (Entity.CONTACT, NOT_FOUND),
    (Entity.COMPANY, NOT_FOUND),
    (Entity.CONTACT, RESTRICTED),
)
_ERRORS: dict[tuple[Entity, ItemErrorCode], bytes] = {
    (entity, code): b'"error":{"code":"%s","message":"%s"}'
    % (code.encode(), item_message(entity, code).encode())
    for entity, code in _ANSWERED
}
_JOB_GROUPS = {
    "openJobsTotal": b"total",
    "openJobsByDepartment": b"byDepartment",
    "openJobsByLocation": b"byLocation",
    "openJobsBySeniority": b"bySeniority",
}


def render_item_error(
    entity: Entity, code: ItemErrorCode, reference: str | UnsetType = UNSET, token: str | None = None
) -> bytes:
    """Render an item without a record, under the reference or id of the request."""
    named = b'"id":%s,' % _json(token) if token is not None else b""
    return b"{" + _reference(reference) + named + _ERRORS[entity, code] + b"}"


def _reference(reference: str | UnsetType) -> bytes:
    return b'"clientReferenceId":%s,' % _json(reference) if reference is not UNSET else b""


class RecordRenderer:
    """Renderer of records with the record ids and prices of an installation."""

    def __init__(self, tokens: RecordIds, paid_units: PaidUnits) -> None:
        self._tokens = tokens
        self._paid_units = paid_units
        # many people share an employer; sealing takes 1.5 microseconds, a cache hit 0.1
        self._company_token = lru_cache(maxsize=65_536)(partial(tokens.seal_bytes, Entity.COMPANY))

    # --- contacts ---

    def contact_preview(self, contact: LookupContact, reference: str | UnsetType, can_reveal: bytes) -> bytes:
        return b'{%s"id":"%s",%s%s%s}' % (
            _reference(reference),
            self._tokens.seal_bytes(Entity.CONTACT, contact.number),
            contact.preview[1:-1],
            self._employer(contact.company_id, contact.company_summary),
            can_reveal,
        )

    def enriched_contact(
        self,
        contact: ContactProfile,
        reference: str | UnsetType,
        shown: Collection[str],
        can_reveal: bytes,
    ) -> bytes:
        """Render a contact. `shown` are the requested and paid data points, as lists that may be empty."""
        emails = b',"emails":%s' % (contact.emails or b"[]") if "emails" in shown else b""
        phones = b',"phones":%s' % (contact.phones or b"[]") if "phones" in shown else b""
        return b'{%s"id":"%s",%s%s%s%s%s}' % (
            _reference(reference),
            self._tokens.seal_bytes(Entity.CONTACT, contact.number),
            contact.profile[1:-1],
            emails,
            phones,
            self._employer(contact.company_id, contact.company_summary),
            can_reveal,
        )

    def _employer(self, company_id: int | None, summary: bytes | None) -> bytes:
        if company_id is None or summary is None:
            return b""
        return b',"company":{"id":"%s",%s}' % (self._company_token(company_id), summary)

    # --- what can be revealed ---

    def can_reveal(
        self,
        caller: PreviewCaller,
        entity: Entity,
        number: int,
        units: tuple[str, ...],
        paid: Collection[tuple[int, str]],
    ) -> bytes:
        """Render the member for the data points of a record, as names or with their price for this account.

        See docs/reference/lookups.md#has-and-canreveal. The operator without an account gets none.
        """
        if caller.can_reveal == "names":
            return _names_to_reveal(units)
        if isinstance(caller, InstallationOperator):
            return b""
        return b',"canReveal":%s' % _json(
            [
                {
                    "field": unit,
                    "credits": 0
                    if (number, unit) in paid
                    else self._paid_units.credits_for(caller.plan, entity, unit),
                }
                for unit in units
            ]
        )

    # --- companies ---

    def company_preview(self, company: LookupCompany, reference: str | UnsetType, can_reveal: bytes) -> bytes:
        return b'{%s"id":"%s",%s%s}' % (
            _reference(reference),
            self._company_token(company.number),
            company.preview[1:-1],
            can_reveal,
        )

    def enriched_company(
        self,
        company: CompanyProfile,
        reference: str | UnsetType,
        shown: Collection[str],
        can_reveal: bytes,
        related: Related,
    ) -> bytes:
        """Render a company. `shown` are the requested tokens that are paid or null (ownership)."""
        return b'{%s"id":"%s",%s%s%s}' % (
            _reference(reference),
            self._company_token(company.number),
            company.profile[1:-1],
            b"".join(self._revealed(company, shown, related)),
            can_reveal,
        )

    def _revealed(self, company: CompanyProfile, shown: Collection[str], related: Related) -> Iterable[bytes]:
        premium = decode_premium(company) if shown else {}
        jobs = []
        for token in COMPANY_TOKENS:
            if token not in shown:
                continue
            if token in ("directParent", "ultimateParent"):
                yield b',"%s":%s' % (token.encode(), self._owner(related, company.number, token))
            elif token == "competitors" and token in premium:
                yield b',"competitors":' + self.competitors(related, bytes(premium[token]))
            elif token in _JOB_GROUPS and token in premium:
                jobs.append(b'"%s":%s' % (_JOB_GROUPS[token], bytes(premium[token])))
            elif token in premium:
                yield b',"%s":%s' % (token.encode(), bytes(premium[token]))
        if jobs:
            yield b',"openJobs":{%s}' % b",".join(jobs)

    def _owner(self, related: Related, number: int, token: str) -> bytes:
        owners = related.owners.get(number)
        if owners is None:
            return b"null"
        holder = owners.direct if token == "directParent" else owners.ultimate
        body = {"lushaCompanyId": self._tokens.seal(Entity.COMPANY, holder)}
        return _json(body | show_owner(related.summaries[holder]))

    def competitors(self, related: Related, numbers: bytes) -> bytes:
        """Render competitors, given by the stored list of their numbers."""
        return _json(
            [
                {"id": self._tokens.seal(Entity.COMPANY, number)} | show_competitor(related.summaries[number])
                for number in msgspec.json.decode(numbers, type=list[int])
                if number in related.summaries
            ]
        )


@lru_cache(maxsize=10_000)
def _names_to_reveal(names: tuple[str, ...]) -> bytes:
    return b',"canReveal":%s' % _json(names)


_CONTACT_UNITS = {
    (emails, phones): tuple(unit for unit, has in zip(CONTACT_UNITS, (emails, phones), strict=True) if has)
    for emails in (False, True)
    for phones in (False, True)
}


def contact_units(has_emails: object, has_phones: object) -> tuple[str, ...]:
    """Return the units that can be revealed of a contact."""
    return _CONTACT_UNITS[bool(has_emails), bool(has_phones)]


@lru_cache(maxsize=10_000)
def company_tokens(mask: int) -> tuple[str, ...]:
    """Return the tokens that can be revealed of a company, from its stored bits."""
    return tuple(token for token in COMPANY_TOKENS if mask & TOKEN_BIT[token])


def decode_premium(company: CompanyProfile) -> dict[str, msgspec.Raw]:
    """Return the JSON of premium values by reveal token."""
    if company.premium is None:
        return {}
    return msgspec.json.decode(company.premium, type=dict[str, msgspec.Raw])
