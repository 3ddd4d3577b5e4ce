"""A whole index from all records at once: companies first, then contacts."""

from array import array
from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory import company_attributes
from firmograph.prospecting.engines.memory.arrays import documents, starts_of
from firmograph.prospecting.engines.memory.company_attributes import Carried, carried_pairs
from firmograph.prospecting.engines.memory.documents import Documents, rank
from firmograph.prospecting.engines.memory.employment import NOBODY, Staff
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.figures import Figures
from firmograph.prospecting.engines.memory.positions import Positions
from firmograph.prospecting.engines.memory.postings import Postings, dense_from
from firmograph.prospecting.engines.memory.segment import FIELDS, Space, derivations
from firmograph.prospecting.engines.memory.texts import Texts
from firmograph.security.record_ids import Entity

Held = defaultdict[str, "array[int]"]


def _numbers() -> "array[int]":
    return array("I")


class _Collected:
    """What the records of one kind hold, value by value, in the order in which they come."""

    def __init__(self, entity: Entity) -> None:
        self.entity = entity
        self._ranks = array("Q")
        self._held: dict[str, Held] = {
            field: defaultdict(_numbers) for field in FIELDS[entity].terms | FIELDS[entity].entries
        }
        self._figures = {field: (array("I"), array("d"), array("d")) for field in FIELDS[entity].figures}
        self._positions: list[tuple[int, tuple[float, float]]] = []

    def add(self, entry: Entry) -> int:
        document = len(self._ranks)
        self._ranks.append(rank(entry.points, entry.day, entry.number))
        for field, value in entry.terms:
            held = self._held[field][value]
            if not held or held[-1] != document:
                held.append(document)
        for field, low, high in entry.figures:
            at, lows, highs = self._figures[field]
            at.append(document)
            lows.append(low)
            highs.append(high)
        if entry.position is not None:
            self._positions.append((document, entry.position))
        return document

    def space(self) -> Space:
        dense, names = dense_from(len(self._ranks)), FIELDS[self.entity]
        terms = {field: Postings.of(_taken(self._held, field), dense) for field in sorted(names.terms)}
        texts = {
            field: Texts.of(_taken(self._held, field), dense, *derivations(field))
            for field in sorted(names.entries)
        }
        figures = {
            field: Figures(np.array(at, dtype=np.uint32), np.array(low), np.array(high))
            for field, (at, low, high) in self._figures.items()
        }
        ranks = np.array(self._ranks, dtype=np.uint64)
        positions = Positions.of(self._positions, len(ranks))
        self._positions = []
        return Space(self.entity, Documents(ranks, BitMap()), positions, terms, texts, figures)


def _taken(held: dict[str, Held], field: str) -> Mapping[str, npt.NDArray[np.uint32]]:
    """The arrays of a field, which are then gone from where they were collected."""
    return {value: np.frombuffer(numbers, dtype=np.uint32) for value, numbers in held.pop(field).items()}


class Builder:
    """Takes every record once, all companies before the first contact."""

    def __init__(self) -> None:
        self._companies = _Collected(Entity.COMPANY)
        self._contacts = _Collected(Entity.CONTACT)
        self._employers = array("I")
        self._pairs: list[company_attributes.Pair] = []
        self._place: dict[company_attributes.Pair, int] = {}
        self._carried: dict[int, array[int]] = {}

    def add_company(self, entry: Entry) -> None:
        self._companies.add(entry)
        places = array("I")
        for pair in carried_pairs(entry):
            place = self._place.setdefault(pair, len(self._pairs))
            if place == len(self._pairs):
                self._pairs.append(pair)
            places.append(place)
        self._carried[entry.number] = places

    def add_contact(self, entry: Entry) -> None:
        self._contacts.add(entry)
        self._employers.append(entry.company or NOBODY)

    def finish(self, sequence: int) -> MemoryEngine:
        """The index of all records that were added, at a place of the change sequence."""
        employers = np.array(self._employers, dtype=np.uint32)
        staff = Staff(employers, np.ones(len(employers), dtype=np.bool_))
        carrying = self._carrying(staff)
        companies = self._companies.space()
        return MemoryEngine(self._contacts.space(), companies, staff, carrying, sequence)

    def _carrying(self, staff: Staff) -> Carried:
        companies = defaultdict[int, "array[int]"](_numbers)
        sizes = np.zeros(max(self._carried, default=-1) + 1, dtype=np.uint32)
        for number, places in self._carried.items():
            sizes[number] = len(places)
            for place in places:
                companies[place].append(number)
        ordered = [self._carried[number] for number in sorted(self._carried)]
        held = np.frombuffer(b"".join(places.tobytes() for places in ordered), dtype=np.uint32)
        postings: defaultdict[str, dict[str, npt.NDArray[np.uint32]]] = defaultdict(dict)
        for place, (field, value) in enumerate(self._pairs):
            numbers = np.sort(np.array(companies.pop(place), dtype=np.int64))
            held_by = staff.of_many(numbers)
            if held_by:
                postings[field][value] = documents(held_by)
        dense = dense_from(len(staff.employers))
        made = {field: Postings.of(values, dense) for field, values in postings.items()}
        return Carried(made, self._pairs, starts_of(sizes), held)
