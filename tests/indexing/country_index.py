"""Trivial indexes that count records by country, as any package may supply them."""

from collections import Counter
from collections.abc import Collection
from typing import Any

import msgspec

from firmograph.indexing.all_records import AllRecords
from firmograph.indexing.change_batches import ChangeBatch
from firmograph.indexing.checkpoint_file import CheckpointReader, CheckpointWriter
from firmograph.indexing.index_kind import IndexKind


class CountryChanges(msgspec.Struct):
    sequence: int
    countries: dict[int, str | None]
    """Country of each changed contact; None if it is gone or has none."""


class CountryIndex:
    def __init__(self, applied: int, countries: dict[int, str]) -> None:
        self.applied = applied
        self._countries = countries

    @property
    def countries(self) -> dict[int, str]:
        return dict(self._countries)

    @property
    def counts(self) -> Counter[str]:
        return Counter(self._countries.values())

    def missing_companies(self, numbers: Collection[int]) -> Collection[int]:
        return ()

    def apply(self, changes: CountryChanges) -> None:
        for number, country in changes.countries.items():
            self._countries.pop(number, None)
            if country:
                self._countries[number] = country
        self.applied = changes.sequence


class Countries(IndexKind[CountryIndex]):
    name = "countries"
    changes = CountryChanges
    format = "countries 1"

    def prepare(self, batch: ChangeBatch) -> CountryChanges:
        gone: dict[int, str | None] = dict.fromkeys(batch.removed_contacts)
        return CountryChanges(batch.sequence, gone | dict(map(_country, batch.contacts)))

    def build(self, records: AllRecords) -> CountryIndex:
        every = dict(_country(one) for chunk in records.contacts() for one in chunk)
        return CountryIndex(records.sequence, {number: one for number, one in every.items() if one})

    def save(self, index: CountryIndex, file: CheckpointWriter) -> None:
        file.add("countries", msgspec.msgpack.encode(index.countries))

    def load(self, file: CheckpointReader) -> CountryIndex:
        return CountryIndex(file.applied, msgspec.msgpack.decode(file.raw("countries"), type=dict[int, str]))


class Places(Countries):
    """The same index under another name."""

    name = "places"


def _country(one: Any) -> tuple[int, str | None]:
    location = one.record.location
    return one.number, location.country_iso2 if location else None
