"""Suggestions for the locations filter: countries, states and cities of records."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import UNSET
from rapidfuzz.distance import OSA

from firmograph.directory.normalise.gazetteer import subdivisions
from firmograph.directory.normalise.locations import continent_of, country_name
from firmograph.prospecting.answers import PlaceOption
from firmograph.prospecting.engines import fields
from firmograph.prospecting.filters.groupings import main_grouping
from firmograph.prospecting.indexing.analysis import allowed_edits, place_parts, place_text, whole
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.security.record_ids import Entity


class _Location(NamedTuple):
    country: str
    """Country code, or the text that a record has instead."""
    state: str = ""
    city: str = ""


def place_options(search: SearchSnapshot, entity: Entity, text: str, limit: int) -> list[PlaceOption]:
    """Return countries, states and cities whose names begin with the text, then similarly spelt ones.

    Countries and states are ordered by distance, count and name; cities in the engine's order.
    """
    typed = whole(text)
    if not typed:
        return []
    areas = {_country(code): count for code, count in search.facet_counts(entity, fields.COUNTRY).items()}
    areas |= {_state(key): count for key, count in search.facet_counts(entity, fields.STATE).items()}
    beginning, similar = _similar_areas(typed, areas)
    for suggestion in search.suggest(entity, fields.PLACE, text, limit):
        alike = beginning if _words_begin(typed, whole(place_text(suggestion.value))) else similar
        alike.append(_city(suggestion.value))
    return [_to_option(place) for place in dict.fromkeys([*beginning, *similar])][:limit]


def _country(code: str) -> _Location:
    return _Location(code)


def _state(key: str) -> _Location:
    """Return the place of a value of `fields.STATE`: its English name, or the value if the state has no code."""
    country, _, state = key.partition("-")
    known = subdivisions(country).by_code.get(state)
    return _Location(country, known.name if known else state)


def _city(text: str) -> _Location:
    """Return the place of a text of `fields.PLACE`."""
    city, state, country = place_parts(text)
    return _Location(country, state, city)


def _similar_areas(typed: str, areas: Mapping[_Location, int]) -> tuple[list[_Location], list[_Location]]:
    """Return the countries and states that begin with the text, and those spelt similarly."""
    ranked = []
    for place, count in areas.items():
        name = place.state or country_name(place.country) or place.country
        distance_to_text = distance(typed, whole(name))
        if distance_to_text is not None:
            ranked.append((distance_to_text, -count, name, place))
    ranked.sort()
    beginning = [place for distance_to_text, *_, place in ranked if distance_to_text < 2]
    return beginning, [place for distance_to_text, *_, place in ranked if distance_to_text >= 2]


def distance(typed: str, name: str) -> int | None:
    """Return the distance of a name from a typed text, or None if it is too far.

    0: the name begins with the text; 1: words of the name begin with its words; 2 and 3: the same with one and two
    edits. An edit inserts, deletes, replaces or swaps a letter. One is allowed in words of at least 4 letters, two
    from 8 letters on. Words may be unfinished.
    """
    if name.startswith(typed):
        return 0
    if _words_begin(typed, name):
        return 1
    worst = 0
    for typed_word in typed.split():
        allowed = allowed_edits(typed_word)
        edits = min((_edits(typed_word, word, allowed) for word in name.split()), default=len(typed_word))
        if edits > allowed:
            return None
        worst = max(worst, edits)
    return worst + 1


def _edits(typed_word: str, word: str, allowed: int) -> int:
    """Return the edits from a typed word to a word, or to its beginning."""
    beginnings = {word, *(word[: len(typed_word) + more] for more in range(-allowed, allowed + 1))}
    return min(OSA.distance(typed_word, beginning) for beginning in beginnings)


def _words_begin(typed: str, name: str) -> bool:
    """Check whether each word of a text begins a word of the name."""
    words = name.split()
    return all(any(word.startswith(typed_word) for word in words) for typed_word in typed.split())


def _to_option(place: _Location) -> PlaceOption:
    code = place.country
    return PlaceOption(
        continent=continent_of(code) or UNSET,
        country=country_name(code) or code or UNSET,
        state=place.state or UNSET,
        city=place.city or UNSET,
        country_grouping=main_grouping(code) or UNSET,
    )
