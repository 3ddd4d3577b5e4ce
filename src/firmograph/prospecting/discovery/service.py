"""The values that filters take (wire-a 5.2): fixed ones from the vocabularies, the others from what is held now.

Values are free. Those that are data come by how many records hold them, and by name among equals.
"""

from collections.abc import Iterator

import msgspec

from firmograph.database.connection import Database, Session
from firmograph.directory import store
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.normalise.gazetteer import countries
from firmograph.directory.records import Code
from firmograph.directory.vocabulary import DEPARTMENTS, REVENUE_BANDS, SENIORITIES, SIZE_BANDS
from firmograph.prospecting import answers
from firmograph.prospecting.discovery.places import place_options
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.prospecting.engines.query import Query, Term
from firmograph.prospecting.filters.vocabularies import EXISTING_DATA_POINTS
from firmograph.prospecting.indexing.active_engine import SearchIndex
from firmograph.prospecting.indexing.snapshot import search_snapshot
from firmograph.security.record_ids import Entity, Tokens

MOST_SUGGESTIONS = 50
_MOST_LABELLED = 5
"""At how many companies a code's label is looked for."""


class _Named(msgspec.Struct):
    name: str = ""
    domain: str | msgspec.UnsetType = msgspec.UNSET
    logoUrl: str | msgspec.UnsetType = msgspec.UNSET


class _Coded(msgspec.Struct):
    sicCodes: list[Code] = []
    naicsCodes: list[Code] = []


_named = msgspec.json.Decoder(_Named).decode
_coded = msgspec.json.Decoder(_Coded).decode


def departments() -> list[str]:
    return list(DEPARTMENTS)


def seniorities() -> list[answers.SeniorityOption]:
    """By rank; the catalogue says `entry` where records show Non-Manager (wire-a 5.3)."""
    names = {number: label.lower() for number, label in SENIORITIES.items()} | {3: "entry"}
    return [answers.SeniorityOption(number, names[number]) for number in sorted(names, reverse=True)]


def existing_data_points() -> list[str]:
    return list(EXISTING_DATA_POINTS)


def _bands(bands: tuple[tuple[int, int | None], ...]) -> list[answers.RangeOption]:
    return [answers.RangeOption(low, high or msgspec.UNSET) for low, high in bands]


def sizes() -> list[answers.RangeOption]:
    return _bands(SIZE_BANDS)


def revenues() -> list[answers.RangeOption]:
    return _bands(REVENUE_BANDS)


def industries() -> list[answers.IndustryOption]:
    return [
        answers.IndustryOption(
            main.name, main.id, [answers.SubIndustryOption(sub.name, sub.id) for sub in main.subs]
        )
        for main in MAIN_INDUSTRIES
    ]


class Discovery:
    """The values that are drawn from the records, at one state of them, without anyone who was suppressed."""

    def __init__(self, database: Database, index: SearchIndex, tokens: Tokens) -> None:
        self._database = database
        self._index = index
        self._tokens = tokens
        self._labels: dict[tuple[str, str], str] = {}
        self._undescribed: dict[tuple[str, str], int] = {}
        """Codes that no description was found for, and how many companies had them then."""

    def countries(self) -> list[answers.CountryOption]:
        """All that ISO 3166-1 lists, and Kosovo; by how many contacts are there."""
        with search_snapshot(self._database, self._index) as (_, engine):
            volumes = engine.facet_counts(Entity.CONTACT, fields.COUNTRY)
        named = sorted((-volumes.get(code, 0), name, code) for code, name in countries().names.items())
        return [answers.CountryOption(name, code) for _, name, code in named]

    def locations(self, entity: Entity, text: str) -> list[answers.PlaceOption]:
        with search_snapshot(self._database, self._index) as (_, engine):
            return place_options(engine, entity, text, MOST_SUGGESTIONS)

    def technologies(self, text: str) -> list[answers.TechnologyOption]:
        with search_snapshot(self._database, self._index) as (_, engine):
            found = engine.suggest(Entity.COMPANY, fields.TECHNOLOGY, text, MOST_SUGGESTIONS)
        return [answers.TechnologyOption(suggestion.value) for suggestion in found]

    def company_names(self, text: str) -> list[answers.CompanyNameOption]:
        """Companies by their name or an alias; each once, under its name."""
        with search_snapshot(self._database, self._index) as (session, engine):
            found = engine.suggest(Entity.COMPANY, fields.COMPANY_NAME, text, MOST_SUGGESTIONS)
            numbers = list(dict.fromkeys(one.number for one in found if one.number is not None))
            held = store.company_profiles(session, numbers) if numbers else {}
        return [self._company(number, held[number].profile) for number in numbers if number in held]

    def _company(self, number: int, profile: bytes) -> answers.CompanyNameOption:
        company = _named(profile)
        token = self._tokens.seal(Entity.COMPANY, number)
        return answers.CompanyNameOption(token, company.name, company.logoUrl, company.domain)

    def intent_topics(self) -> list[str]:
        with search_snapshot(self._database, self._index) as (_, engine):
            volumes = engine.facet_counts(Entity.COMPANY, fields.INTENT_TOPIC)
        return sorted(volumes, key=lambda topic: (-volumes[topic], topic))

    def codes(self, field: str) -> list[answers.CodeOption]:
        """The SIC or NAICS codes that companies hold, in their order, labelled as a company's row describes them."""
        with search_snapshot(self._database, self._index) as (session, engine):
            held = engine.facet_counts(Entity.COMPANY, field)
            unknown = [code for code in held if self._is_news(field, code, held[code])]
            found = _labels(session, engine, field, unknown)
        self._labels |= {(field, code): label for code, label in found.items()}
        self._undescribed |= {(field, code): held[code] for code in unknown}
        return [answers.CodeOption(code, self._labels.get((field, code), code)) for code in sorted(held)]

    def _is_news(self, field: str, code: str, volume: int) -> bool:
        """Whether a label has still to be looked for, or may be found since more companies have the code."""
        key = field, code
        return key not in self._labels and self._undescribed.get(key) != volume


def _labels(session: Session, engine: SearchEngine, field: str, codes: list[str]) -> dict[str, str]:
    """The descriptions of codes, as the first companies that hold them have it; one statement."""
    holders: dict[int, None] = {}
    for code in codes:
        query = Query(Entity.COMPANY, Term(field, code), size=_MOST_LABELLED)
        holders |= dict.fromkeys(engine.search(query).numbers)
    profiles = store.company_profiles(session, holders) if holders else {}
    found: dict[str, str] = {}
    for number in holders:
        if number in profiles:
            for code, label in _described(profiles[number].profile, field):
                found.setdefault(code, label)
    return found


def _described(profile: bytes, field: str) -> Iterator[tuple[str, str]]:
    """The codes of a company that have a description, as the field holds them."""
    company = _coded(profile)
    for one in company.sicCodes if field == fields.SIC else company.naicsCodes:
        if one.description:
            yield f"{one.code:04}" if field == fields.SIC else str(one.code), one.description
