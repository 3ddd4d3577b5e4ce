"""Reports on people: what is held, from which source and day, where else they stand, and who was shown it.

See docs/reference/privacy.md. The registry of personal data (`declarations.py`) names places and recipients; the record
itself, with the source of each value, comes from the package of exports.
"""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

import msgspec

from firmograph.database.connection import Database, Session
from firmograph.directory.record_store import source_names
from firmograph.kit.clock import Clock, iso
from firmograph.privacy.declarations import Impersonal, People, PersonalData, Recipient, TableData
from firmograph.privacy.readable_rows import camel

FORMAT: Final = "firmograph-person-1"
NOTES: Final = (
    "Who was shown a preview (name, job title, company) in search, prospecting or tables is not recorded.",
    "Of partners only the first time is known. Receivers of signals of companies that name the person are not listed.",
    "Backups, imported files and exported files are not searched.",
)


class ReportedValue(msgspec.Struct, rename="camel"):
    """Value of a record."""

    path: str
    """Names of the fields and indexes of lists, joined by dots."""
    value: Any
    source: str | None = None
    day: str | None = None


class ReportedRow(msgspec.Struct, rename="camel"):
    """Row of a source that a record was merged from."""

    source: str
    source_id: str
    day: str
    versions: int
    """Versions that arrived, this one included."""


class ReportedRecord(msgspec.Struct, rename="camel"):
    """Record of a person."""

    id: str
    values: list[ReportedValue]
    rows: list[ReportedRow]


class ReportedPlace(msgspec.Struct, rename="camel"):
    """Place that holds data of a person."""

    place: str
    package: str
    tables: dict[str, list[Mapping[str, Any]]]
    """Entries by table: those of the person, without other people's data."""
    accounts: list[str] = []
    """Accounts that the entries belong to."""
    stays: str | None = None
    """Why entries stay after an erasure."""

    @property
    def count(self) -> int:
        """Number of entries."""
        return sum(map(len, self.tables.values()))


class ReportedRecipient(msgspec.Struct, rename="camel"):
    """Recipient of data of a person."""

    kind: str
    account: str | None
    """Account that was shown it, or on whose behalf another recipient was; none of a provider, or by category."""
    name: str | None
    """Partner, address of a receiver or model, or provider."""
    shown: list[str]
    first: str
    """Time."""
    last: str


class PersonReport(msgspec.Struct, rename="camel"):
    """What is held of one person."""

    records: list[ReportedRecord]
    places: list[ReportedPlace]
    recipients: list[ReportedRecipient]

    @property
    def name(self) -> str:
        """Name and job of the first record; empty without one."""
        values = {each.path: each.value for one in self.records[:1] for each in one.values}
        name = values.get("fullName") or " ".join(
            str(values[part]) for part in ("firstName", "lastName") if part in values
        )
        return ", ".join(filter(None, (name, values.get("jobTitle.title"), values.get("company.name"))))


class PersonExport(msgspec.Struct, rename="camel"):
    """File that `firmograph privacy export` writes."""

    format: str
    exported_at: str
    people: list[PersonReport]
    notes: list[str]


@runtime_checkable
class HeldRecords(Protocol):
    """Reader of merged records with the source of each value, supplied by the package of exports."""

    @abstractmethod
    def read(self, number: int) -> ReportedRecord | None:
        """Return a contact, None if it does not exist."""


class PersonReports:
    """Reports by the declarations of all packages."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        declarations: Iterable[PersonalData],
        records: HeldRecords,
        account_names: Callable[[], Mapping[int, str]],
    ) -> None:
        self._database = database
        self._clock = clock
        self._declarations = list(declarations)
        self._records = records
        self._account_names = account_names

    def read(self, people: People, *, names_others: bool = True) -> PersonReport:
        """Return the report on one person.

        Without `names_others`, recipients are categories, and entries lack accounts and words of theirs, such as URLs.
        """
        records = [found for number in sorted(people.records) if (found := self._records.read(number))]
        accounts = self._account_names() if names_others else None
        with self._database.read() as session:
            sources = source_names(session)
            places = [
                place
                for each in self._declarations
                for place in _places(session, each, people, sources, accounts)
            ]
            shown = [
                one
                for each in self._declarations
                for find in each.recipients
                for one in find(session, people)
            ]
        recipients = _recipients(shown, accounts or {})
        return PersonReport(records, places, recipients if names_others else _categories(recipients))

    def export(self, reports: Sequence[PersonReport]) -> PersonExport:
        """Return what an export of people writes."""
        return PersonExport(FORMAT, iso(self._clock.seconds()), list(reports), list(NOTES))


def _places(
    session: Session,
    declaration: PersonalData,
    people: People,
    sources: Mapping[int, str],
    accounts: Mapping[int, str] | None,
) -> list[ReportedPlace]:
    """Return the places of a package that hold something of the people; without `accounts`, none is named."""
    places: dict[str, ReportedPlace] = {}
    owners: dict[str, set[str]] = defaultdict(set)
    for table in declaration.tables:
        rows = [] if table.find is None else [dict(row) for row in table.find(session, people)]
        if not rows:
            continue
        place = places.setdefault(table.place, ReportedPlace(table.place, declaration.package, {}))
        place.tables[table.table.name] = [_entry(table, row, sources, accounts) for row in rows]
        place.stays = place.stays or next(iter(table.retained.values()), None)
        if accounts is not None:
            owners[table.place].update(
                _account(accounts, row["account_id"]) for row in rows if row.get("account_id") is not None
            )
    for name, place in places.items():
        place.accounts = sorted(owners[name])
    return list(places.values())


def _entry(
    table: TableData, row: Mapping[str, Any], sources: Mapping[int, str], accounts: Mapping[int, str] | None
) -> Mapping[str, object]:
    entry = dict(table.export(row))
    if isinstance(entry.get("source"), int):
        entry["source"] = sources.get(row["source"], "")
    owner = entry.pop("accountId", None)
    if accounts is None:
        for name, kind in table.impersonal.items():
            if kind is Impersonal.OWN_WORDS:
                entry.pop(camel(name), None)
    elif owner is not None:
        entry["account"] = _account(accounts, row["account_id"])
    return entry


def _account(accounts: Mapping[int, str], number: int) -> str:
    return accounts.get(number, str(number))


def _recipients(found: Iterable[Recipient], accounts: Mapping[int, str]) -> list[ReportedRecipient]:
    """Return recipients, each once with all that it was shown."""
    by_recipient: dict[tuple[str, int | None, str], list[Recipient]] = defaultdict(list)
    for each in found:
        by_recipient[each.kind.value, each.account_id, each.name].append(each)
    return [
        ReportedRecipient(
            kind,
            None if account is None else _account(accounts, account),
            name or None,
            sorted({one.shown for one in some}),
            iso(min(one.first_at for one in some)),
            iso(max(one.last_at for one in some)),
        )
        for (kind, account, name), some in sorted(by_recipient.items(), key=_order)
    ]


def _order(item: tuple[tuple[str, int | None, str], object]) -> tuple[str, int, str]:
    (kind, account, name), _ = item
    return kind, account or 0, name


def _categories(recipients: Iterable[ReportedRecipient]) -> list[ReportedRecipient]:
    by_kind: dict[str, list[ReportedRecipient]] = defaultdict(list)
    for each in recipients:
        by_kind[each.kind].append(each)
    return [
        ReportedRecipient(
            kind,
            None,
            None,
            sorted({shown for one in some for shown in one.shown}),
            min(one.first for one in some),
            max(one.last for one in some),
        )
        for kind, some in by_kind.items()
    ]
