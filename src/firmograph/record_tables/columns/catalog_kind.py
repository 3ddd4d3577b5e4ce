"""Catalog columns: values from the stored parts of records, which are not decoded as a whole."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from firmograph.billing.affordable_charge import PricedGroup
from firmograph.billing.paid_units import PaidUnits, data_point_action
from firmograph.billing.types import Unit
from firmograph.database.connection import AccountSession
from firmograph.directory import store
from firmograph.directory.company_json import is_bare
from firmograph.directory.data_points import COMPANY_BASE, CONTACT_UNITS
from firmograph.directory.store import CompanyProfile, ContactProfile
from firmograph.enrichment.ownership import find_related
from firmograph.enrichment.record_renderer import RecordRenderer
from firmograph.record_tables.columns.catalog import CatalogColumn, find_entry
from firmograph.record_tables.columns.kind import NO_DATA, CellContent
from firmograph.record_tables.types import TableColumn, ValueType
from firmograph.security.record_ids import Entity
from firmograph.table_rows import FoundValues

_FREE_COMPANY_KEYS: Final = ("name", "domain")
"""What a company without base data holds."""
_EMPTY: Final = (b"null", b'""', b"[]", b"{}")
_EMAIL_TYPES: Final = {"work": ("work", "unknown"), "private": ("private",)}
"""Types of the addresses of a column, the preferred one first."""
_MOBILE_AND_DIRECT: Final = ("mobile", "direct")

_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode
_encode = msgspec.json.Encoder().encode


class _Email(msgspec.Struct):
    email: msgspec.Raw
    type: str = "unknown"


class _Phone(msgspec.Struct, rename="camel"):
    number: msgspec.Raw
    type: str = "unknown"
    do_not_call: bool = False


_decode_emails = msgspec.json.Decoder(list[_Email]).decode
_decode_phones = msgspec.json.Decoder(list[_Phone]).decode


class _Value(NamedTuple):
    json: bytes | None
    note: Mapping[str, Any] | None = None


_NOTHING: Final = _Value(None)


class _Source(Protocol):
    """Stored parts of one record."""

    def value(self, entry: CatalogColumn) -> _Value: ...


class CatalogKind:
    """Kind of the columns of the catalogs."""

    def __init__(self, renderer: RecordRenderer, paid_units: PaidUnits) -> None:
        self._renderer = renderer
        self._paid_units = paid_units

    def value_type(self, column: TableColumn, entity: Entity) -> ValueType:
        return _entry(column, entity).type

    def load(
        self,
        session: AccountSession,
        entity: Entity,
        columns: Collection[TableColumn],
        numbers: Collection[int],
        at: float,
    ) -> Mapping[int, Mapping[int, CellContent]]:
        """Return the content of cells. One statement; for companies one more each for competitors, extras and base.

        A company that was added while it held name and domain alone has cost nothing, so its base is due with the first
        base value that a column other than the default ones gets.
        """
        entries = {column.id: _entry(column, entity) for column in columns}
        records: Mapping[int, _Source]
        if entity is Entity.CONTACT:
            profiles = store.contact_profiles(session.session, numbers)
            records = {number: _StoredContact(profile) for number, profile in profiles.items()}
        else:
            records = self._companies(session, entries.values(), numbers)
        of_base = {id for id, entry in entries.items() if _is_of_base(entry, entity)}
        due = self._unpaid_bases(session, records) if of_base else frozenset()
        return {
            id: {
                number: _content(entry, entity, number, record, is_base_due=id in of_base and number in due)
                for number, record in records.items()
            }
            for id, entry in entries.items()
        }

    def _unpaid_bases(self, session: AccountSession, records: Mapping[int, _Source]) -> Collection[int]:
        """Return the companies with base data for which the account has never paid. One statement."""
        numbers = [
            number
            for number, record in records.items()
            if isinstance(record, _StoredCompany) and not record.is_bare
        ]
        return set(numbers) - self._paid_units.ever_paid(session, Entity.COMPANY, numbers, COMPANY_BASE)

    def _companies(
        self, session: AccountSession, entries: Iterable[CatalogColumn], numbers: Collection[int]
    ) -> dict[int, "_StoredCompany"]:
        profiles = store.company_profiles(session.session, numbers)
        sources = {entry.source for entry in entries}
        has_extras = any(source.startswith("extras.") for source in sources)
        extras = store.company_extras(session.session, numbers) if has_extras else {}
        records = {number: _StoredCompany(one, extras.get(number)) for number, one in profiles.items()}
        if "premium.competitors" in sources:
            related = find_related(session.session, list(profiles.values()), ["competitors"])
            for record in records.values():
                record.show_competitors(lambda numbers: self._renderer.competitors(related, numbers))
        return records


def load_found(
    columns: Collection[TableColumn], found: Mapping[int, FoundValues]
) -> Mapping[int, Mapping[int, CellContent]]:
    """Return the content of cells that values of other providers give to contacts. No statement."""
    entries = {column.id: _entry(column, Entity.CONTACT) for column in columns}
    values = {
        number: _StoredContact(ContactProfile(number, None, b"{}", one.emails, one.phones, None))
        for number, one in found.items()
    }
    return {
        id: {
            number: _content(entry, Entity.CONTACT, number, record, is_base_due=False)
            for number, record in values.items()
        }
        for id, entry in entries.items()
        if entry.unit in CONTACT_UNITS
    }


def _entry(column: TableColumn, entity: Entity) -> CatalogColumn:
    entry = find_entry(entity, column.key or "")
    if entry is None:
        raise LookupError(f"no catalog has the stored column {column.key!r}")
    return entry


def _is_of_base(entry: CatalogColumn, entity: Entity) -> bool:
    """Return whether a column shows base data of companies, which their free previews lack."""
    return entity is Entity.COMPANY and entry.unit is None and entry.key not in _FREE_COMPANY_KEYS


def _content(
    entry: CatalogColumn, entity: Entity, number: int, record: _Source, *, is_base_due: bool
) -> CellContent:
    value, note = record.value(entry)
    if value is None or value in _EMPTY:
        return NO_DATA
    if entry.type == "string" and not value.startswith(b'"'):
        value = b'"%s"' % value
    name = COMPANY_BASE if is_base_due else entry.unit
    if name is None:
        return CellContent(value, (), note)
    unit = Unit(entity, number, name)
    return CellContent(value, (PricedGroup(data_point_action(unit), (unit,)),), note)


class _StoredJson:
    """Stored JSON parts of a record, decoded as far as values need it."""

    def __init__(self, **parts: bytes | None) -> None:
        self._parts = parts
        self._fields: dict[str, dict[str, msgspec.Raw]] = {}

    def find(self, path: str) -> bytes | None:
        """Return the JSON at a path, whose first name is the part."""
        part, *names = path.split(".")
        fields = self._fields.get(part)
        if fields is None:
            fields = self._fields[part] = _decode_fields(self._parts[part] or b"{}")
        value = fields.get(names[0])
        for name in names[1:]:
            if value is None:
                return None
            if name.isdigit():
                value = dict(enumerate(_decode_items(value))).get(int(name))
            else:
                value = _decode_fields(value).get(name)
        return None if value is None else bytes(value)

    def replace(self, part: str, name: str, value: bytes) -> None:
        self._fields[part][name] = msgspec.Raw(value)


class _StoredContact:
    def __init__(self, profile: ContactProfile) -> None:
        employer = profile.company_summary
        self._profile = profile
        self._parts = _StoredJson(profile=profile.profile, employer=b"{%s}" % employer if employer else None)

    def value(self, entry: CatalogColumn) -> _Value:
        part, _, name = entry.source.partition(".")
        if part == "emails":
            return self._email(_EMAIL_TYPES[name])
        if part == "phones":
            return self._phone(name)
        return _Value(self._full_name() if part == "name" else self._parts.find(entry.source))

    def _full_name(self) -> bytes | None:
        """Return the full name, or first and last name if the record has none."""
        if (stated := self._parts.find("profile.fullName")) is not None:
            return stated
        names = [self._parts.find("profile.firstName"), self._parts.find("profile.lastName")]
        return _encode(" ".join(_decode_text(name) for name in names if name is not None))

    def _email(self, types: tuple[str, ...]) -> _Value:
        emails = _decode_emails(self._profile.emails or b"[]")
        for type in types:
            for one in emails:
                if one.type == type:
                    return _Value(bytes(one.email))
        return _NOTHING

    def _phone(self, type: str) -> _Value:
        for one in _decode_phones(self._profile.phones or b"[]"):
            if one.type == type or (type == "work" and one.type not in _MOBILE_AND_DIRECT):
                return _Value(bytes(one.number), {"doNotCall": True} if one.do_not_call else None)
        return _NOTHING


class _StoredCompany:
    def __init__(self, profile: CompanyProfile, extras: bytes | None) -> None:
        self._profile = profile.profile
        self._parts = _StoredJson(profile=profile.profile, premium=profile.premium, extras=extras)

    @property
    def is_bare(self) -> bool:
        return is_bare(self._profile)

    def value(self, entry: CatalogColumn) -> _Value:
        return _Value(self._parts.find(entry.source))

    def show_competitors(self, render: Callable[[bytes], bytes]) -> None:
        """Replace the stored numbers of competitors by what enrich shows of them."""
        stored = self._parts.find("premium.competitors")
        if stored is not None:
            self._parts.replace("premium", "competitors", render(stored))
