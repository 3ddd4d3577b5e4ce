"""Record ids in requests: their records, and which of them are no row."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from firmograph.directory.lookup.identifiers import ID
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity, RecordIds


class SentIds(NamedTuple):
    """Different ids of a request, in their order, with the number of the record."""

    by_id: Mapping[str, int | None]
    """None for an id that is of no record of this kind."""

    @property
    def numbers(self) -> list[int]:
        """Different records, in the order of their ids."""
        return list(dict.fromkeys(number for number in self.by_id.values() if number is not None))

    def find_invalid(self, missing: Collection[int]) -> list[int]:
        """Return the places of ids that are of no record of this kind, or of one that is missing.

        A memo keeps them in place of the ids, which a replay sends again.
        """
        gone = {None, *missing}
        return [place for place, number in enumerate(self.by_id.values()) if number in gone]

    def at(self, places: Collection[int]) -> list[str]:
        """Return the ids at places among the different ones, as they were sent."""
        ids = list(self.by_id)
        return [ids[place] for place in places]


def read_ids(record_ids: RecordIds, entity: Entity, ids: Sequence[str], path: str) -> SentIds:
    """Return the ids of a property. Raises BadRequest, naming each that is neither a token nor digits."""
    check_ids(ids, path)
    return SentIds({id: record_ids.open(entity, id) for id in dict.fromkeys(ids)})


def check_ids(ids: Sequence[str], path: str) -> None:
    """Raise BadRequest, naming each that is neither a token nor digits."""
    problems: list[str] = []
    ID.parse_each(ids, (path,), problems.append)
    if problems:
        raise BadRequest(problems[0], problems)
