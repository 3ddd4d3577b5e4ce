"""Suggestions for the locations filter: countries, states and cities that records are in (wire-a 5.2)."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import UNSET
from rapidfuzz.distance import OSA

from firmograph.directory.normalise.gazetteer import subdivisions
from firmograph.directory.normalise.places import continent_of, country_name
from firmograph.kit.tokens import Entity
from firmograph.prospecting import fields
from firmograph.prospecting.analysis import whole
from firmograph.prospecting.answers import PlaceOption
from firmograph.prospecting.engine import SearchEngine
from firmograph.prospecting.groupings import main_grouping


class _Place(NamedTuple):
    country: str
    """A code, or what a record has in its place."""
    state: str = ""
    city: str = ""


def place_options(engine: SearchEngine, entity: Entity, text: str, most: int) -> list[PlaceOption]:
    """Countries and states whose names begin like the text, then cities, then countries and states spelled nearly so.

    Countries and states come by how near they are, then by volume, then by name; cities in the engine's order.
    """
    areas = {_country(code): volume for code, volume in engine.counts(entity, fields.COUNTRY).items()}
    areas |= {_state(key): volume for key, volume in engine.counts(entity, fields.STATE).items()}
    begun, near = _areas_like(text, areas)
    cities = [_city(one.value) for one in engine.suggest(entity, fields.PLACE, text, most)]
    return [_option(place) for place in dict.fromkeys([*begun, *cities, *near])][:most]


def _country(code: str) -> _Place:
    return _Place(code)


def _state(key: str) -> _Place:
    """Of a value of `fields.STATE`: by its English name, or as it is where the state has no code."""
    country, _, state = key.partition("-")
    known = subdivisions(country).by_code.get(state)
    return _Place(country, known.name if known else state)


def _city(entry: str) -> _Place:
    """Of an entry of `fields.PLACE`."""
    city, _, rest = entry.partition("|")
    state, _, country = rest.partition("|")
    return _Place(country, state, city)


def _areas_like(text: str, areas: Mapping[_Place, int]) -> tuple[list[_Place], list[_Place]]:
    """Those that begin like the text, and those that are spelled nearly like it."""
    asked = whole(text)
    if not asked:
        return [], []
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

    An edit is a letter more, less, another or changed places with its neighbour, in the whole name or its beginning;
    one is forgiven from 4 letters on, two from 8 (decisions E, Values).
    """
    if name.startswith(asked):
        return 0
    words = name.split()
    if all(any(word.startswith(part) for word in words) for part in asked.split()):
        return 1
    forgiven = 0 if len(asked) < 4 else 1 if len(asked) < 8 else 2
    beginnings = {name, *(name[: len(asked) + more] for more in range(-forgiven, forgiven + 1))}
    edits = min(OSA.distance(asked, beginning) for beginning in beginnings)
    return edits + 1 if edits <= forgiven else None


def _option(place: _Place) -> PlaceOption:
    code = place.country
    return PlaceOption(
        continent=continent_of(code) or UNSET,
        country=country_name(code) or code or UNSET,
        state=place.state or UNSET,
        city=place.city or UNSET,
        country_grouping=main_grouping(code) or UNSET,
    )
