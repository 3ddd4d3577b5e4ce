"""Index of company names as an index kind: how it is built, saved and loaded."""

import threading
from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from firmograph.directory.likeness.choice import LikeCompanies, find_alike
from firmograph.directory.likeness.name_index import NameIndex
from firmograph.directory.likeness.spellings import NameForm, name_form
from firmograph.indexing.all_records import AllRecords
from firmograph.indexing.change_batches import ChangeBatch, DecodedCompany
from firmograph.indexing.checkpoint_file import CheckpointReader, CheckpointWriter
from firmograph.indexing.index_kind import IndexKind
from firmograph.indexing.record_forms import forms_of, left_out

MOST_NAMES: Final = 50
"""Names of a company that are compared, its own first."""


class NamedCompany(msgspec.Struct, array_like=True):
    """Company as its names are indexed."""

    number: int
    forms: list[NameForm]
    country: str
    is_stub: bool


class NameChanges(msgspec.Struct):
    """Changed companies, applied together."""

    sequence: int
    """Position in the change sequence that is reached once these are applied."""
    companies: list[NamedCompany]
    removed: list[int]


class CompanyNames:
    """Names of the companies, at a position of the change sequence."""

    def __init__(self, applied: int = 0) -> None:
        self.applied = applied
        self._names = NameIndex()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._names)

    def missing_companies(self, numbers: Collection[int]) -> Collection[int]:
        return ()

    def apply(self, changes: NameChanges) -> None:
        with self._lock:
            self.put(changes.companies)
            for number in changes.removed:
                self._names.remove(number)
            self.applied = changes.sequence

    def put(self, companies: Iterable[NamedCompany]) -> None:
        """Add companies to an index that is not in service."""
        for one in companies:
            self._names.put(one.number, one.forms, one.country, is_stub=one.is_stub)

    @property
    def dead_share(self) -> float:
        return self._names.dead_share

    def find(self, name: str, threshold: float, margin: float) -> LikeCompanies:
        with self._lock:
            return find_alike(self._names, name, threshold, margin)

    def content(self) -> list[NamedCompany]:
        return [
            NamedCompany(number, [name.form for name in names], names[0].country, names[0].is_stub)
            for number, names in self._names.names()
            if names
        ]


class _CompanyNamesKind(IndexKind[CompanyNames]):
    """Kind of the index of company names."""

    name = "company_names"
    changes = NameChanges
    format = "firmograph company names 1"
    """Change it with the spellings of words and with the content of checkpoints."""

    def prepare(self, batch: ChangeBatch) -> NameChanges:
        companies = _named(batch.companies)
        removed = [*batch.removed_companies, *left_out(batch.companies, companies)]
        return NameChanges(batch.sequence, companies, removed)

    def build(self, records: AllRecords) -> CompanyNames:
        index = CompanyNames(records.sequence)
        for companies in records.companies():
            index.put(_named(companies))
        return index

    def save(self, index: CompanyNames, file: CheckpointWriter) -> None:
        file.add("companies", msgspec.msgpack.encode(index.content()))

    def dead_share(self, index: CompanyNames) -> float:
        return index.dead_share

    def load(self, file: CheckpointReader) -> CompanyNames:
        index = CompanyNames(file.applied)
        index.put(msgspec.msgpack.decode(file.raw("companies"), type=list[NamedCompany]))
        return index


def _named(companies: Iterable[DecodedCompany]) -> list[NamedCompany]:
    return forms_of(companies, _named_company, "company_names")


def _named_company(one: DecodedCompany) -> NamedCompany:
    record = one.record
    names = [record.name or "", *record.alternative_names][:MOST_NAMES]
    country = (record.location and record.location.country_iso2) or ""
    forms = dict.fromkeys(form for form in map(name_form, names) if form.words)
    return NamedCompany(one.number, list(forms), country, record.stub)


COMPANY_NAMES: Final = _CompanyNamesKind()
