"""Declarations of the data of records: where a package holds it, who finds and erases it, what a restore keeps out.

A package with tables or files has one `PersonalData` (`<package>/personal_data.py`). Suppression, restore and the
deletion of records erase by all of them. Every table, every text, JSON and binary column, and every column with record
numbers is declared, and so is every module that writes files; tests compare the declarations with the schema, the
source and the content of a filled database.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from graphlib import TopologicalSorter
from typing import Any, Final, NamedTuple, TypeVar, cast

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.records import Contact
from firmograph.privacy.readable_rows import readable_row
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity

T = TypeVar("T")


class PersonRecord(NamedTuple):
    """Record of a person in its last state."""

    record: Contact
    card: bytes | None
    """JSON of the employer's summary, without the enclosing braces."""
    stored_keys: frozenset[bytes] = frozenset()
    """Hashes in the key table."""


@dataclass(frozen=True)
class People:
    """People to find, export or erase, in one transaction."""

    keyring: Keyring
    records: dict[int, PersonRecord]
    """Their records by number."""
    keys: set[bytes]
    """Strong and weak keys of all of them."""

    @cached_property
    def digests(self) -> Digests:
        return Digests(self.keyring)

    def have_email(self, text: str) -> bool:
        """Return whether a text is an e-mail address of one of them."""
        address = normalise_email(text)
        return address is not None and self.digests.contact_email(address) in self.keys


class Erasure:
    """Erasure of people in one transaction, as the erasers of all packages see it."""

    def __init__(
        self, session: Session, people: People, at: float, requested_at: float | None = None
    ) -> None:
        """Take the time of the erasure, and that of the person's request if it came before."""
        self.session = session
        self.people = people
        self.at = at
        self.requested_at = at if requested_at is None else requested_at
        self._found: dict[Callable[[Session, People], Any], Any] = {}

    def find(self, finder: Callable[[Session, People], T]) -> T:
        """Return what a package finds of the people; the first eraser that asks has it read, before it is erased."""
        if finder not in self._found:
            self._found[finder] = finder(self.session, self.people)
        return cast(T, self._found[finder])


Eraser = Callable[[Erasure], None]


class RecipientKind(Enum):
    """Who was shown data of people."""

    ACCOUNT = "account"
    PARTNER = "partner"
    RECEIVER = "receiver"
    PROVIDER = "provider"
    MODEL = "model"


class Recipient(NamedTuple):
    """What a recipient was shown of people, and when."""

    kind: RecipientKind
    account_id: int | None
    """The account itself, or the one on whose behalf the recipient was shown it; None where that is not kept."""
    name: str
    """Partner, address of a receiver or model, or provider; empty for an account."""
    shown: str
    """Such as `emails`, `phones` or `signals`."""
    first_at: float
    last_at: float


RecipientFinder = Callable[["Session", People], Iterable[Recipient]]
"""Recipients of data of these people, several times where several things were shown."""


class Deletion(NamedTuple):
    """Deletion of records of one kind in one transaction, as the removers of all packages see it."""

    session: Session
    entity: Entity
    keys: Mapping[int, Collection[bytes]]
    """Keys of each record in the key table, by record number."""
    at: float
    opted_out: bool
    """Whether the people are suppressed; otherwise no source states the records any more."""

    @property
    def numbers(self) -> Collection[int]:
        return self.keys.keys()


Remover = Callable[[Deletion], None]


class RecordUses(NamedTuple):
    """Uses of records by accounts."""

    total: int
    accounts: frozenset[int]


UseCounter = Callable[[Session, Entity, Collection[int]], RecordUses]
"""Counts the uses of records of one kind, for an operator who asks before they go."""
Finder = Callable[[Session, People], Iterable[Mapping[str, Any]]]
"""Rows of these people, by column; what is found and exported, and an erasure must leave none of."""


@dataclass(frozen=True)
class Replacement:
    """Database to be replaced, which nobody else can change any more, and its restored copy, in a transaction."""

    replaced: Session
    copy: Session
    same_origin: bool
    """Whether numbers of both mean the same records and accounts."""
    keyring: Callable[[], Keyring]
    """Keys of the installation; they may be missing where nothing asks for them."""
    preserved: Counter[str] = field(default_factory=Counter)
    """Numbers of protections preserved, by what a restore reports."""


Preserver = Callable[[Replacement], None]
"""Carries over to the copy what a restore does not undo."""


class Impersonal(Enum):
    """What a column holds instead of data of a person."""

    CODE = "code, date or id that the program assigns"
    VOCABULARY = "value of a vocabulary, the same for everyone"
    KEYED_HASH = "keyed hash of something else than a person's key"
    CREDENTIALS = "secret, or digest of a secret, of the installation or an account"
    OWN_WORDS = "words of the operator or of an account about its own work"
    COMPANY = "facts about a company"
    REFERENCE = "number or id of a record, which means nothing once the record is gone"


_HIDDEN: Final = {Impersonal.KEYED_HASH, Impersonal.CREDENTIALS}
"""Kinds of columns that an export leaves out."""


@dataclass(frozen=True)
class TableData:
    """Columns of a table by what they hold. Numbers need no declaration unless they are of a person."""

    table: sa.Table
    erased: tuple[str, ...] = ()
    """Columns with data of a person that an erasure deletes with their rows, or empties."""
    retained: Mapping[str, str] = field(default_factory=dict)
    """Columns with data of a person that an erasure leaves, each with the reason."""
    impersonal: Mapping[str, Impersonal] = field(default_factory=dict)
    """The other text, JSON and binary columns."""
    removed: tuple[str, ...] = ()
    """Columns with record numbers, of either kind, whose rows go with the record."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Columns with record numbers that stay when the record goes, each with the reason."""
    find: Finder | None = None
    """Needed for a table with erased or retained columns."""
    place: str = ""
    """Plain name of such a table for operators, such as `signals`; tables of one name are one place."""
    read: Callable[[Mapping[str, Any]], Mapping[str, object]] | None = None
    """Returns a found row as an export shows it, if `readable_row` cannot."""

    def export(self, row: Mapping[str, Any]) -> Mapping[str, object]:
        """Return a found row as JSON values."""
        if self.read is not None:
            return self.read(row)
        hidden = {name for name, kind in self.impersonal.items() if kind in _HIDDEN}
        return readable_row({name: value for name, value in row.items() if name not in hidden})


class FileData(NamedTuple):
    """Files that a module writes."""

    module: str
    """Name within the package `firmograph`."""
    holds: str
    erased: str = ""
    """How data of a person leaves them, or why it stays; empty if they hold none."""


@dataclass(frozen=True)
class PersonalData:
    """Declaration of one package."""

    package: str
    uses: tuple[str, ...] = ()
    """Packages whose data its erasers read: theirs is erased later."""
    tables: tuple[TableData, ...] = ()
    files: tuple[FileData, ...] = ()
    record_removers: tuple[Remover, ...] = ()
    """Removers of what no other remover or eraser reads; they run before the accounts are locked, as they may delete
    many rows."""
    removers: tuple[Remover, ...] = ()
    """What goes with records of either kind, whether a person is suppressed or no source states the record any more.
    They run in the scopes of erasers, before all erasers."""
    notices: tuple[Eraser, ...] = ()
    """What a suppression queues for those who saw the people, before it is forgotten; a restore queues nothing."""
    erasers: tuple[Eraser, ...] = ()
    """Erasers of what names suppressed people elsewhere than in their records.

    Run in this order, in the scopes RECORDS, SUBSCRIPTIONS and EVERY_ACCOUNT: all exposures of the people are recorded,
    and no new one can happen.
    """
    recipients: tuple[RecipientFinder, ...] = ()
    """Finders of who was shown data of the people."""
    preservers: tuple[Preserver, ...] = ()
    counters: Mapping[str, UseCounter] = field(default_factory=dict)
    """Uses of records by accounts that an operator is shown before the records go, by name."""


def in_order_of_use(declarations: Iterable[PersonalData]) -> list[PersonalData]:
    """Return declarations with those that others use first, else by name, however they were listed."""
    by_name = {each.package: each for each in declarations}
    sorter = TopologicalSorter({name: set(by_name[name].uses) & by_name.keys() for name in sorted(by_name)})
    sorter.prepare()
    ordered: list[PersonalData] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        ordered += [by_name[name] for name in ready]
        sorter.done(*ready)
    return ordered


def rows_by_number(
    column: "sa.Column[Any]", *conditions: "sa.ColumnElement[bool]", shown: Iterable[str] = ()
) -> Finder:
    """Return the finder of rows with a record number of the people in a column."""
    select = _Selection(column, conditions, shown)
    return lambda session, people: select(session, people.records)


def rows_by_key(column: "sa.Column[Any]") -> Finder:
    """Return the finder of rows with a key of the people in a column."""
    select = _Selection(column)
    return lambda session, people: select(session, people.keys)


class _Selection:
    """Selection of rows by the values of a column."""

    def __init__(
        self,
        column: "sa.Column[Any]",
        conditions: Iterable["sa.ColumnElement[bool]"] = (),
        shown: Iterable[str] = (),
    ) -> None:
        self._names = list(shown) or column.table.c.keys()
        columns = [column.table.c[name] for name in self._names]
        self._statement = sa.select(*columns).where(column_in(column, "values"), *conditions)

    def __call__(self, session: Session, values: Iterable[Any]) -> Iterator[dict[str, Any]]:
        for row in session.all_in(self._statement, "values", sorted(values)):
            yield dict(zip(self._names, row, strict=True))
