"""Columns of exported records, named as the fields that imports read.

A file with rows and columns holds the values of a record that fit into cells; JSON Lines holds all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from firmograph.directory.records import Company, Contact, Count, Email, Phone, Revenue
from firmograph.directory.vocabulary import TOP_SIZE_MAX
from firmograph.ingest.merging.origins import find_origin
from firmograph.kit.table_files.columns import CellValue, ColumnType, FileColumn, FileRow
from firmograph.record_export.service import ExportedRecord
from firmograph.security.record_ids import Entity

_SLOTS: Final = 4
"""E-mails and phones with columns of their own; the last of these holds all further ones too."""
_SOURCE: Final = "{} source"
_SEPARATOR: Final = "; "


class _Field(NamedTuple):
    path: str
    value: Callable[[Any], CellValue]
    """Function of the record."""
    type: ColumnType = "string"


class RecordColumns:
    """Columns of a kind of records, with a row of cells for each."""

    def __init__(self, entity: Entity, *, deleted: bool = False, sources: bool = False) -> None:
        """Choose the columns; `deleted` marks deleted records, `sources` adds the source of each value behind it."""
        self._fields = _FIELDS[entity]
        self._deleted = deleted
        self._sources = sources
        self._has_employer = entity is Entity.CONTACT
        head = [FileColumn("id"), *([FileColumn("deleted", "boolean")] if deleted else [])]
        employer = [FileColumn("company.id")] if self._has_employer else []
        fields = (FileColumn(field.path, field.type) for field in self._fields)
        self.columns = [
            *head,
            *employer,
            *(each for column in fields for each in ([column, _source_of(column)] if sources else [column])),
        ]

    def rows(self, records: Iterable[ExportedRecord]) -> Iterator[FileRow]:
        """Yield the cells of each record."""
        width = len(self.columns)
        for each in records:
            row: list[CellValue] = [each.id]
            if self._deleted:
                row.append(True if each.record is None else None)
            if each.record is None:
                yield row + [None] * (width - len(row))
                continue
            if self._has_employer:
                row.append(each.employer_id or None)
            row += self._cells(each)
            yield row

    def _cells(self, exported: ExportedRecord) -> Iterator[CellValue]:
        record, origins = exported.record, exported.origins or {}
        for field in self._fields:
            value = field.value(record)
            yield value
            if self._sources:
                origin = None if value is None else find_origin(origins, field.path)
                yield None if origin is None else origin.source


def _source_of(column: FileColumn) -> FileColumn:
    return FileColumn(_SOURCE.format(column.heading))


def _at(path: str, type: ColumnType = "string") -> _Field:
    """Return the field at a path of names; a list or text that is empty is no value."""
    names = [_snake(name) for name in path.split(".")]

    def get(record: Any) -> CellValue:
        for name in names:
            if record is None:
                return None
            record = getattr(record, name)
        return None if record in ("", []) else record

    return _Field(path, get, type)


def _snake(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)


def _email_fields() -> Iterator[_Field]:
    for slot in range(_SLOTS):
        yield _Field(f"emails.{slot}.email", _joined("emails", slot, lambda one: one.email))
        yield _Field(f"emails.{slot}.type", _first("emails", slot, lambda one: one.type))


def _phone_fields() -> Iterator[_Field]:
    for slot in range(_SLOTS):
        yield _Field(f"phones.{slot}.number", _joined("phones", slot, lambda one: one.number))
        yield _Field(f"phones.{slot}.type", _first("phones", slot, lambda one: one.type))
        yield _Field(f"phones.{slot}.doNotCall", _any_marked(slot), "boolean")


def _slot(record: Contact, field: str, slot: int) -> Sequence[Any]:
    """Return the items of a slot, usually one; the last slot has all further ones."""
    items: Sequence[Any] = getattr(record, field)
    return items[slot:] if slot == _SLOTS - 1 else items[slot : slot + 1]


def _joined(field: str, slot: int, text: Callable[[Any], str]) -> Callable[[Contact], CellValue]:
    return lambda record: _SEPARATOR.join(map(text, _slot(record, field, slot))) or None


def _first(field: str, slot: int, text: Callable[[Email | Phone], str]) -> Callable[[Contact], CellValue]:
    """Return a function for a value that all items of a slot have; none where they differ."""

    def get(record: Contact) -> CellValue:
        found = {text(one) for one in _slot(record, field, slot)}
        return found.pop() if len(found) == 1 else None

    return get


def _any_marked(slot: int) -> Callable[[Contact], CellValue]:
    """Return a function for the mark of a slot, which holds for each of its numbers if it holds for one."""

    def get(record: Contact) -> CellValue:
        numbers = _slot(record, "phones", slot)
        return any(one.do_not_call for one in numbers) if numbers else None

    return get


def _employees(record: Company) -> CellValue:
    count: Count | None = record.employee_count
    if count is None or count.exact is not None:
        return None if count is None else str(count.exact)
    return _span(count.min, None if count.max == TOP_SIZE_MAX else count.max)


def _revenue(record: Company) -> CellValue:
    revenue: Revenue | None = record.revenue_range
    return None if revenue is None else _span(revenue.min, revenue.max)


def _span(low: float | None, high: float | None) -> str:
    return f"{low or 1:.0f}+" if high is None else f"{low or 1:.0f}-{high:.0f}"


def _codes(field: str) -> Callable[[Company], CellValue]:
    return lambda record: [str(one.code) for one in getattr(record, field)] or None


def _company_slots(field: str, part: str) -> Iterator[_Field]:
    for slot in range(_SLOTS):
        yield _Field(f"{field}.{slot}.{part}", _joined(field, slot, lambda one: getattr(one, part)))


_LOCATION: Final = tuple(
    _at(f"location.{name}") for name in ("country", "countryIso2", "state", "stateCode", "city", "zipCode")
)
_FIELDS: Final[dict[Entity, Sequence[_Field]]] = {
    Entity.CONTACT: (
        *(_at(name) for name in ("firstName", "lastName", "fullName")),
        _at("jobTitle.title"),
        _at("jobTitle.departments", "list"),
        _at("jobTitle.seniority"),
        _at("jobTitle.startDate"),
        *(_at(f"company.{name}") for name in ("name", "domain", "linkedinUrl", "countryIso2")),
        *_email_fields(),
        *_phone_fields(),
        *_LOCATION,
        _at("socialLinks.linkedin"),
        _at("socialLinks.xUrl"),
        _at("linkedinConnections", "integer"),
        _at("linkedinFollowers", "integer"),
        *(_at(name, "list") for name in ("skills", "certifications", "awards", "previousEmails")),
        _at("updateDate"),
    ),
    Entity.COMPANY: (
        _at("name"),
        _at("alternativeNames", "list"),
        _at("domain"),
        _at("alternativeDomains", "list"),
        *(_at(name) for name in ("emailDomain", "homepageUrl", "description", "companyOffering", "companyType")),
        _at("yearFounded", "integer"),
        _Field("employeeCount", _employees),
        _Field("revenueRange", _revenue),
        _at("industry"),
        _at("subIndustry"),
        *(_at(name, "list") for name in ("industryTags", "specialities", "keywords", "technologies", "businessModel")),
        _Field("sicCodes", _codes("sic_codes"), "list"),
        _Field("naicsCodes", _codes("naics_codes"), "list"),
        *_LOCATION,
        *(_at(f"socialLinks.{name}") for name in ("linkedin", "facebook", "x")),
        *(_at(f"socialLinks.{name}", "list") for name in ("instagram", "youtube", "tiktok")),
        _at("linkedinFollowers", "integer"),
        *_company_slots("phones", "number"),
        *_company_slots("emails", "email"),
        _at("funding.totalRounds", "integer"),
        _at("funding.totalRoundsAmount", "number"),
        _at("funding.currency"),
        _at("funding.isIpo", "boolean"),
        _at("funding.lastRoundType"),
        _at("funding.lastRoundAmount", "number"),
        _at("funding.lastRoundDate"),
        _at("popularityTier", "integer"),
        _at("logoUrl"),
        _at("estimatedAnnualItSpend.value", "number"),
        _at("estimatedAnnualItSpend.currency"),
        _at("monthlyWebsiteTraffic.visits", "number"),
        _at("monthlyWebsiteTraffic.month"),
        _at("openJobs.total", "integer"),
        *(_at(f"{name}.{part}") for name in ("directParent", "ultimateParent") for part in ("name", "domain")),
        _at("stockSymbols", "list"),
        _at("ipoDate"),
        _at("updateDate"),
    ),
}  # fmt: skip
