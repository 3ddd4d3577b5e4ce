"""People who are marked as opted out by imports, and are still held."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pyroaring import BitMap

from firmograph.database.connection import Database
from firmograph.directory import record_store
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.record_store import WholeContact
from firmograph.ingest.imports import store
from firmograph.ingest.imports.runs import find_import
from firmograph.security.record_ids import Entity, RecordIds

_PAGE: Final = 500


class MarkedPerson(NamedTuple):
    id: str
    full_name: str
    company: str
    email: str
    imports: list[int]
    """Numbers of the imports of which a row marks the person, oldest first."""


class OptOutMarks:
    """Marks of imports that were not taken back."""

    def __init__(self, database: Database, record_ids: RecordIds) -> None:
        self._database = database
        self._record_ids = record_ids

    def people(self, number: int | None = None) -> Iterator[MarkedPerson]:
        """Return the held people with a mark of any import, or of one, in the order of their records.

        Raises Refused for an unknown import.
        """
        with self._database.read() as session:
            if number is not None:
                find_import(session, number)
            marks = store.select_opt_out_marks(session)
        marked = list(BitMap.union(BitMap(), *marks.values()) if number is None else marks.get(number, ()))
        return self._read(marked, marks)

    def _read(self, marked: list[int], marks: Mapping[int, BitMap]) -> Iterator[MarkedPerson]:
        for start in range(0, len(marked), _PAGE):
            with self._database.read() as session:
                found = record_store.records_by_number(session, Entity.CONTACT, marked[start : start + _PAGE])
            for contact in sorted(found):
                yield self._person(
                    found[contact], [one for one, people in marks.items() if contact in people]
                )

    def _person(self, stored: record_store.WholeRecord, imports: list[int]) -> MarkedPerson:
        assert isinstance(stored, WholeContact)
        record = decode_contact(stored.parts)
        return MarkedPerson(
            self._record_ids.seal(Entity.CONTACT, stored.number),
            record.full_name or "",
            (record.company and record.company.name) or "",
            record.emails[0].email if record.emails else "",
            imports,
        )
