"""Parsers of the company filters, by their names in the request.

See docs/reference/prospecting.md#company-filters.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.lookup.identifiers import DOMAIN, CompanyIdentifiers
from firmograph.directory.vocabulary import BUSINESS_MODELS, COMPANY_TYPES
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import (
    Criterion,
    FormerlyEmployedBy,
    Prefix,
    RecordNumbers,
    Term,
    Words,
    any_of,
)
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import FilterParser, FilterSet, RequestPath, known_values
from firmograph.prospecting.filters.funding import funding
from firmograph.prospecting.filters.intent import intent
from firmograph.prospecting.filters.place import countries_by_name, locations, radii, zipcodes
from firmograph.prospecting.filters.record_filters import (
    company_domains,
    company_ids,
    company_linkedin_urls,
)
from firmograph.prospecting.filters.shapes import CompanyCriteria
from firmograph.prospecting.filters.signal import company_signals
from firmograph.prospecting.filters.text import (
    all_words,
    any_term,
    as_company_name,
    contains_words,
    equals_text,
    every_word,
    unless_blank,
    whole_texts,
)
from firmograph.prospecting.filters.value import combine, ranges, requires_all
from firmograph.prospecting.indexing.analysis import text_words, words
from firmograph.signals.activity.shapes import CompanySignalFilter


class CompanyFilterSets(NamedTuple):
    """Company filters, separated by the records they apply to."""

    company: FilterSet
    former_employers: FilterSet
    """Contact criteria about former employers."""


def company_filters(
    criteria: CompanyCriteria, path: RequestPath, signals: FilterParser[CompanySignalFilter] = company_signals
) -> CompanyFilterSets:
    filters = FilterSet(path)
    _add_identity(filters, criteria)
    _add_attributes(filters, criteria, path)
    intent(filters, criteria, path)
    filters.add("signals", criteria.signals, signals)
    former_employers = FilterSet(path)
    former_employers.add("previousCompanyNames", criteria.previous_company_names, previous_names)
    former_employers.add("previousCompanyDomains", criteria.previous_company_domains, previous_domains)
    return CompanyFilterSets(filters, former_employers)


def _add_identity(filters: FilterSet, criteria: CompanyCriteria) -> None:
    filters.add("names", criteria.names, all_words(fields.COMPANY_NAME))
    filters.add("domains", criteria.domains, company_domains)
    filters.add("ids", criteria.ids, company_ids)
    filters.add("linkedinUrls", criteria.linkedin_urls, company_linkedin_urls)
    filters.add("searchText", unless_blank(criteria.search_text), company_search_text)
    filters.add("locations", criteria.locations, locations)
    filters.add("countries", criteria.countries, countries_by_name)
    filters.add("geographicDetails", criteria.geographic_details, radii)
    filters.add("locationsZipcodes", criteria.locations_zipcodes, zipcodes(fields.OFFICE_ZIP))
    filters.add("headquarterZipcodes", criteria.headquarter_zipcodes, zipcodes(fields.ZIP))


def _add_attributes(filters: FilterSet, criteria: CompanyCriteria, path: RequestPath) -> None:
    search_fields = keywords_search_fields(criteria.keywords_search_fields, path)
    filters.add("keywords", criteria.keywords, all_words(*search_fields))
    filters.add("exactKeywords", criteria.exact_keywords, whole_texts(fields.KEYWORD))
    filters.add("specialities", criteria.specialities, all_words(fields.SPECIALITY))
    filters.add("exactSpecialities", criteria.exact_specialities, whole_texts(fields.SPECIALITY))
    filters.add("sizes", criteria.sizes, ranges(fields.SIZE))
    filters.add("revenues", criteria.revenues, ranges(fields.REVENUE))
    every = requires_all(criteria.technologies_condition, path, "technologiesCondition")
    filters.add("technologies", criteria.technologies, technologies(every))
    filters.add("industriesLabels", criteria.industries_labels, industries_labels)
    filters.add("mainIndustriesIds", criteria.main_industries_ids, industry_ids(fields.MAIN_INDUSTRY))
    filters.add("subIndustriesIds", criteria.sub_industries_ids, industry_ids(fields.SUB_INDUSTRY))
    filters.add("sicCodes", criteria.sic_codes, sic_codes)
    if "sicCodes" in filters.by_name and criteria.sics_codes is not UNSET:
        path.child("sicsCodes").refuse(
            f"must not be given twice: it is also in {filters.path_of('sicCodes')}"
        )
    filters.add("sicsCodes", criteria.sics_codes, sic_codes)
    filters.add("naicsCodes", criteria.naics_codes, naics_codes)
    filters.add_nested("funding", criteria.funding, funding)
    filters.add("foundedYear", criteria.founded_year, ranges(fields.FOUNDED))
    filters.add("businessModel", criteria.business_model, business_models)
    filters.add("companyType", criteria.company_type, company_types)


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


def business_models(values: list[str], path: RequestPath) -> Criterion:
    return any_term(fields.BUSINESS_MODEL, known_values(values, _BUSINESS_MODELS, path))


def company_types(values: list[str], path: RequestPath) -> Criterion:
    return any_term(fields.COMPANY_TYPE, known_values(values, _COMPANY_TYPES, path))


def keywords_search_fields(values: list[str] | UnsetType, path: RequestPath) -> list[str]:
    """Return the index fields searched by `keywords`: all five unless the request names some."""
    if values is UNSET or not values:
        return list(_SEARCHED.values())
    return list(
        dict.fromkeys(
            _SEARCHED[name]
            for name in known_values(values, _SEARCH_FIELDS, path.child("keywordsSearchFields"))
        )
    )


def technologies(every: bool) -> FilterParser[list[str]]:
    def parse(values: list[str], path: RequestPath) -> Criterion:
        return combine([any_of(equals_text(fields.TECHNOLOGY, value)) for value in values], every)

    return parse


@cache
def industry_ids(field: str) -> FilterParser[list[int]]:
    """Return the parser of industry ids. Unknown ids match nothing."""

    def parse(values: list[int], path: RequestPath) -> Criterion:
        return any_term(field, [str(value) for value in values])

    return parse


def _industries(keys: Callable[[str], Iterable[str]]) -> dict[str, list[Criterion]]:
    """Return industry criteria by keys of their labels; several main industries have a sub-industry `Other`."""
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
"""Industry criteria by word of their label."""


def industries_labels(values: list[str], path: RequestPath) -> Criterion:
    return any_of([_LABELLED[label] for label in known_values(values, _LABELS, path)])


def sic_codes(values: list[int | str], path: RequestPath) -> Criterion:
    """Match four-digit codes by prefix. `111` also matches 0111, which as a number loses its leading zero."""
    parts: list[Criterion] = []
    for index, value in enumerate(map(str, values)):
        if not _is_digits(value, 4):
            path.child(index).refuse("must be up to four digits, such as 7372 or 73")
        else:
            parts.append(Prefix(fields.SIC, value))
            if len(value) == 3 and value[0] != "0":
                parts.append(Term(fields.SIC, "0" + value))
    return any_of(parts)


def naics_codes(values: list[int | str], path: RequestPath) -> Criterion:
    """Match codes by prefix; `31-33` stands for all sectors from 31 to 33."""
    prefixes: dict[str, None] = {}
    for index, value in enumerate(map(str, values)):
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
            path.child(index).refuse("must be up to six digits, or sectors such as 31-33")
    return any_of([Prefix(fields.NAICS, prefix) for prefix in prefixes])


def _is_digits(text: str, most: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= most


def previous_names(values: list[str], path: RequestPath) -> Criterion:
    """Match contacts by a former employer's name, as imported or from its record; legal forms are ignored."""
    requested = [words for value in values if (words := tuple(text_words(fields.COMPANY_NAME, value)))]
    return any_of(
        [
            *(Words(fields.PAST_NAME, words) for words in requested),
            *(FormerlyEmployedBy(Words(fields.COMPANY_NAME, words)) for words in requested),
        ]
    )


def previous_domains(values: list[str], path: RequestPath) -> Criterion:
    """Match contacts by a former employer's host, as imported or from its record."""
    found = path.parse_each(values, DOMAIN)
    companies = path.find_companies(CompanyIdentifiers(domains=found))
    return any_of(
        [*(Term(fields.PAST_DOMAIN, host) for host in found), FormerlyEmployedBy(RecordNumbers(companies))]
    )


def company_search_text(value: str, path: RequestPath) -> Criterion:
    """Match companies with every word in any of name, domain, description, industry and keywords."""
    return any_of([*every_word(value, _found_in), *as_company_name(value)])


def _found_in(word: str) -> Iterable[Criterion]:
    yield from contains_words(fields.COMPANY_NAME, word)
    yield Term(fields.DOMAIN_WORD, word)
    yield from contains_words(fields.DESCRIPTION, word)
    yield from contains_words(fields.KEYWORD, word)
    yield from _INDUSTRIES_WITH.get(word, ())
