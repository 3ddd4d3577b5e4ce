"""Criteria as bitmaps of documents.

A criterion about the company of a contact goes by what contacts carry where it can (`carried.py`); the rest of the
company side is answered among the companies, together, and then taken to their contacts once.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf

import numpy as np
from pyroaring import BitMap

from firmograph.kit.errors import BadRequest
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory import company_attributes as carried
from firmograph.prospecting.engines.memory.arrays import EMPTY, documents, union
from firmograph.prospecting.engines.memory.company_attributes import Carried
from firmograph.prospecting.engines.memory.employment import NOBODY, Staff
from firmograph.prospecting.engines.memory.intersections import made
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.segment import Space
from firmograph.prospecting.engines.query import (
    All,
    Any,
    Between,
    Criterion,
    Employer,
    Employs,
    Near,
    Numbers,
    PastEmployer,
    Prefix,
    Signal,
    Term,
    Without,
    Words,
)
from firmograph.prospecting.indexing.signal_fields import stretch

MOST_SECONDS = 2.0
"""How much work criteria may be, as other searches wait meanwhile: only thousands of costly values come near it.

Seconds of this thread's own: what a busy machine makes it wait is not the fault of who asks.
"""


class Evaluation:
    """Answers criteria from one state of the index. Dead documents may be among what it finds.

    The bitmaps that it returns are not to be changed.
    """

    def __init__(self, contacts: Space, companies: Space, staff: Staff, carried: Carried) -> None:
        self._contacts = contacts
        self._companies = companies
        self._staff = staff
        self._carried = carried
        self._until = inf

    def begin(self) -> None:
        """A new search begins in this thread, and the time that it may take."""
        self._until = time.thread_time() + MOST_SECONDS

    def _check_time(self) -> None:
        if time.thread_time() > self._until:
            raise BadRequest(
                f"filters ask for more than a search may take ({MOST_SECONDS:g} seconds): use fewer values"
            )

    def contacts(self, criterion: Criterion) -> BitMap:
        self._check_time()
        match criterion:
            case All(criteria):
                return self._all_contacts(criteria)
            case Any(criteria):
                return _any(criteria, self._contacts.terms, self.contacts)
            case Without(kept, excluded):
                return self.contacts(kept) - self.contacts(excluded)
            case Employer(company):
                return self._employed(company)
            case PastEmployer(company):
                numbers = self._companies.documents.numbers(self._living(self.companies(company)))
                return self._contacts.terms[fields.PAST_COMPANY].any_of(map(str, numbers.tolist()))
            case Employs():
                raise TypeError("contacts do not employ")
        return _leaf(self._contacts, criterion)

    def companies(self, criterion: Criterion) -> BitMap:
        self._check_time()
        match criterion:
            case All(criteria):
                if not criteria:
                    return self._companies.documents.everyone()
                return common([self.companies(each) for each in criteria])
            case Any(criteria):
                return _any(criteria, self._companies.terms, self.companies)
            case Without(kept, excluded):
                return self.companies(kept) - self.companies(excluded)
            case Employs(contact):
                return self._employing(contact)
            case Employer() | PastEmployer():
                raise TypeError("companies have no employer")
        return _leaf(self._companies, criterion)

    def _all_contacts(self, criteria: Sequence[Criterion]) -> BitMap:
        if not criteria:
            return self._contacts.documents.everyone()
        return common(self.parts(criteria))

    def parts(self, criteria: Sequence[Criterion]) -> list[BitMap]:
        """Bitmaps of contacts whose intersection is where all of the criteria hold.

        The company criteria that contacts do not carry are answered together among the companies.
        """
        found: list[BitMap] = []
        others: list[Criterion] = []
        for each in criteria:
            if not isinstance(each, Employer) or each.company == All(()):
                found += self._factors(each)
                continue
            for one in each.company.criteria if isinstance(each.company, All) else (each.company,):
                if _is_carried(one):
                    found.append(self._carries(one))
                else:
                    others.append(one)
        if others or not found:
            found.append(self._staff_of(common([self.companies(each) for each in others])))
        return found

    def _factors(self, criterion: Criterion) -> list[BitMap]:
        """A criterion as bitmaps whose intersection it is: counting them together is cheaper than making it."""
        match criterion:
            case Words(field, words) if field in self._contacts.terms:
                return [self._contacts.terms[field].get(word) for word in words]
            case All(criteria) if criteria:
                return self.parts(criteria)
        return [self.contacts(criterion)]

    def _employed(self, company: Criterion) -> BitMap:
        if company == All(()):
            return self._staff_of(self._companies.documents.everyone())
        return common(self.parts((Employer(company),)))

    def _staff_of(self, companies: BitMap) -> BitMap:
        numbers = self._companies.documents.numbers(self._living(companies))
        return self._staff.of_many(np.sort(numbers)) if len(numbers) else EMPTY

    def _living(self, held: BitMap) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        """The living ones of some documents of companies."""
        return documents(held - self._companies.documents.dead)

    def _employing(self, contact: Criterion) -> BitMap:
        found = self.contacts(contact) - self._contacts.documents.dead
        employers = self._staff.employers
        wanted = np.zeros(int(employers.max()) + 1 if len(employers) else 1, dtype=np.bool_)
        wanted[employers[documents(found)]] = True
        wanted[NOBODY] = False
        return self._companies.documents.of_many(np.flatnonzero(wanted))

    def _carries(self, criterion: Criterion) -> BitMap:
        """The contacts whose company meets a criterion that they carry."""
        match criterion:
            case Term(field, value) if field in carried.TEXTS:
                texts = self._companies.texts[field]
                return texts.find(texts.places_of_key(value), self._carried.postings[field])
            case Term(field, value):
                return self._carried.postings[field].get(value)
            case Prefix(field, prefix):
                return self._carried.postings[field].starting(prefix)
            case Between(field, low, high):
                return self._carries_figure(field, low, high)
            case Any(criteria):
                return _any(criteria, self._carried.postings, self._carries)
            case All(criteria):
                return common([self._carries(each) for each in criteria])
        raise TypeError(f"contacts do not carry {criterion!r}")

    def _carries_figure(self, field: str, low: float | None, high: float | None) -> BitMap:
        whole, cut = self._carried.classes(field, low, high)
        found = self._carried.postings[field].any_of(whole)
        if not cut:
            return found
        in_cut = self._carried.postings[field].any_of(cut)
        return found | (in_cut & self._staff_of(self._companies.figures[field].between(low, high)))


def _is_carried(criterion: Criterion) -> bool:
    """Whether contacts carry what tells about their company."""
    match criterion:
        case Term(field):
            return field in carried.TERMS or field in carried.TEXTS
        case Prefix(field):
            return field in carried.TERMS
        case Between(field):
            return field in carried.FIGURES
        case Any(criteria) | All(criteria):
            return bool(criteria) and all(map(_is_carried, criteria))
    return False


def _any(
    criteria: Sequence[Criterion], terms: Mapping[str, Postings], find: Callable[[Criterion], BitMap]
) -> BitMap:
    """What any of them finds; the plain values of one field are looked up together, for there may be thousands."""
    values = defaultdict[str, list[str]](list)
    found = []
    for each in criteria:
        if isinstance(each, Term) and each.field in terms and each.field not in carried.TEXTS:
            values[each.field].append(each.value)
        else:
            found.append(find(each))
    return union([*found, *(terms[field].any_of(held) for field, held in values.items())])


def common(bitmaps: Iterable[BitMap]) -> BitMap:
    """What all of them hold, the smallest first; of none, nothing."""
    ordered = sorted(bitmaps, key=len)
    if not ordered or not ordered[0]:
        return EMPTY
    return made(ordered)


def _leaf(space: Space, criterion: Criterion) -> BitMap:
    match criterion:
        case Term(field, value) if field in space.texts:
            texts = space.texts[field]
            return texts.find(texts.places_of_key(value))
        case Term(field, value):
            return space.terms[field].get(value)
        case Words(field, words) if field in space.texts:
            texts = space.texts[field]
            return texts.find(texts.places_of_words(words))
        case Words(field, words):
            return common(space.terms[field].get(word) for word in words)
        case Prefix(field, prefix):
            return space.terms[field].starting(prefix)
        case Between(field, low, high):
            return space.figures[field].between(low, high)
        case Near(latitude, longitude, miles):
            return space.positions.near(latitude, longitude, miles)
        case Numbers(numbers):
            return space.documents.of_many(np.fromiter(numbers, dtype=np.int64, count=len(numbers)))
        case Signal(wanted):
            return space.terms[fields.SIGNAL].in_stretches(map(stretch, wanted))
    raise TypeError(f"no criterion of this record: {criterion!r}")
