"""Companies by names alike, for names whose key no company has."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from firmograph.database.connection import Session
from firmograph.directory.lookup.company_choice import needs_likeness
from firmograph.directory.lookup.queries import CompanyQuery


class LikeNames(Protocol):
    """Search for companies by names alike."""

    def find(self, session: Session, names: Sequence[str]) -> list[int | None]:
        """Return the number of the company that each name means, None where none or several may be meant."""
        ...


class CompaniesByLikeness:
    """Companies by names alike, where a server has an index of the names."""

    def __init__(self, names: LikeNames | None = None) -> None:
        self.names = names

    def find(
        self, session: Session, queries: Sequence[CompanyQuery], by_key: Mapping[bytes, Sequence[object]]
    ) -> dict[int, int]:
        """Return the company for each place of a query that has a name alone, whose keys nobody has."""
        places = [place for place, query in enumerate(queries) if needs_likeness(query, by_key)]
        if not places or self.names is None:
            return {}
        numbers = self.names.find(session, [queries[place].name for place in places])
        return {place: number for place, number in zip(places, numbers, strict=True) if number is not None}
