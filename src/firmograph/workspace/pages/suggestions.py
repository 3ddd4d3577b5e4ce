"""Suggestions of filter values as somebody types: options of a `<datalist>`, by the discovery of the API."""

from collections.abc import Callable, Mapping
from typing import Final

from firmograph.kit.errors import Loading, NotFound, SearchUnavailable
from firmograph.prospecting.discovery.service import MAX_SUGGESTIONS, Discovery
from firmograph.prospecting.engines import fields
from firmograph.security.record_ids import Entity
from firmograph.workspace.answers import Answer, HtmlPage
from firmograph.workspace.visit import Visit

_SHORTEST: Final = 2
"""Characters from which values are suggested, as over the API."""

Options = list[tuple[str, str]]
"""Values with their labels."""
Suggest = Callable[[Discovery, str], Options]


def _places(discovery: Discovery, part: str, text: str) -> Options:
    found = (getattr(one, part) for one in discovery.locations(Entity.CONTACT, text))
    return [(value, "") for value in dict.fromkeys(found) if value]


def _company_names(discovery: Discovery, text: str) -> Options:
    return [(one.name, one.fqdn or "") for one in discovery.company_names(text)]


def _technologies(discovery: Discovery, text: str) -> Options:
    return [(one.name, "") for one in discovery.technologies(text)]


def _countries(discovery: Discovery, text: str) -> Options:
    return _containing([(one.code, one.name) for one in discovery.countries()], text)


def _topics(discovery: Discovery, text: str) -> Options:
    return _containing([(topic, "") for topic in discovery.intent_topics()], text)


def _codes(field: str) -> Suggest:
    def suggest(discovery: Discovery, text: str) -> Options:
        return _containing([(one.code, one.label) for one in discovery.codes(field)], text)

    return suggest


def _place(part: str) -> Suggest:
    return lambda discovery, text: _places(discovery, part, text)


def _containing(options: Options, text: str) -> Options:
    word = text.casefold()
    found = [one for one in options if word in f"{one[0]} {one[1]}".casefold()]
    return found[:MAX_SUGGESTIONS]


_SUGGEST: Final[Mapping[str, Suggest]] = {
    "company-names": _company_names,
    "technologies": _technologies,
    "topics": _topics,
    "countries": _countries,
    "sic-codes": _codes(fields.SIC),
    "naics-codes": _codes(fields.NAICS),
    "city": _place("city"),
    "state": _place("state"),
    "country": _place("country"),
}

_BOTH: Final = {"countries": "countries", "city": "city", "state": "state", "country": "country"}
SUGGESTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "contacts": _BOTH,
    "companies": _BOTH
    | {
        "names": "company-names",
        "technologies": "technologies",
        "intentTopics": "topics",
        "sicCodes": "sic-codes",
        "naicsCodes": "naics-codes",
        "previousCompanyNames": "company-names",
    },
}
"""Suggestions of a filter, by the side of a search and its property."""

ALL: Final = tuple(_SUGGEST)


def show_suggestions(visit: Visit) -> Answer:
    """Answer the options for the text of the only field that was sent; none while search loads."""
    suggest = _SUGGEST.get(visit.parameters["values"])
    if suggest is None:
        raise NotFound("There is no such page")
    text = next(iter(visit.query.values()), "").strip()[:256]
    options: Options = []
    if len(text) >= _SHORTEST:
        try:
            options = suggest(visit.installation.get(Discovery), text)
        except (Loading, SearchUnavailable):
            options = []
    return HtmlPage("suggestions.html", {"options": options})
