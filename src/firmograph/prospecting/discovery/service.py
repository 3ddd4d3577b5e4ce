"""Values of the filters: fixed ones from the vocabularies, others from the current records.

See docs/reference/filters.md#values.

Values are free of charge. Values from records are ordered by the number of records with them, then by name.
"""

from collections.abc import Iterator

import msgspec

from firmograph.database.connection import Database, Session
from firmograph.directory import store
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.normalise.gazetteer import countries
from firmograph.directory.stored_views import view_codes, view_company
from firmograph.directory.vocabulary import DEPARTMENTS, REVENUE_BANDS, SENIORITIES, SIZE_BANDS
from firmograph.prospecting import answers
from firmograph.prospecting.discovery.places import place_options
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.port import SearchIndex
from firmograph.prospecting.engines.query import Query, Term
from firmograph.prospecting.filters.vocabularies import EXISTING_DATA_POINTS
from firmograph.prospecting.search_snapshot import SearchSnapshot, search_snapshot
from firmograph.security.record_ids import Entity, RecordIds

MAX_SUGGESTIONS = 50
_MAX_LABEL_COMPANIES = 5
"""Number of companies searched for a code's label."""


def departments() -> list[str]:
    return list(DEPARTMENTS)


def seniorities() -> list[answers.SeniorityOption]:
    """Return the seniorities by rank; the catalogue names `entry` what records show as Non-Manager."""
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
    """Values drawn from one state of the records, without suppressed people."""

    def __init__(self, database: Database, index: SearchIndex, tokens: RecordIds) -> None:
        self._database = database
        self._index = index
        self._tokens = tokens
        self._labels: dict[tuple[str, str], str] = {}
        self._unlabelled: dict[tuple[str, str], int] = {}
        """Codes without a description, with the number of companies when they were last searched."""

    def countries(self) -> list[answers.CountryOption]:
        """Return all countries of ISO 3166-1, and Kosovo, ordered by their number of contacts."""
        with search_snapshot(self._database, self._index) as (_, search):
            counts = search.facet_counts(Entity.CONTACT, fields.COUNTRY)
        named = sorted((-counts.get(code, 0), name, code) for code, name in countries().names.items())
        return [answers.CountryOption(name, code) for _, name, code in named]

    def locations(self, entity: Entity, text: str) -> list[answers.PlaceOption]:
        with search_snapshot(self._database, self._index) as (_, search):
            return place_options(search, entity, text, MAX_SUGGESTIONS)

    def technologies(self, text: str) -> list[answers.TechnologyOption]:
        with search_snapshot(self._database, self._index) as (_, search):
            found = search.suggest(Entity.COMPANY, fields.TECHNOLOGY, text, MAX_SUGGESTIONS)
        return [answers.TechnologyOption(suggestion.value) for suggestion in found]

    def company_names(self, text: str) -> list[answers.CompanyNameOption]:
        """Return companies by name or alias, each once, under its name."""
        with search_snapshot(self._database, self._index) as (session, search):
            found = search.suggest(Entity.COMPANY, fields.COMPANY_NAME, text, MAX_SUGGESTIONS)
            numbers = list(dict.fromkeys(one.number for one in found if one.number is not None))
            profiles = store.company_profiles(session, numbers) if numbers else {}
        return [self._company(number, profiles[number].profile) for number in numbers if number in profiles]

    def _company(self, number: int, profile: bytes) -> answers.CompanyNameOption:
        company = view_company(profile)
        token = self._tokens.seal(Entity.COMPANY, number)
        return answers.CompanyNameOption(token, company.name, company.logo_url, company.domain)

    def intent_topics(self) -> list[str]:
        with search_snapshot(self._database, self._index) as (_, search):
            counts = search.facet_counts(Entity.COMPANY, fields.INTENT_TOPIC)
        return sorted(counts, key=lambda topic: (-counts[topic], topic))

    def codes(self, field: str) -> list[answers.CodeOption]:
        """Return the SIC or NAICS codes of companies in ascending order, labelled as companies describe them."""
        with search_snapshot(self._database, self._index) as (session, search):
            counts = search.facet_counts(Entity.COMPANY, field)
            unlabelled = [code for code in counts if self._needs_label(field, code, counts[code])]
            found = _labels(session, search, field, unlabelled)
        self._labels |= {(field, code): label for code, label in found.items()}
        self._unlabelled |= {(field, code): counts[code] for code in unlabelled}
        return [answers.CodeOption(code, self._labels.get((field, code), code)) for code in sorted(counts)]

    def _needs_label(self, field: str, code: str, count: int) -> bool:
        """Check whether the label of a code should be searched: it is unknown, or more companies have the code."""
        key = field, code
        return key not in self._labels and self._unlabelled.get(key) != count


def _labels(session: Session, search: SearchSnapshot, field: str, codes: list[str]) -> dict[str, str]:
    """Return the descriptions of codes from the first companies that have them, in one statement."""
    queries = [Query(Entity.COMPANY, Term(field, code), size=_MAX_LABEL_COMPANIES) for code in codes]
    found_companies = search.search_many(queries) if queries else []
    holders = dict.fromkeys(number for one in found_companies for number in one.numbers)
    profiles = store.company_profiles(session, holders) if holders else {}
    found: dict[str, str] = {}
    for number in holders:
        if number in profiles:
            for code, label in _descriptions(profiles[number].profile, field):
                found.setdefault(code, label)
    return found


def _descriptions(profile: bytes, field: str) -> Iterator[tuple[str, str]]:
    """Yield the codes of a company that have a description, in the form of the field."""
    company = view_codes(profile)
    for one in company.sic_codes if field == fields.SIC else company.naics_codes:
        if one.description:
            yield f"{one.code:04}" if field == fields.SIC else str(one.code), one.description
