"""Preparation of raw rows for matching and storing.

It decodes and normalises a row and adds keys, version and stored JSON parts. Each row is either prepared or rejected
with a reason; none aborts an import.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any, TypeVar

import msgspec

from firmograph.directory.company_json import encode_company
from firmograph.directory.contact_json import encode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_key, stored_blocking_keys
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Company, CompanyRef, Contact
from firmograph.directory.row_keys import email_digests
from firmograph.directory.spelling_keys import stored_spelling_keys
from firmograph.directory.titles.former import with_former_titles
from firmograph.ingest.reading.clean_texts import clean_value, is_clean_json
from firmograph.ingest.reading.conversion import DroppedValue, convert_row
from firmograph.ingest.reading.flat_keys import FlatKeys
from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.reading.json_rows import load_json_line
from firmograph.ingest.reading.mapping import ROW_TYPES, native_record, row_cells
from firmograph.ingest.reading.readers import AUTODETECT, RawRow, ReadOptions, row_values
from firmograph.ingest.reading.row_layout import Layout
from firmograph.ingest.reading.unknown_keys import find_unknown_keys
from firmograph.ingest.records.company import normalise_company, normalise_employer
from firmograph.ingest.records.company_keys import referenced_company
from firmograph.ingest.records.contact import normalise_contact, read_objections
from firmograph.ingest.records.prepared_rows import (
    PreparedCompany,
    PreparedContact,
    ReferencedCompany,
    Reject,
)
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.unread_values import ColumnCounts, unread_by_column
from firmograph.ingest.records.values import code, flag, read_source_id, token
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode
_decode_employer = msgspec.json.Decoder(tuple[CompanyInput, CompanyRef]).decode
DELETED = "deleted in the program that wrote the file"
_AT = re.compile(r"(.*) - at `\$\.?(.*)`\Z", re.DOTALL)

P = TypeVar("P", PreparedContact, PreparedCompany)


class Unusable(ValueError):
    """The reason why a row cannot become a record.

    Its text is for the operator and contains no value of the row.
    """


class _Deleted(Unusable):
    """The program that wrote the file holds the row as deleted."""


class Preparer:
    """Preparation of one source's rows with one layout."""

    def __init__(
        self,
        entity: Entity,
        digests: Digests,
        source: str,
        layout: Layout | None,
        read_options: ReadOptions = AUTODETECT,
        *,
        keeps_rejected: bool = False,
    ) -> None:
        """Set `keeps_rejected` for the values of rejected rows."""
        self._digests = digests
        self._source = source
        self._layout = layout
        self._row: Any = ROW_TYPES[entity]
        self._decode = msgspec.json.Decoder(self._row).decode
        # bounded, because an entry takes about a kilobyte
        self._named = lru_cache(maxsize=32_768)(partial(_reference_from_fields, digests))
        # many people have the same employer
        self._employers = lru_cache(maxsize=4096)(self._prepare_employer)
        self._new_notes = partial(Notes, read_options.dates, read_options.country or None)
        self._flat = FlatKeys(entity)
        self._notes = self._new_notes()
        self._values = ColumnCounts()
        self._keeps_rejected = keeps_rejected

    def count_repaired_header(self, line: int) -> None:
        """Count the header among the repaired lines; 0 stands for one that was not repaired."""
        if line:
            self._values.add_repaired(line)

    def prepare_contacts(self, rows: Iterable[RawRow]) -> tuple[list[PreparedContact], list[Reject]]:
        """Return the prepared rows, and the lines that are none: rejected ones, and skipped ones as counted."""
        prepared: list[PreparedContact] = []
        return prepared, self._each(rows, self._contact, prepared)

    def prepare_companies(self, rows: Iterable[RawRow]) -> tuple[list[PreparedCompany], list[Reject]]:
        prepared: list[PreparedCompany] = []
        return prepared, self._each(rows, self._company, prepared)

    def take_counts(self) -> ColumnCounts:
        """Return the value counts of the rows since the last call."""
        values, self._values = self._values, ColumnCounts()
        # a column counts by its header, even if that equals the path of its field
        values.add_given(self._notes.given | (self._layout.take_filled() if self._layout else {}))
        self._notes.given.clear()
        values.local_numbers, self._notes.local_numbers = self._notes.local_numbers, 0
        if self._layout:
            values.add_unknown(self._layout.take_unknown())
        return values

    def _each(self, rows: Iterable[RawRow], prepare: Any, prepared: list[P]) -> list[Reject]:
        rejects: list[Reject] = []
        for raw in rows:
            if raw.is_skipped:
                self._values.add_skipped(raw.line)
                rejects.append(Reject(raw.line, raw.problem, is_lost=False))
                continue
            row = None
            dropped: list[DroppedValue] = []
            self._notes.begin()
            try:
                if raw.problem:
                    raise Unusable(raw.problem)
                row, dropped = self._read(raw.value)
                prepared.append(prepare(raw.line, row))
            except (ValueError, ArithmeticError, RecursionError) as error:
                why = reject_reason(dropped[0].error if dropped else error)
                is_lost = not isinstance(error, _Deleted)
                values = row_values(raw) if self._keeps_rejected and is_lost else b""
                rejects.append(Reject(raw.line, why, self._source_id(raw.value, row), is_lost, values))
            if raw.is_repaired or self._notes.is_repaired:
                self._values.add_repaired(raw.line)
            if dropped or self._notes.unread or (self._layout and self._layout.unreadable):
                self._count_unread(raw, dropped)
        return rejects

    def _count_unread(self, raw: RawRow, dropped: Iterable[DroppedValue]) -> None:
        cells: list[Any] = []
        if self._layout:
            cells = row_cells(
                self._layout, load_json_line(raw.value) if isinstance(raw.value, bytes) else raw.value
            )
        unread = [*self._notes.unread, *((one.path(), one.value) for one in dropped)]
        self._values.add_unread(unread_by_column(self._layout, cells, unread), raw.line)

    # --- reading ---

    def _read(self, value: bytes | list[object] | None) -> tuple[Any, list[DroppedValue]]:
        if not isinstance(value, bytes):
            assert self._layout is not None
            assert value is not None
            return convert_row(self._layout.build_record(value), self._row)
        if self._layout is None and is_clean_json(value):
            try:
                row = self._decode(value)
            except (ValueError, RecursionError):
                pass  # decode it again leniently below
            else:
                try:
                    found = load_json_line(value)
                except (ValueError, RecursionError):
                    # values that nothing reads may be none of JSON's
                    return row, []
                return self._expand(found) or (row, [])
        found = clean_value(load_json_line(value))
        record = native_record(self._layout, found) if self._layout else found
        return self._expand(found, record) or convert_row(record, self._row)

    def _expand(self, found: Any, record: Any = None) -> tuple[Any, list[DroppedValue]] | None:
        """Return a row of which some keys are names of columns, else None; count the keys that nothing reads.

        `record` is the row by the mapping, if there is one.
        """
        unknown = find_unknown_keys(self._row, found, self._layout.header if self._layout else ())
        if not unknown:
            return None
        expanded = self._flat.expand(found if record is None else record)
        self._values.add_unknown(dict.fromkeys(unknown.difference(expanded.keys if expanded else ()), 1))
        return convert_row(expanded.record, self._row) if expanded else None

    def _source_id(self, value: bytes | list[object] | None, row: Any) -> str:
        """Return the source id of a rejected row; "" if it cannot be read."""
        try:
            if row is None and isinstance(value, bytes):
                found = msgspec.json.decode(value)
                found = native_record(self._layout, found) if self._layout else found
                row = msgspec.convert(found, _SourceId)
            elif row is None and value is not None and self._layout:
                row = msgspec.convert(self._layout.build_record(value), _SourceId)
            return (code(row.source_id) or "") if row is not None else ""
        except (ValueError, RecursionError):
            return ""

    # --- preparing ---

    def _contact(self, line: int, row: ContactInput) -> PreparedContact:
        notes = self._notes
        self._check_not_deleted(row)
        record = normalise_contact(row, notes)
        digests = self._digests
        source_id = _source_id(row)
        links, ref = record.social_links, record.company
        page = linkedin_slug(links.linkedin, "in") if links and links.linkedin else None
        employer = self._employer(ref) if ref else None
        first, last = record.first_name or "", record.last_name or ""
        if not (page or record.emails):
            _check_named(first, last, employer, source_id)
        body = _encode(record)
        former = with_former_titles(record)
        return PreparedContact(
            line,
            source_id,
            _version(body if former is record else _encode(former), notes),
            record.update_date or "",
            body,
            digests.contact_source(self._source, source_id) if source_id else None,
            digests.contact_linkedin(page) if page else None,
            *email_digests(digests, record.emails),
            first,
            last,
            employer,
            encode_contact(record),
            stored_blocking_keys(first, last),
            stored_spelling_keys(first, last),
            notes.marks,
            notes.typed,
            self._employer_row(line, row, record) if row.employer and ref else None,
            bool(read_objections(row, notes)),
        )

    def _check_not_deleted(self, row: ContactInput | CompanyInput) -> None:
        """Raise _Deleted for a row that the exporting program marks as deleted."""
        if row.deleted is not None and self._notes.read("deleted", row.deleted, flag):
            raise _Deleted(DELETED)

    def _employer(self, ref: CompanyRef) -> ReferencedCompany | None:
        return self._named(ref.name, ref.domain, ref.linkedin_url, ref.country_iso2, ref.token)

    def _employer_row(self, line: int, row: ContactInput, record: Contact) -> PreparedCompany | None:
        """Return the employer's data in a contact's row as a row of companies; None if it only names the employer."""
        found, notes = self._employers(_encode((row.employer, record.company)), record.update_date)
        for path, count in notes.given.items():
            self._notes.given[f"employer.{path}"] += count
        self._notes.local_numbers += notes.local_numbers
        self._notes.is_repaired |= notes.is_repaired
        self._notes.unread += [(f"employer.{path}", value) for path, value in notes.unread]
        return msgspec.structs.replace(found, line=line) if found else None

    def _prepare_employer(self, encoded: bytes, day: str | None) -> tuple[PreparedCompany | None, Notes]:
        given, ref = _decode_employer(encoded)
        notes = self._new_notes()
        record = normalise_employer(given, ref, day, notes)
        source_id = read_source_id(given.source_id)
        if ";" in source_id:
            source_id = ""  # ids of several companies; only the name identifies the right one
        return self._prepared_company(0, record, source_id) if record else None, notes

    def _company(self, line: int, row: CompanyInput) -> PreparedCompany:
        self._check_not_deleted(row)
        prepared = self._prepared_company(line, normalise_company(row, self._notes), _source_id(row))
        if prepared is None:
            raise Unusable(
                "no name, domain or LinkedIn URL that could be read"
                if _has_identifying_value(row)
                else "no name, domain or linkedinUrl"
            )
        return prepared

    def _prepared_company(self, line: int, record: Company, source_id: str) -> PreparedCompany | None:
        """Return the prepared row; None when the record has no usable name, domain or page."""
        own = referenced_company(self._digests, _own_ref(record, token(source_id)))
        if own is None:
            return None
        body = _encode(record)
        return PreparedCompany(
            line,
            source_id,
            hashlib.blake2b(body, digest_size=8).digest(),
            record.update_date or "",
            body,
            own,
            self._digests.company_source(self._source, source_id) if source_id else None,
            encode_company(record),
        )


class _SourceId(msgspec.Struct, rename="camel"):
    source_id: str | int | float | None = None


def _source_id(row: ContactInput | CompanyInput) -> str:
    return read_source_id(row.source_id) or token(row.id) or ""


def _reference_from_fields(
    digests: Digests,
    name: str | None,
    domain: str | None,
    page: str | None,
    country: str | None,
    token: str | None,
) -> ReferencedCompany | None:
    ref = CompanyRef(name=name, domain=domain, linkedin_url=page, country_iso2=country, token=token)
    return referenced_company(digests, ref)


def _version(body: bytes, notes: Notes) -> bytes:
    """Return the digest of a row, its titles as formerly derived, with its marks and stated types."""
    stated = _encode((notes.marks, notes.typed)) if notes.marks or notes.typed else b""
    return hashlib.blake2b(body + stated, digest_size=8).digest()


def _check_named(first: str, last: str, employer: ReferencedCompany | None, source_id: str) -> None:
    """Raise Unusable for a person without e-mail and page who lacks a name, or both employer and id.

    See docs/reference/records.md#identity-keys.
    """
    if not full_name_key(first, last):
        raise Unusable("no name, e-mail or linkedinUrl")
    if employer is None and not source_id:
        raise Unusable("a name alone: no company, e-mail, linkedinUrl or sourceId")


def _own_ref(record: Company, token: str | None) -> CompanyRef:
    links, where = record.social_links, record.location
    return CompanyRef(
        name=record.name,
        domain=record.domain,
        linkedin_url=links.linkedin if links else None,
        country_iso2=where.country_iso2 if where else None,
        token=token,
    )


def _has_identifying_value(row: CompanyInput) -> bool:
    return bool(row.name or row.domain or row.linkedin_url)


def reject_reason(error: Exception) -> str:
    """Return what is wrong with a row: the field's path but none of its values."""
    if isinstance(error, Unusable):
        return str(error)
    if isinstance(error, msgspec.ValidationError):
        match = _AT.fullmatch(str(error))
        what = (match[1] if match else str(error)).replace("`", "").replace("Expected", "expected")
        return f"{match[2]}: {what}" if match and match[2] else f"not a record: {what}"
    if isinstance(error, msgspec.DecodeError):
        return str(error)
    if isinstance(error, UnicodeError):
        return "not UTF-8"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return f"could not be read ({type(error).__name__})"
