"""The places of hiring that signals can be narrowed by, as far as any is held (wire-b 1.4)."""

from collections.abc import Iterable, Iterator

from firmograph.directory.normalise.gazetteer import fold, subdivisions
from firmograph.directory.normalise.places import country_name
from firmograph.kit.database import Database, Session
from firmograph.signals import store
from firmograph.signals.answers import HiringPlaceValue

MOST_PLACES = 50

_Named = tuple[str, str]
"""English names of a country, and of a state or an empty text."""


class HiringPlaces:
    """Places of held surges and postings."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def like(self, query: str) -> list[HiringPlaceValue]:
        """Those of which the country, the state or a word of these begins like the query, or has it for its code.

        Whole countries first, then by name; at most 50.
        """
        with self._database.read() as session:
            held = dict(_held(session))
        wanted = fold(query)
        found = [place for place, codes in held.items() if wanted and _fits(wanted, place, codes)]
        found.sort(key=lambda place: (bool(place[1]), fold(place[0]), fold(place[1])))
        return [_shown(place) for place in found[:MOST_PLACES]]


def _held(session: Session) -> Iterator[tuple[_Named, tuple[str, str]]]:
    """Each place, and the country it is in, with the codes of country and state."""
    for detail in store.surge_places(session):
        country, _, state = detail.partition("|")
        yield from _with_country(country, state, _country(country), _state(country, state))
    for country_code, state_code, country_named, state_named in store.posting_places(session):
        if country_named:
            yield from _with_country(country_code or "", state_code or "", country_named, state_named or "")


def _with_country(
    code: str, state_code: str, country: str, state: str
) -> Iterable[tuple[_Named, tuple[str, str]]]:
    yield (country, ""), (code, "")
    if state:
        yield (country, state), (code, state_code)


def _country(code: str) -> str:
    return country_name(code) or code


def _state(country: str, code: str) -> str:
    found = subdivisions(country).by_code.get(code) if code else None
    return found.name if found else code


def _fits(wanted: str, place: _Named, codes: tuple[str, str]) -> bool:
    country, state = place
    if fold(codes[1] if state else codes[0]) == wanted:
        return True
    return any(_begins(fold(name), wanted) for name in (country, state) if name)


def _begins(name: str, wanted: str) -> bool:
    return f" {name}".find(f" {wanted}") >= 0


def _shown(place: _Named) -> HiringPlaceValue:
    country, state = place
    return HiringPlaceValue(country, state) if state else HiringPlaceValue(country)
