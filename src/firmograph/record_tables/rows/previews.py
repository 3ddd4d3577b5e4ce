"""Free previews of the records of rows, as a search shows them (docs/reference/lookups.md#contact-preview).

They are read from the records as these are now and hold no data point that is paid.
"""

from collections.abc import Collection
from typing import Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.store import ContactSummary
from firmograph.security.record_ids import Entity, RecordIds


class _Part(msgspec.Struct, omit_defaults=True, rename="camel"):
    """Part of a record; what it does not name is not read."""


class _ContactPreview(_Part):
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    full_name: str | UnsetType = UNSET
    job_title: Raw | UnsetType = UNSET
    company: Raw | UnsetType = UNSET
    location: Raw | UnsetType = UNSET
    social_links: Raw | UnsetType = UNSET


class _CompanyPreview(_Part):
    name: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    employee_count: Raw | UnsetType = UNSET
    industry: str | UnsetType = UNSET
    location: Raw | UnsetType = UNSET
    social_links: Raw | UnsetType = UNSET


class _Profile(_Part):
    full_name: str | UnsetType = UNSET


_decode_contact: Final = msgspec.json.Decoder(_ContactPreview).decode
_decode_company: Final = msgspec.json.Decoder(_CompanyPreview).decode
_decode_profile: Final = msgspec.json.Decoder(_Profile).decode
_encode: Final = msgspec.json.Encoder().encode


class RowPreviews:
    """Reader of the previews of records by number; records that do not exist have none."""

    def __init__(self, record_ids: RecordIds) -> None:
        self._record_ids = record_ids

    def read(self, session: Session, entity: Entity, numbers: Collection[int]) -> dict[int, bytes]:
        """Return the JSON members of each record's preview, each with a comma after it. One statement."""
        if entity is Entity.CONTACT:
            contacts = store.contact_summaries(session, numbers)
            return {number: _members(self._contact(one)) for number, one in contacts.items()}
        companies = store.companies_by_number(session, numbers)
        return {number: _members(_decode_company(one.preview)) for number, one in companies.items()}

    def _contact(self, contact: ContactSummary) -> _ContactPreview:
        preview = _decode_contact(contact.preview)
        preview.full_name = _decode_profile(contact.profile).full_name
        if contact.company_id is not None and contact.company_summary is not None:
            id = self._record_ids.seal_bytes(Entity.COMPANY, contact.company_id)
            preview.company = Raw(b'{"id":"%b",%b}' % (id, contact.company_summary))
        return preview


def _members(preview: msgspec.Struct) -> bytes:
    members = _encode(preview)[1:-1]
    return members + b"," if members else b""
