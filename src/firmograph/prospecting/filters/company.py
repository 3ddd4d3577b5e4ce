"""The filters of companies (wire-a 4.1 and 4.2), each under its name on the wire."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.vocabulary import BUSINESS_MODELS, COMPANY_TYPES
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import (
    Criterion,
    PastEmployer,
    Prefix,
    RecordNumbers,
    Term,
    Words,
    any_of,
)
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import At, Read, Side, known
from firmograph.prospecting.filters.funding import funding
from firmograph.prospecting.filters.identifier import company_ids, company_linkedin_urls, domains, hosts
from firmograph.prospecting.filters.intent import intent
from firmograph.prospecting.filters.place import countries_by_name, locations, radii, zipcodes
from firmograph.prospecting.filters.shapes import CompanyCriteria
from firmograph.prospecting.filters.signal import company_signals
from firmograph.prospecting.filters.text import (
    all_words,
    as_company_name,
    every_word,
    filled,
    has_words,
    is_entry,
    term_each,
    whole_entries,
)
from firmograph.prospecting.filters.value import condition, joined, ranges
from firmograph.prospecting.indexing.analysis import text_words, words
from firmograph.signals.activity_shapes import CompanySignalFilter


class CompanyReading(NamedTuple):
    """Company filters, apart by whom they are about."""

    company: Side
    past: Side
    """Criteria about a contact that worked for such a company before."""


def company_filters(
    criteria: CompanyCriteria, at: At, signals: Read[CompanySignalFilter] = company_signals
) -> CompanyReading:
    side = Side(at)
    _read_who(side, criteria)
    _read_what(side, criteria, at)
    intent(side, criteria, at)
    side.read("signals", criteria.signals, signals)
    past = Side(at)
    past.read("previousCompanyNames", criteria.previous_company_names, previous_names)
    past.read("previousCompanyDomains", criteria.previous_company_domains, previous_domains)
    return CompanyReading(side, past)


def _read_who(side: Side, criteria: CompanyCriteria) -> None:
    side.read("names", criteria.names, all_words(fields.COMPANY_NAME))
    side.read("domains", criteria.domains, domains)
    side.read("ids", criteria.ids, company_ids)
    side.read("linkedinUrls", criteria.linkedin_urls, company_linkedin_urls)
    side.read("searchText", filled(criteria.search_text), company_search_text)
    side.read("locations", criteria.locations, locations)
    side.read("countries", criteria.countries, countries_by_name)
    side.read("geographicDetails", criteria.geographic_details, radii)
    side.read("locationsZipcodes", criteria.locations_zipcodes, zipcodes(fields.OFFICE_ZIP))
    side.read("headquarterZipcodes", criteria.headquarter_zipcodes, zipcodes(fields.ZIP))


def _read_what(side: Side, criteria: CompanyCriteria, at: At) -> None:
    search_fields = keywords_search_fields(criteria.keywords_search_fields, at)
    side.read("keywords", criteria.keywords, all_words(*search_fields))
    side.read("exactKeywords", criteria.exact_keywords, whole_entries(fields.KEYWORD))
    side.read("specialities", criteria.specialities, all_words(fields.SPECIALITY))
    side.read("exactSpecialities", criteria.exact_specialities, whole_entries(fields.SPECIALITY))
    side.read("sizes", criteria.sizes, ranges(fields.SIZE))
    side.read("revenues", criteria.revenues, ranges(fields.REVENUE))
    every = condition(criteria.technologies_condition, at, "technologiesCondition")
    side.read("technologies", criteria.technologies, technologies(every))
    side.read("industriesLabels", criteria.industries_labels, industries_labels)
    side.read("mainIndustriesIds", criteria.main_industries_ids, industry_ids(fields.MAIN_INDUSTRY))
    side.read("subIndustriesIds", criteria.sub_industries_ids, industry_ids(fields.SUB_INDUSTRY))
    side.read("sicCodes", criteria.sic_codes, sic_codes)
    if "sicCodes" in side.given and criteria.sics_codes is not UNSET:
        at.at("sicsCodes").refuse(f"must not be given twice: it stands in {side.path('sicCodes')} too")
    side.read("sicsCodes", criteria.sics_codes, sic_codes)
    side.read("naicsCodes", criteria.naics_codes, naics_codes)
    side.parts("funding", criteria.funding, funding)
    side.read("foundedYear", criteria.founded_year, ranges(fields.FOUNDED))
    side.read("businessModel", criteria.business_model, business_models)
    side.read("companyType", criteria.company_type, company_types)


_BUSINESS_MODELS = vocabularies.index_by_casefold(BUSINESS_MODELS)
_COMPANY_TYPES = vocabularies.index_by_casefold(COMPANY_TYPES)
_SEARCH_FIELDS = vocabularies.index_by_casefold(vocabularies.KEYWORDS_SEARCH_FIELDS)
_SEARCHED = dict(
    zip(
        vocabularies.KEYWORDS_SEARCH_FIELDS,
        (fields.COMPANY_NAME, fields.DESCRIPTION, fields.SPECIALITY, fields.KEYWORD, fields.INDUSTRY_TAG),
        strict=True,
    )
)


def business_models(values: list[str], at: At) -> Criterion:
    return term_each(fields.BUSINESS_MODEL, known(values, _BUSINESS_MODELS, at))


def company_types(values: list[str], at: At) -> Criterion:
    return term_each(fields.COMPANY_TYPE, known(values, _COMPANY_TYPES, at))


def keywords_search_fields(values: list[str] | UnsetType, at: At) -> list[str]:
    """The fields of the index that `keywords` looks in: all five unless the request names some."""
    if values is UNSET or not values:
        return list(_SEARCHED.values())
    return list(
        dict.fromkeys(
            _SEARCHED[name] for name in known(values, _SEARCH_FIELDS, at.at("keywordsSearchFields"))
        )
    )


def technologies(every: bool) -> Read[list[str]]:
    def read(values: list[str], at: At) -> Criterion:
        return joined([any_of(is_entry(fields.TECHNOLOGY, value)) for value in values], every)

    return read


@cache
def industry_ids(field: str) -> Read[list[int]]:
    """An unknown id matches nothing."""

    def read(values: list[int], at: At) -> Criterion:
        return term_each(field, [str(value) for value in values])

    return read


def _industries(keys: Callable[[str], Iterable[str]]) -> dict[str, list[Criterion]]:
    """The industries by keys of their labels; several main industries have a sub-industry `Other`."""
    found = defaultdict[str, list[Criterion]](list)
    for main in MAIN_INDUSTRIES:
        for key in keys(main.name):
            found[key].append(Term(fields.MAIN_INDUSTRY, str(main.id)))
        for sub in main.subs:
            for key in keys(sub.name):
                found[key].append(Term(fields.SUB_INDUSTRY, str(sub.id)))
    return dict(found)


_LABELLED = {label: any_of(criteria) for label, criteria in _industries(lambda label: (label,)).items()}
_LABELS = vocabularies.index_by_casefold(_LABELLED)
_INDUSTRIES_WITH = _industries(words)
"""By the words of their labels."""


def industries_labels(values: list[str], at: At) -> Criterion:
    return any_of([_LABELLED[label] for label in known(values, _LABELS, at)])


def sic_codes(values: list[str], at: At) -> Criterion:
    """Codes of four digits by their beginning. `111` may also be 0111, whose first digit numbers lose."""
    parts: list[Criterion] = []
    for place, value in enumerate(values):
        if not _is_digits(value, 4):
            at.at(place).refuse("must be up to four digits, such as 7372 or 73")
        else:
            parts.append(Prefix(fields.SIC, value))
            if len(value) == 3 and value[0] != "0":
                parts.append(Term(fields.SIC, "0" + value))
    return any_of(parts)


def naics_codes(values: list[str], at: At) -> Criterion:
    """Codes by their beginning; `31-33` stands for every sector from the one to the other."""
    prefixes: dict[str, None] = {}
    for place, value in enumerate(values):
        first, dash, last = value.partition("-")
        if (
            dash
            and _is_digits(first, 2)
            and _is_digits(last, 2)
            and len(first) == len(last)
            and first <= last
        ):
            prefixes |= dict.fromkeys(str(sector) for sector in range(int(first), int(last) + 1))
        elif not dash and _is_digits(value, 6):
            prefixes[value] = None
        else:
            at.at(place).refuse("must be up to six digits, or sectors such as 31-33")
    return any_of([Prefix(fields.NAICS, prefix) for prefix in prefixes])


def _is_digits(text: str, most: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= most


def previous_names(values: list[str], at: At) -> Criterion:
    """Of contacts: a former employer by the name that a row gave it, or that its record has; legal forms aside."""
    asked = [words for value in values if (words := tuple(text_words(fields.COMPANY_NAME, value)))]
    return any_of(
        [
            *(Words(fields.PAST_NAME, words) for words in asked),
            *(PastEmployer(Words(fields.COMPANY_NAME, words)) for words in asked),
        ]
    )


def previous_domains(values: list[str], at: At) -> Criterion:
    """Of contacts: a former employer by the host that a row gave it, or that its record has."""
    found = hosts(values, at)
    companies = at.resolver.companies(domains=found)
    return any_of(
        [*(Term(fields.PAST_DOMAIN, host) for host in found), PastEmployer(RecordNumbers(companies))]
    )


def company_search_text(value: str, at: At) -> Criterion:
    """Every word in any of name, domain, description, industry and keywords."""
    return any_of([*every_word(value, _found_in), *as_company_name(value)])


def _found_in(word: str) -> Iterable[Criterion]:
    yield from has_words(fields.COMPANY_NAME, word)
    yield Term(fields.DOMAIN_WORD, word)
    yield from has_words(fields.DESCRIPTION, word)
    yield from has_words(fields.KEYWORD, word)
    yield from _INDUSTRIES_WITH.get(word, ())
