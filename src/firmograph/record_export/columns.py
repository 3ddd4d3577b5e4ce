"""Columns of exported records, named as the fields that imports read.

A file with rows and columns holds the values of a record that fit into cells; JSON Lines holds all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, Final, NamedTuple

from firmograph.directory.records import Company, Contact, JobTitle
from firmograph.directory.vocabulary import TOP_SIZE_MAX
from firmograph.ingest.merging.origins import Origins, find_origin
from firmograph.kit.table_files.columns import CellValue, ColumnType, FileColumn, FileRow
from firmograph.record_export.service import ExportedRecord
from firmograph.security.record_ids import Entity

_SLOTS: Final = 4
"""E-mails and phones with columns of their own; the last of these holds all further ones too."""
_SOURCE: Final = "{} source"
_SEPARATOR: Final = "; "

Cells = Sequence[CellValue]


class _Group(NamedTuple):
    """Neighbouring columns whose cells are made together."""

    columns: Sequence[FileColumn]
    cells: Callable[[Any], Cells]
    """Function of the record."""


class RecordColumns:
    """Columns of a kind of records, with a row of cells for each."""

    def __init__(self, entity: Entity, *, deleted: bool = False, sources: bool = False) -> None:
        """Choose the columns; `deleted` marks deleted records, `sources` adds the source of each value behind it."""
        self._deleted = deleted
        self._sources = sources
        self._has_employer = entity is Entity.CONTACT
        groups = _GROUPS[entity]
        self._cells = [group.cells for group in groups]
        self._fields = [column for group in groups for column in group.columns]
        head = [FileColumn("id")]
        if deleted:
            head.append(FileColumn("deleted", "boolean"))
        if self._has_employer:
            head.append(FileColumn("company.id"))
        self.columns = head + (_with_sources(self._fields) if sources else self._fields)

    def rows(self, records: Iterable[ExportedRecord]) -> Iterator[FileRow]:
        """Yield the cells of each record."""
        width = len(self.columns)
        for each in records:
            record = each.record
            row: list[CellValue] = [each.id]
            if self._deleted:
                row.append(True if record is None else None)
            if record is None:
                yield row + [None] * (width - len(row))
                continue
            if self._has_employer:
                row.append(each.employer_id or None)
            cells = list(chain.from_iterable(make(record) for make in self._cells))
            row += self._between_sources(cells, each.origins or {}) if self._sources else cells
            yield row

    def _between_sources(self, cells: Cells, origins: Origins) -> Iterator[CellValue]:
        for column, value in zip(self._fields, cells, strict=True):
            yield value
            yield None if value is None else _sources(origins, column.heading)


def _with_sources(columns: Iterable[FileColumn]) -> list[FileColumn]:
    return [each for one in columns for each in (one, FileColumn(_SOURCE.format(one.heading)))]


def _sources(origins: Origins, path: str) -> str | None:
    """Return the source of a value, of a list whose items come from several rows all of them."""
    if origin := find_origin(origins, path):
        return origin.source
    items = (origin.source for name, origin in origins.items() if name.startswith(f"{path}."))
    return _SEPARATOR.join(dict.fromkeys(items)) or None


def _snake(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)


def _getter(names: Sequence[str]) -> Callable[[Any], Cells]:
    """Return a function for the values of several fields."""
    get = attrgetter(*map(_snake, names))
    return get if len(names) > 1 else lambda record: (get(record),)


def _values(*names: str, type: ColumnType = "string") -> _Group:
    return _Group([FileColumn(name, type) for name in names], _getter(names))


def _lists(*names: str) -> _Group:
    get = _getter(names)
    return _Group(
        [FileColumn(name, "list") for name in names],
        lambda record: [value or None for value in get(record)],
    )


def _part(name: str, types: Mapping[str, ColumnType]) -> _Group:
    """Return the fields of a part that a record may lack, with their types."""
    part, get, nothing = attrgetter(_snake(name)), _getter(list(types)), (None,) * len(types)
    columns = [FileColumn(f"{name}.{field}", type) for field, type in types.items()]

    def cells(record: Any) -> Cells:
        found = part(record)
        return nothing if found is None else get(found)

    return _Group(columns, cells)


def _texts(name: str, *fields: str) -> _Group:
    return _part(name, dict.fromkeys(fields, "string"))


def _slots(name: str, types: Mapping[str, ColumnType], join: Callable[[Sequence[Any]], Cells]) -> _Group:
    """Return the columns of each slot of a list; `join` returns the cells of a slot's items, mostly a single one."""
    items, nothing = attrgetter(name), (None,) * len(types)

    def cells(record: Any) -> Cells:
        found = items(record)
        if not found:
            return nothing * _SLOTS
        last = _SLOTS - 1
        slots = [join(found[slot : slot + 1]) for slot in range(min(len(found), last))]
        if len(found) > last:
            slots.append(join(found[last:]))
        return [*chain.from_iterable(slots), *nothing * (_SLOTS - len(slots))]

    columns = [
        FileColumn(f"{name}.{slot}.{field}", type) for slot in range(_SLOTS) for field, type in types.items()
    ]
    return _Group(columns, cells)


def _same(values: Iterable[str]) -> str | None:
    """Return the value that all have; None where they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _emails(items: Sequence[Any]) -> Cells:
    return _SEPARATOR.join(one.email for one in items), _same(one.type for one in items)


def _phones(items: Sequence[Any]) -> Cells:
    """Return numbers, their type, and their mark, which holds for all if it holds for one."""
    numbers = _SEPARATOR.join(one.number for one in items)
    return numbers, _same(one.type for one in items), any(one.do_not_call for one in items)


def _job_title(record: Contact) -> Cells:
    title: JobTitle | None = record.job_title
    if title is None:
        return None, None, None, None
    return title.title or None, title.departments or None, title.seniority, title.start_date


def _size_and_revenue(record: Company) -> Cells:
    count, revenue = record.employee_count, record.revenue_range
    size = None
    if count is not None:
        most = None if count.max == TOP_SIZE_MAX else count.max
        size = _span(count.min, most) if count.exact is None else str(count.exact)
    return size, None if revenue is None else _span(revenue.min, revenue.max)


def _span(low: float | None, high: float | None) -> str:
    return f"{low or 1:.0f}+" if high is None else f"{low or 1:.0f}-{high:.0f}"


def _codes(record: Company) -> Cells:
    return [[str(one.code) for one in codes] or None for codes in (record.sic_codes, record.naics_codes)]


def _pages(record: Company) -> Cells:
    links = record.social_links
    return (
        (None,) * 3
        if links is None
        else [links.instagram or None, links.youtube or None, links.tiktok or None]
    )


_LOCATION: Final = _texts("location", "country", "countryIso2", "state", "stateCode", "city", "zipCode")
_GROUPS: Final[dict[Entity, Sequence[_Group]]] = {
    Entity.CONTACT: (
        _values("firstName", "lastName", "fullName"),
        _Group(
            [
                FileColumn("jobTitle.title"),
                FileColumn("jobTitle.departments", "list"),
                FileColumn("jobTitle.seniority"),
                FileColumn("jobTitle.startDate"),
            ],
            _job_title,
        ),
        _texts("company", "name", "domain", "linkedinUrl", "countryIso2"),
        _slots("emails", {"email": "string", "type": "string"}, _emails),
        _slots("phones", {"number": "string", "type": "string", "doNotCall": "boolean"}, _phones),
        _LOCATION,
        _texts("socialLinks", "linkedin", "xUrl"),
        _values("linkedinConnections", "linkedinFollowers", type="integer"),
        _lists("skills", "certifications", "awards", "previousEmails"),
        _values("updateDate"),
    ),
    Entity.COMPANY: (
        _values("name", "domain", "emailDomain", "homepageUrl"),
        _lists("alternativeNames", "alternativeDomains"),
        _values("description", "companyOffering", "companyType"),
        _values("yearFounded", type="integer"),
        _Group([FileColumn("employeeCount"), FileColumn("revenueRange")], _size_and_revenue),
        _values("industry", "subIndustry"),
        _lists("industryTags", "specialities", "keywords", "technologies", "businessModel"),
        _Group([FileColumn("sicCodes", "list"), FileColumn("naicsCodes", "list")], _codes),
        _LOCATION,
        _texts("socialLinks", "linkedin", "facebook", "x"),
        _Group(
            [FileColumn(f"socialLinks.{name}", "list") for name in ("instagram", "youtube", "tiktok")], _pages
        ),
        _values("linkedinFollowers", type="integer"),
        _slots("phones", {"number": "string"}, lambda items: (_SEPARATOR.join(one.number for one in items),)),
        _slots("emails", {"email": "string"}, lambda items: (_SEPARATOR.join(one.email for one in items),)),
        _part(
            "funding",
            {
                "totalRounds": "integer",
                "totalRoundsAmount": "number",
                "currency": "string",
                "isIpo": "boolean",
                "lastRoundType": "string",
                "lastRoundAmount": "number",
                "lastRoundDate": "string",
            },
        ),
        _values("popularityTier", type="integer"),
        _values("logoUrl"),
        _part("estimatedAnnualItSpend", {"value": "number", "currency": "string"}),
        _part("monthlyWebsiteTraffic", {"visits": "number", "month": "string"}),
        _part("openJobs", {"total": "integer"}),
        _texts("directParent", "name", "domain"),
        _texts("ultimateParent", "name", "domain"),
        _lists("stockSymbols"),
        _values("ipoDate", "updateDate"),
    ),
}
