"""Lookup of people by name and employer: by blocking keys, then for other spellings.

See docs/matching.md.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.choice import Choice, Ranking, rank_candidates
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.company_choice import employers_of, keys_of
from firmograph.directory.lookup.like_companies import CompaniesByLikeness
from firmograph.directory.lookup.queries import CompanyQuery, ContactQuery
from firmograph.directory.spelling_scores import MOST_UNCERTAIN
from firmograph.directory.store import LookupContact


class _Names(msgspec.Struct):
    firstName: str = ""
    lastName: str = ""


_names = msgspec.json.Decoder(_Names).decode


class NameMatch(NamedTuple):
    """People that a query by name may mean, and the choice among them."""

    employers: Sequence[int]
    contacts: dict[int, LookupContact]
    ranking: Ranking
    choice: Choice | None
    other_spellings: bool
    """Whether people under other spellings are among them."""

    @property
    def contact(self) -> LookupContact | None:
        return self.contacts[self.choice.number] if self.choice else None

    def is_sure(self) -> bool:
        """Return whether the choice is better than any other spelling of a Latin name may be."""
        return self.choice is not None and self.choice.score > MOST_UNCERTAIN


class PeopleByName:
    """Lookup in at most five statements for a batch of a hundred."""

    def __init__(
        self, digests: Digests, threshold: float, margin: float, like_companies: CompaniesByLikeness
    ) -> None:
        self._digests = digests
        self._like_companies = like_companies
        self.threshold = threshold
        self.margin = margin

    def find(self, session: Session, queries: Sequence[ContactQuery]) -> list[NameMatch]:
        """Return the people of each query; each names a person and a company."""
        employers = self._employers(session, [query.company for query in queries if query.company])
        found = [
            self.match(query, contacts, numbers)
            for query, numbers, contacts in zip(
                queries,
                employers,
                self._holders(session, employers, [query.blocks() for query in queries]),
                strict=True,
            )
        ]
        # at one company only: each name has some 150 keys there
        unsure = [at for at, each in enumerate(found) if len(each.employers) == 1 and not each.is_sure()]
        if not unsure:
            return found
        spelt = self._holders(
            session, [employers[at] for at in unsure], [queries[at].spellings() for at in unsure]
        )
        for at, contacts in zip(unsure, spelt, strict=True):
            if contacts:
                both = [*found[at].contacts.values(), *contacts]
                found[at] = self.match(queries[at], both, employers[at], other_spellings=True)
        return found

    def every_match(self, session: Session, query: ContactQuery) -> list[int]:
        """Return every contact at the company of a query whose name scores enough, best first."""
        if query.name is None:
            return []
        (found,) = self.find(session, [query])
        return [one.number for one in found.ranking.best if one.score >= self.threshold]

    def match(
        self,
        query: ContactQuery,
        candidates: Iterable[LookupContact],
        employers: Sequence[int] = (),
        *,
        other_spellings: bool = False,
    ) -> NameMatch:
        """Return the choice among candidates by the name of a query; none without a name."""
        contacts = {contact.number: contact for contact in candidates}
        named = [(number, *names_of(contact)) for number, contact in contacts.items()] if query.name else []
        ranking = rank_candidates(query.name or ("", ""), named)
        choice = ranking.choose(self.threshold, self.margin)
        return NameMatch(employers, contacts, ranking, choice, other_spellings)

    def _holders(
        self, session: Session, employers: Sequence[Sequence[int]], names: Sequence[Sequence[str]]
    ) -> list[list[LookupContact]]:
        """Return the holders of the keys of each query's name at its employers."""
        keyed = [
            [self._digests.contact_name(company, key) for company in companies for key in keys]
            for companies, keys in zip(employers, names, strict=True)
        ]
        every = {key for keys in keyed for key in keys}
        by_key = store.contacts_by_key(session, every) if every else {}
        return [[contact for key in keys for contact in by_key.get(key, ())] for keys in keyed]

    def _employers(self, session: Session, queries: Sequence[CompanyQuery]) -> list[list[int]]:
        """Return the candidate companies of each query."""
        digests = {key for query in queries for key in keys_of(query)}
        by_key = store.company_numbers(session, digests)
        found = [employers_of(query, by_key) for query in queries]
        for place, number in self._like_companies.find(session, queries, by_key).items():
            found[place] = [number]
        return found


def names_of(contact: LookupContact) -> tuple[str, str]:
    """Return first and last name of a stored contact, empty where there is none."""
    names = _names(contact.preview)
    return names.firstName, names.lastName
