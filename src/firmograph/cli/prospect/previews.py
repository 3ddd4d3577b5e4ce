"""Previews of records by number, as commands show them."""

from collections.abc import Sequence

import msgspec

from firmograph.cli.prospect.output import Row
from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.store import LookupContact
from firmograph.security.record_ids import Entity, RecordIds


class PreviewReader:
    def __init__(self, record_ids: RecordIds) -> None:
        self._record_ids = record_ids

    def rows(self, session: Session, entity: Entity, numbers: Sequence[int]) -> dict[int, Row]:
        """Return the previews of those of the records that exist, by number and in the order given."""
        if entity is Entity.CONTACT:
            people = store.contacts_by_number(session, numbers)
            return {number: self._contact(people[number]) for number in numbers if number in people}
        companies = store.companies_by_number(session, numbers)
        return {
            number: self._row(entity, number, companies[number].preview)
            for number in numbers
            if number in companies
        }

    def _contact(self, contact: LookupContact) -> Row:
        row = self._row(Entity.CONTACT, contact.number, contact.preview)
        if contact.company_id is not None and contact.company_summary is not None:
            token = self._record_ids.seal(Entity.COMPANY, contact.company_id)
            row["company"] = {"id": token} | msgspec.json.decode(b"{%s}" % contact.company_summary)
        return row

    def _row(self, entity: Entity, number: int, preview: bytes) -> Row:
        fields: Row = msgspec.json.decode(preview)
        return {"id": self._record_ids.seal(entity, number)} | fields
