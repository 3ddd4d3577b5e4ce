"""Suggestions for the locations filter: countries, states and cities that records are in (wire-a 5.2)."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import UNSET
from rapidfuzz.distance import OSA

from firmograph.directory.normalise.gazetteer import subdivisions
from firmograph.directory.normalise.places import continent_of, country_name
from firmograph.prospecting.answers import PlaceOption
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.prospecting.filters.groupings import main_grouping
from firmograph.prospecting.indexing.analysis import allowed_edits, place_parts, place_text, whole
from firmograph.security.record_ids import Entity


class _Place(NamedTuple):
    country: str
    """A code, or what a record has in its place."""
    state: str = ""
    city: str = ""


def place_options(engine: SearchEngine, entity: Entity, text: str, most: int) -> list[PlaceOption]:
    """Countries, states and cities whose names begin like the text, then those that are spelled nearly so.

    Countries and states come by how near they are, then by volume, then by name; cities in the engine's order.
    """
    asked = whole(text)
    if not asked:
        return []
    areas = {_country(code): volume for code, volume in engine.facet_counts(entity, fields.COUNTRY).items()}
    areas |= {_state(key): volume for key, volume in engine.facet_counts(entity, fields.STATE).items()}
    begun, near = _areas_like(asked, areas)
    for entry in engine.suggest(entity, fields.PLACE, text, most):
        alike = begun if _begins(asked, whole(place_text(entry.value))) else near
        alike.append(_city(entry.value))
    return [_option(place) for place in dict.fromkeys([*begun, *near])][:most]


def _country(code: str) -> _Place:
    return _Place(code)


def _state(key: str) -> _Place:
    """Of a value of `fields.STATE`: by its English name, or as it is where the state has no code."""
    country, _, state = key.partition("-")
    known = subdivisions(country).by_code.get(state)
    return _Place(country, known.name if known else state)


def _city(entry: str) -> _Place:
    """Of an entry of `fields.PLACE`."""
    city, state, country = place_parts(entry)
    return _Place(country, state, city)


def _areas_like(asked: str, areas: Mapping[_Place, int]) -> tuple[list[_Place], list[_Place]]:
    """Those that begin like the text, and those that are spelled nearly like it."""
    ranked = []
    for place, volume in areas.items():
        name = place.state or country_name(place.country) or place.country
        far = distance(asked, whole(name))
        if far is not None:
            ranked.append((far, -volume, name, place))
    ranked.sort()
    return [place for far, *_, place in ranked if far < 2], [place for far, *_, place in ranked if far >= 2]


def distance(asked: str, name: str) -> int | None:
    """How far a name is from a text: 0 begins with it, 1 its words do, 2 and 3 with one and two edits; None: further.

    An edit is a letter more, less, another or changed places with its neighbour: one is forgiven in a word of 4 letters
    and more, two from 8 on (decisions E, Values). A word may be unfinished.
    """
    if name.startswith(asked):
        return 0
    if _begins(asked, name):
        return 1
    worst = 0
    for part in asked.split():
        forgiven = allowed_edits(part)
        edits = min((_edits(part, word, forgiven) for word in name.split()), default=len(part))
        if edits > forgiven:
            return None
        worst = max(worst, edits)
    return worst + 1


def _edits(part: str, word: str, forgiven: int) -> int:
    """From a word that was typed to one, or to its beginning."""
    beginnings = {word, *(word[: len(part) + more] for more in range(-forgiven, forgiven + 1))}
    return min(OSA.distance(part, beginning) for beginning in beginnings)


def _begins(asked: str, name: str) -> bool:
    """Whether each word of a text is the beginning of a word of the name."""
    words = name.split()
    return all(any(word.startswith(part) for word in words) for part in asked.split())


def _option(place: _Place) -> PlaceOption:
    code = place.country
    return PlaceOption(
        continent=continent_of(code) or UNSET,
        country=country_name(code) or code or UNSET,
        state=place.state or UNSET,
        city=place.city or UNSET,
        country_grouping=main_grouping(code) or UNSET,
    )
