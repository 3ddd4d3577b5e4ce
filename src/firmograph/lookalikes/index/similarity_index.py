"""Similarity index: companies and contacts by the vectors of one model, and how it follows the changes."""

import threading
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from firmograph.kit.growable_array import GrowableArray
from firmograph.lookalikes.index.changes import CompanyTraits, ContactTraits, SimilarityChanges
from firmograph.lookalikes.index.record_vectors import CodedRecords, RecordVectors, Similar
from firmograph.lookalikes.index.vector_lists import Numbers
from firmograph.lookalikes.model.code_space import Codes
from firmograph.lookalikes.model.similarity_model import OWN_DIMENSIONS, SimilarityModel
from firmograph.security.record_ids import Entity

_NO_COMPANY: Final = 0
"""Stands for no employer; record numbers begin at 1."""


class SimilarityIndex:
    """Vectors of all records in the memory of this process.

    One lock guards one state: a search takes a few milliseconds, and so does a batch of changes, which come from one
    thread. The code of a contact includes a part of its employer's, so it changes with that.
    """

    def __init__(self, model: SimilarityModel, applied: int = 0) -> None:
        """Create an index without records."""
        self.model = model
        self.companies = RecordVectors(model.company_space)
        self.contacts = RecordVectors(model.contact_space)
        self._employers = GrowableArray(np.zeros(0, dtype=np.uint32), _NO_COMPANY)
        """Employer of each contact, by number; of removed contacts the last one."""
        self._has_staff = GrowableArray(np.zeros(0, dtype=np.bool_), 0)
        """By company number, whether any contact ever named it: of most new companies none has."""
        self._applied = applied
        self._lock = threading.Lock()

    @property
    def applied(self) -> int:
        return self._applied

    def similar(
        self,
        entity: Entity,
        seeds: Collection[int] | Numbers,
        excluded: Collection[int] | Numbers,
        limit: int,
    ) -> list[Similar]:
        """Return at most `limit` records most similar to the seeds, without the seeds and what is excluded.

        Both are record numbers; those that the index lacks are ignored. The order is similarity, then a hash of the
        record's content, so it does not depend on the order of imports. Fewer than `limit` records are all that there
        are of positive similarity.
        """
        vectors = self.companies if entity is Entity.COMPANY else self.contacts
        with self._lock:
            return vectors.similar(_numbers(seeds), _numbers(excluded), limit)

    # --- changes ---

    def missing_companies(self, numbers: Collection[int]) -> list[int]:
        """Return those of the companies that the index lacks."""
        every = _numbers(numbers)
        missing: list[int] = every[~self.companies.lists.present(every)].tolist()
        return missing

    def apply(self, changes: SimilarityChanges) -> None:
        """Apply changes, companies first. What takes long is computed before searches are kept waiting."""
        lacking = set(self.missing_companies([each.number for each in changes.employers]))
        companies = [each for each in changes.employers if each.number in lacking] + changes.companies
        removed = _numbers(changes.removed_companies)
        put = self._code_companies(companies)
        with self._lock:
            self.companies.put(put)
            self.companies.remove(removed)
        # searches are of one kind of record, so none sees half of a batch
        staff = self._code_staff(np.concatenate((put.numbers, removed)))
        contacts, employers = self._code_contacts(changes.contacts)
        with self._lock:
            self.contacts.put(staff)
            self.contacts.put(contacts)
            self.contacts.remove(_numbers(changes.removed_contacts))
        self._employers.set_many(contacts.numbers, employers)
        self._has_staff.set_many(employers, True)
        self._applied = max(self._applied, changes.sequence)

    def _code_companies(self, companies: Sequence[CompanyTraits]) -> CodedRecords:
        vectors = self.model.companies.encode_all([each.attributes for each in companies])
        listed = np.array([each.listed for each in companies], dtype=np.bool_)
        return self.companies.locate(
            _numbers([each.number for each in companies]),
            self.model.company_codes(vectors),
            _ties(companies),
            listed,
        )

    def _code_contacts(self, contacts: Sequence[ContactTraits]) -> tuple[CodedRecords, Numbers]:
        """Return contacts with their codes, and the number of the employer of each."""
        own = self.model.own_codes(self.model.contacts.encode_all([each.attributes for each in contacts]))
        employers = _numbers([each.company or _NO_COMPANY for each in contacts])
        codes = np.concatenate((own, self._employer_codes(employers)), axis=1)
        numbers = _numbers([each.number for each in contacts])
        listed = np.ones(len(numbers), dtype=np.bool_)
        return self.contacts.locate(numbers, codes, _ties(contacts), listed), employers

    def _code_staff(self, companies: Numbers) -> CodedRecords:
        """Return those contacts of changed companies whose codes change by that."""
        has_staff = self._has_staff.values
        companies = companies[companies < len(has_staff)]
        companies = companies[has_staff[companies]]
        staff = np.zeros(0, dtype=np.int64)
        if len(companies):
            changed = np.zeros(len(has_staff), dtype=np.bool_)
            changed[companies] = True
            staff = np.flatnonzero(changed[self._employers.values])
            staff = staff[self.contacts.lists.present(staff)]
        codes = self.contacts.lists.codes(staff)
        employer_codes = self._employer_codes(self._employers.values[staff].astype(np.int64))
        differing = np.any(codes[:, OWN_DIMENSIONS:] != employer_codes, axis=1)
        codes[:, OWN_DIMENSIONS:] = employer_codes
        return self.contacts.with_codes(staff[differing], codes[differing])

    def _employer_codes(self, employers: Numbers) -> Codes:
        """Return the second halves of contacts' codes, from their employers' codes; zeros for unknown employers."""
        distinct, positions = np.unique(employers, return_inverse=True)
        known = self.companies.lists.present(distinct)
        codes = np.zeros((len(distinct), self.companies.lists.dimensions), dtype=np.int8)
        codes[known] = self.companies.lists.codes(distinct[known])
        return self.model.employer_codes(codes)[positions]

    # --- checkpoints ---

    @property
    def employers(self) -> npt.NDArray[np.uint32]:
        """Employer of each contact, by number."""
        return self._employers.values

    def set_employers(self, employers: npt.NDArray[np.uint32]) -> None:
        """Set the employers of an index that was filled from a checkpoint."""
        self._employers = GrowableArray(employers, _NO_COMPANY)
        self._has_staff.set_many(np.unique(employers).astype(np.int64), True)


def _numbers(numbers: Collection[int] | Numbers) -> Numbers:
    if isinstance(numbers, np.ndarray):
        return numbers.astype(np.int64, copy=False)
    return np.fromiter(numbers, dtype=np.int64, count=len(numbers))


def _ties(records: Sequence[CompanyTraits] | Sequence[ContactTraits]) -> npt.NDArray[np.uint64]:
    return np.array([each.tie for each in records], dtype=np.uint64)
