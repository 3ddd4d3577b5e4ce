"""Evaluation of criteria to bitmaps of documents.

A criterion about the company of a contact uses the denormalised attributes where it can (`company_attributes.py`).
Other company criteria are evaluated together on companies and then mapped to their contacts once.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf

import numpy as np
from pyroaring import BitMap

from firmograph.kit.errors import BadRequest
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory import company_attributes
from firmograph.prospecting.engines.memory.arrays import EMPTY, document_numbers, union
from firmograph.prospecting.engines.memory.company_attributes import CompanyAttributes
from firmograph.prospecting.engines.memory.employment import NO_COMPANY, EmploymentIndex
from firmograph.prospecting.engines.memory.intersections import intersect
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.segment import Segment
from firmograph.prospecting.engines.query import (
    All,
    Any,
    Between,
    Criterion,
    EmployedBy,
    Employs,
    FormerlyEmployedBy,
    HasSignal,
    Near,
    Prefix,
    RecordNumbers,
    Term,
    Without,
    Words,
)
from firmograph.prospecting.indexing.signal_fields import term_range

MAX_SECONDS = 2.0
"""Limit for evaluating criteria, during which other searches wait. Only thousands of costly values come near it.

Measured as CPU time of this thread, so that a busy machine refuses no request that an idle one would answer.
"""


class Evaluation:
    """Evaluates criteria on one state of the index. Results may include dead and removed documents.

    Callers must not change the returned bitmaps.
    """

    def __init__(
        self,
        contacts: Segment,
        companies: Segment,
        employment: EmploymentIndex,
        company_attributes: CompanyAttributes,
    ) -> None:
        self._contacts = contacts
        self._companies = companies
        self._employment = employment
        self._company_attributes = company_attributes
        self._deadline = inf
        self._removed = EMPTY

    def start(self, removed: BitMap) -> None:
        """Start the time limit for a new search in this thread, in which some contacts count as deleted."""
        self._deadline = time.thread_time() + MAX_SECONDS
        self._removed = removed

    def _check_time(self) -> None:
        if time.thread_time() > self._deadline:
            raise BadRequest(
                f"filters ask for more than a search may take ({MAX_SECONDS:g} seconds): use fewer values"
            )

    def contacts(self, criterion: Criterion) -> BitMap:
        """Return the contacts that meet a criterion."""
        self._check_time()
        match criterion:
            case All(criteria):
                return self._all_contacts(criteria)
            case Any(criteria):
                return _any(criteria, self._contacts.terms, self.contacts)
            case Without(included, excluded):
                return self.contacts(included) - self.contacts(excluded)
            case EmployedBy(company):
                return self._employed(company)
            case FormerlyEmployedBy(company):
                numbers = self._companies.documents.record_numbers(self._living(self.companies(company)))
                return self._contacts.terms[fields.PAST_COMPANY].any_value(map(str, numbers.tolist()))
            case Employs():
                raise TypeError("criterion applies to companies only: Employs")
        return _leaf(self._contacts, criterion)

    def companies(self, criterion: Criterion) -> BitMap:
        """Return the companies that meet a criterion."""
        self._check_time()
        match criterion:
            case All(criteria):
                if not criteria:
                    return self._companies.documents.all_living()
                return intersection([self.companies(each) for each in criteria])
            case Any(criteria):
                return _any(criteria, self._companies.terms, self.companies)
            case Without(included, excluded):
                return self.companies(included) - self.companies(excluded)
            case Employs(contact):
                return self._employing(contact)
            case EmployedBy() | FormerlyEmployedBy():
                raise TypeError("criteria apply to contacts only: EmployedBy, FormerlyEmployedBy")
        return _leaf(self._companies, criterion)

    def _all_contacts(self, criteria: Sequence[Criterion]) -> BitMap:
        if not criteria:
            return self._contacts.documents.all_living()
        return intersection(self.contact_parts(criteria))

    def contact_parts(self, criteria: Sequence[Criterion]) -> list[BitMap]:
        """Return bitmaps of contacts whose intersection meets all of the criteria.

        Company criteria that are not denormalised are evaluated together on companies.
        """
        parts: list[BitMap] = []
        others: list[Criterion] = []
        for each in criteria:
            if not isinstance(each, EmployedBy) or each.company == All(()):
                parts += self._factors(each)
                continue
            for one in each.company.criteria if isinstance(each.company, All) else (each.company,):
                if _is_denormalised(one):
                    parts.append(self._contacts_by_attribute(one))
                else:
                    others.append(one)
        if others or not parts:
            parts.append(self._contacts_of(intersection([self.companies(each) for each in others])))
        return parts

    def _factors(self, criterion: Criterion) -> list[BitMap]:
        """Return bitmaps whose intersection is the result; counting it is cheaper than materialising it."""
        match criterion:
            case Words(field, words) if field in self._contacts.terms:
                return [self._contacts.terms[field].get(word) for word in words]
            case All(criteria) if criteria:
                return self.contact_parts(criteria)
        return [self.contacts(criterion)]

    def _employed(self, company: Criterion) -> BitMap:
        if company == All(()):
            return self._contacts_of(self._companies.documents.all_living())
        return intersection(self.contact_parts((EmployedBy(company),)))

    def _contacts_of(self, companies: BitMap) -> BitMap:
        numbers = self._companies.documents.record_numbers(self._living(companies))
        return self._employment.contacts_of_many(np.sort(numbers)) if len(numbers) else EMPTY

    def _living(self, companies: BitMap) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        return document_numbers(companies - self._companies.documents.dead)

    def _employing(self, contact: Criterion) -> BitMap:
        found = self.contacts(contact) - self._contacts.documents.dead
        if self._removed:
            found -= self._removed
        employers = self._employment.employers
        is_employer = np.zeros(int(employers.max()) + 1 if len(employers) else 1, dtype=np.bool_)
        is_employer[employers[document_numbers(found)]] = True
        is_employer[NO_COMPANY] = False
        return self._companies.documents.find_many(np.flatnonzero(is_employer))

    def _contacts_by_attribute(self, criterion: Criterion) -> BitMap:
        """Return the contacts whose company meets a denormalised criterion."""
        match criterion:
            case Term(field, value) if field in company_attributes.TEXTS:
                texts = self._companies.texts[field]
                return texts.documents_with(
                    texts.texts_with_key(value), self._company_attributes.postings[field]
                )
            case Term(field, value):
                return self._company_attributes.postings[field].get(value)
            case Prefix(field, prefix):
                return self._company_attributes.postings[field].with_prefix(prefix)
            case Between(field, low, high):
                return self._contacts_by_company_figure(field, low, high)
            case Any(criteria):
                return _any(criteria, self._company_attributes.postings, self._contacts_by_attribute)
            case All(criteria):
                return intersection([self._contacts_by_attribute(each) for each in criteria])
        raise TypeError(f"criterion is not denormalised onto contacts: {criterion!r}")

    def _contacts_by_company_figure(self, field: str, low: float | None, high: float | None) -> BitMap:
        inside, cut = self._company_attributes.classes(field, low, high)
        found = self._company_attributes.postings[field].any_value(inside)
        if not cut:
            return found
        in_cut = self._company_attributes.postings[field].any_value(cut)
        return found | (in_cut & self._contacts_of(self._companies.figures[field].between(low, high)))


def _is_denormalised(criterion: Criterion) -> bool:
    """Check whether a company criterion can be evaluated on contacts alone."""
    match criterion:
        case Term(field):
            return field in company_attributes.TERMS or field in company_attributes.TEXTS
        case Prefix(field):
            return field in company_attributes.TERMS
        case Between(field):
            return field in company_attributes.FIGURES
        case Any(criteria) | All(criteria):
            return bool(criteria) and all(map(_is_denormalised, criteria))
    return False


def _any(
    criteria: Sequence[Criterion], terms: Mapping[str, Postings], find: Callable[[Criterion], BitMap]
) -> BitMap:
    """Return the union of the results. Plain values of one field, perhaps thousands, are looked up together."""
    values = defaultdict[str, list[str]](list)
    found = []
    for each in criteria:
        if isinstance(each, Term) and each.field in terms and each.field not in company_attributes.TEXTS:
            values[each.field].append(each.value)
        else:
            found.append(find(each))
    return union(
        [*found, *(terms[field].any_value(terms_of_field) for field, terms_of_field in values.items())]
    )


def intersection(bitmaps: Iterable[BitMap]) -> BitMap:
    """Return the intersection, smallest bitmap first. The intersection of no bitmaps is empty."""
    ordered = sorted(bitmaps, key=len)
    if not ordered or not ordered[0]:
        return EMPTY
    return intersect(ordered)


def _leaf(segment: Segment, criterion: Criterion) -> BitMap:
    match criterion:
        case Term(field, value) if field in segment.texts:
            texts = segment.texts[field]
            return texts.documents_with(texts.texts_with_key(value))
        case Term(field, value):
            return segment.terms[field].get(value)
        case Words(field, words) if field in segment.texts:
            texts = segment.texts[field]
            return texts.documents_with(texts.texts_with_words(words))
        case Words(field, words):
            return intersection(segment.terms[field].get(word) for word in words)
        case Prefix(field, prefix):
            return segment.terms[field].with_prefix(prefix)
        case Between(field, low, high):
            return segment.figures[field].between(low, high)
        case Near(latitude, longitude, miles):
            return segment.positions.near(latitude, longitude, miles)
        case RecordNumbers(numbers):
            return segment.documents.find_many(np.fromiter(numbers, dtype=np.int64, count=len(numbers)))
        case HasSignal(requested):
            return segment.terms[fields.SIGNAL].in_ranges(map(term_range, requested))
    raise TypeError(f"criterion does not apply to this kind of record: {criterion!r}")
