"""Origins: the source and day of each value of a merged record, by the rules of `merge.py`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.record_store import source_names
from firmograph.directory.records import Company, Contact
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import dated_company_rows
from firmograph.ingest.merging.contacts import dated_contact_rows
from firmograph.ingest.merging.merge import (
    UNITING_TEXTS,
    DatedCompany,
    DatedContact,
    former_jobs,
    job_key,
    newest_companies,
    newest_contacts,
    newest_marks,
    rows_at_employer,
)
from firmograph.ingest.merging.source_history import Rows
from firmograph.security.record_ids import Entity

OF_CONTACTS: Final = " (contacts)"
"""Suffix of a source, and of a row, for what its contacts say of their employer."""

_encode = msgspec.json.Encoder().encode


class ValueOrigin(NamedTuple):
    source: str
    """`""` for statements of other records about a company."""
    day: str


Origins = Mapping[str, ValueOrigin]
"""Origins by path of the field, or of the item of a list whose items come from several rows: `emails.0`."""

R = TypeVar("R", DatedContact, DatedCompany)


def read_origins(
    session: Session, entity: Entity, records: Mapping[int, Contact | Company]
) -> dict[int, Origins]:
    """Return the origins of the values of merged records by number."""
    names = source_names(session)
    rows = store.read_rows(session, entity, list(records))
    return {number: _origins(rows[number], names, record) for number, record in records.items()}


def find_origin(origins: Origins, path: str) -> ValueOrigin | None:
    """Return the origin of a value at a path, that of the field that holds it."""
    while path not in origins:
        path, dot, _ = path.rpartition(".")
        if not dot:
            return None
    return origins[path]


def _origins(rows: Rows, names: Mapping[int, str], record: Contact | Company) -> Origins:
    """Return the origins of one record. Its only row may be stored without a body, which is the record then."""
    bodies = {
        slot: row if row.row is not None else row._replace(row=_encode(record)) for slot, row in rows.items()
    }
    if isinstance(record, Contact):
        return contact_origins(dated_contact_rows(bodies, names), record)
    return company_origins(dated_company_rows(bodies, names), record)


def contact_origins(rows: Sequence[DatedContact], merged: Contact) -> Origins:
    newest = newest_contacts(rows)
    company_id = next((row.company_id for row in newest if row.record.company), None)
    origins = dict(_single_fields(newest, merged, _CONTACT_LISTS))
    here = list(rows_at_employer(newest, company_id))
    origins.pop("jobTitle", None)
    origins.update(_single_fields(here, Contact(job_title=merged.job_title), ()))
    # other values of the employer are those of its own record
    origins.pop("company", None)
    origins.update(_employer_fields(here))
    for field, key in _CONTACT_LISTS.items():

        def items_of(row: DatedContact, field: str = field) -> Iterable[Any]:
            yield from getattr(row.record, field)
            if field == "previous_employment":
                yield from former_jobs(row, company_id)

        origins.update(_items(newest, merged, field, key, items_of))
    origins.update(_marks(rows, merged))
    return origins


_CONTACT_LISTS: Final[Mapping[str, Callable[[Any], object]]] = {
    "emails": lambda one: one.email,
    "phones": lambda one: one.number,
    "previous_employment": job_key,
}


def company_origins(rows: Sequence[DatedCompany], merged: Company) -> Origins:
    newest = newest_companies(rows)
    origins = dict(_single_fields(newest, merged, {*UNITING_TEXTS, "stub"}))
    for field, key in UNITING_TEXTS.items():

        def items_of(row: DatedCompany, field: str = field) -> Iterable[Any]:
            return getattr(row.record, field)  # type: ignore[no-any-return]

        origins.update(_items(newest, merged, field, key, items_of))
    return origins


def _single_fields(
    newest: Sequence[R], merged: msgspec.Struct, other: Iterable[str]
) -> Iterable[tuple[str, ValueOrigin]]:
    """Yield the origins of fields that one row fills, the first of those that have it."""
    passed = frozenset(other)
    for field, name in zip(merged.__struct_fields__, merged.__struct_encode_fields__, strict=True):
        if field in passed or not _has_value(merged, field):
            continue
        row = next((row for row in newest if _has_value(row.record, field)), None)
        if row is not None:
            yield name, _origin(row)


def _employer_fields(rows: Sequence[DatedContact]) -> Iterable[tuple[str, ValueOrigin]]:
    """Yield the origins of the employer's values that rows give, from the newest one that has each."""
    for field in ("name", "domain"):
        given = (row for row in rows if row.record.company and getattr(row.record.company, field))
        row = next(given, None)
        if row is not None:
            yield f"company.{field}", _origin(row)


def _items(
    newest: Sequence[R],
    merged: msgspec.Struct,
    field: str,
    key: Callable[[Any], object],
    items_of: Callable[[R], Iterable[Any]],
) -> Iterable[tuple[str, ValueOrigin]]:
    """Yield the origins of the items of a list that several rows fill, the newest row that has each."""
    items = getattr(merged, field)
    if not items:
        return
    name = merged.__struct_encode_fields__[merged.__struct_fields__.index(field)]
    held = [(row, {key(item) for item in items_of(row)}) for row in newest]
    for index, item in enumerate(items):
        row = next((row for row, keys in held if key(item) in keys), None)
        if row is not None:
            yield f"{name}.{index}", _origin(row)


def _marks(rows: Sequence[DatedContact], merged: Contact) -> Iterable[tuple[str, ValueOrigin]]:
    """Yield the origins of do-not-call marks that are set."""
    marks = newest_marks(rows)
    for index, phone in enumerate(merged.phones):
        found = [
            ValueOrigin(source, mark.day)
            for (source, number), mark in marks.items()
            if phone.do_not_call and number == phone.number and mark.do_not_call
        ]
        if found:
            yield f"phones.{index}.doNotCall", max(found, key=lambda origin: origin.day)


def _has_value(record: msgspec.Struct, field: str) -> bool:
    return getattr(record, field) not in (None, "", [], False)


def _origin(row: DatedContact | DatedCompany) -> ValueOrigin:
    is_own = isinstance(row, DatedContact) or row.is_own
    return ValueOrigin(row.source if is_own else row.source + OF_CONTACTS, row.day)
