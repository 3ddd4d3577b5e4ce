"""The meaning of each filter of a company, as plain checks of a record against its JSON value.

See docs/reference/prospecting.md#company-filters.
"""

from collections.abc import Callable, Iterable
from typing import Any

from oracle_funding import FUNDING
from oracle_places import at_location, at_postcode, near
from oracle_ranges import Span, in_ranges
from oracle_request import EXCLUDES
from oracle_signals import signals
from oracle_text import has_name, has_words, mentions, whole
from record_set import Firm, Records

from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.normalise.domains import host_of, registrable_domain
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Company, Location

Json = dict[str, Any]
Matches = Callable[[Any, Firm, Records, Json], bool]

_SIDES = {"or": any, "any": any, "and": all, "all": all}


def own_names(company: Company) -> list[str]:
    return [name for name in (company.name, company.alternative_name, *company.alternative_names) if name]


def _names(value, firm, records, criteria):
    return any(has_name(name, own) for name in value for own in own_names(firm.record))


def _domains(value, firm, records, criteria):
    return bool(at_domains(value, records, excludes=EXCLUDES in criteria) & {firm.number})


def at_domains(value: Iterable[str], records: Records, *, excludes: bool) -> set[int]:
    """Return the companies of these hosts, or those that their exclusion leaves out.

    See docs/reference/prospecting.md#values.
    """
    requested = ",".join((str(excludes), *value))
    if requested not in records.domains:
        found: set[int] = set()
        for host in map(host_of, value):
            found |= _excluded(host, records) if excludes else _answering(host, records)
        records.domains[requested] = found
    return records.domains[requested]


def _answering(host: str | None, records: Records) -> set[int]:
    own = {firm.number for firm in records.companies.values() if firm.record.domain == host}
    return own or {firm.number for firm in records.companies.values() if _has_domain(firm, host)}


def _excluded(host: str | None, records: Records) -> set[int]:
    """Return the companies that hold exactly this host; if there is none, those below it."""
    held = {firm.number: _hosts(firm) for firm in records.companies.values()}
    return {number for number, hosts in held.items() if host in hosts} or {
        number for number, hosts in held.items() if host in map(registrable_domain, hosts)
    }


def _hosts(firm: Firm) -> set[str]:
    return {host for host in (firm.record.domain, *firm.record.alternative_domains) if host}


def _has_domain(firm: Firm, host: str) -> bool:
    stored = _hosts(firm)
    return bool({*stored, *map(registrable_domain, stored)} & {host, registrable_domain(host)})


def _linkedin_urls(value, firm, records, criteria):
    links = firm.record.social_links
    own = linkedin_slug(links.linkedin, "company") if links and links.linkedin else None
    return own is not None and own in [linkedin_slug(url, "company") for url in value]


def _keyword_texts(company: Company, field: str) -> list[str]:
    if field == "name":
        return own_names(company)
    stored = {
        "description": [company.description] if company.description else [],
        "specialities": [*company.specialities, *company.specialities_refactored],
        "keywords": company.keywords,
        "industryTags": company.industry_tags,
    }
    return stored[field]


_KEYWORD_FIELDS = ("name", "description", "specialities", "keywords", "industryTags")


def _keywords(value, firm, records, criteria):
    """Match all words of a value in one text of one of the fields."""
    fields = criteria.get("keywordsSearchFields") or _KEYWORD_FIELDS
    for field in fields:
        has = has_name if field == "name" else has_words
        if any(has(keyword, text) for keyword in value for text in _keyword_texts(firm.record, field)):
            return True
    return False


def _whole_entry(*fields: str) -> Matches:
    def matches(value, firm, records, criteria):
        stored = [whole(entry) for field in fields for entry in getattr(firm.record, field)]
        return any(whole(text) in stored for text in value)

    return matches


def _specialities(value, firm, records, criteria):
    return any(has_words(text, one) for text in value for one in _keyword_texts(firm.record, "specialities"))


def _technologies(value, firm, records, criteria):
    every = _SIDES[criteria.get("technologiesCondition", "or")]
    stored = [whole(entry) for entry in firm.record.technologies]
    return every(whole(text) in stored for text in value)


# --- locations ---


def _offices(company: Company) -> list[Location]:
    return [place for place in (company.location, *company.additional_locations) if place]


def _locations(value, firm, records, criteria):
    return any(at_location(firm.record.location, requested) for requested in value if requested)


def _countries(value, firm, records, criteria):
    return any(at_location(firm.record.location, {"country": country}) for country in value)


def _geographic_details(value, firm, records, criteria):
    return any(near(firm.record.location, requested, records) for requested in value)


def _zipcodes(value: Iterable[Json], places: Iterable[Location | None]) -> bool:
    return any(at_postcode(place, one["countryIso2"], one["zipcode"]) for one in value for place in places)


def _office_zipcodes(value, firm, records, criteria):
    return _zipcodes(value, _offices(firm.record))


def _headquarter_zipcodes(value, firm, records, criteria):
    return _zipcodes(value, [firm.record.location])


# --- figures ---


def _sizes(value, firm, records, criteria):
    count = firm.record.employee_count
    if count is None:
        return False
    span = Span(count.exact, count.exact) if count.exact is not None else Span(count.min, count.max)
    return in_ranges(span, value)


def _revenues(value, firm, records, criteria):
    stored = firm.record.revenue_range
    return stored is not None and in_ranges(Span(stored.min, stored.max), value)


def _founded(value, firm, records, criteria):
    year = firm.record.year_founded
    return year is not None and in_ranges(Span(year, year), value)


# --- industry ---


def _industries(company: Company) -> list[tuple[str | None, str | None]]:
    return [
        (company.industry, company.sub_industry),
        *((one.industry, one.sub_industry) for one in company.additional_industries),
    ]


_MAIN_IDS = {main.name: main.id for main in MAIN_INDUSTRIES}
_SUB_IDS = {(main.name, sub.name): sub.id for main in MAIN_INDUSTRIES for sub in main.subs}


def _main_industries(value, firm, records, criteria):
    return any(_MAIN_IDS.get(main) in value for main, _ in _industries(firm.record))


def _sub_industries(value, firm, records, criteria):
    return any(_SUB_IDS.get(pair) in value for pair in _industries(firm.record))


def _industries_labels(value, firm, records, criteria):
    stored = {whole(name) for pair in _industries(firm.record) for name in pair if name}
    return any(whole(label) in stored for label in value)


def _sic(value, firm, records, criteria):
    """Match by prefix of four digits; one of three digits may have lost the zero before it."""
    requested = {*value, *("0" + prefix for prefix in value if len(prefix) == 3)}
    return any(f"{one.code:04}".startswith(prefix) for one in firm.record.sic_codes for prefix in requested)


def _naics(value, firm, records, criteria):
    stored = [str(one.code) for one in firm.record.naics_codes]
    return any(code.startswith(prefix) for code in stored for one in value for prefix in _prefixes(one))


def _prefixes(value: str) -> list[str]:
    first, dash, last = value.partition("-")
    return [str(one) for one in range(int(first), int(last) + 1)] if dash else [value]


def _one_of(field: str) -> Matches:
    def matches(value, firm, records, criteria):
        stored = getattr(firm.record, field) or []
        stored = [stored] if isinstance(stored, str) else stored
        return bool({one.casefold() for one in stored} & {one.casefold() for one in value})

    return matches


# --- intent ---


def _topics(company: Company) -> list[Json]:
    return (company.intent or {}).get("detectedTopics", [])


def _intent_topics(value, firm, records, criteria):
    low, high = criteria.get("intentMinScore"), criteria.get("intentMaxScore")
    every = _SIDES[criteria.get("intentTopicsCondition") or criteria.get("intentTopicsOperator") or "or"]
    stored = [whole(topic["topicName"]) for topic in _topics(firm.record) if _scored(topic, low, high)]
    return every(whole(text) in stored for text in value)


def _scored(topic: Json, low: int | None, high: int | None) -> bool:
    score = topic.get("metadata", {}).get("topicScore")
    if low is None and high is None:
        return True
    return score is not None and (low or 1) <= round(score) <= (high or 100)


def _intent_score(value, firm, records, criteria):
    """Without topics, match any topic with such a score."""
    low, high = criteria.get("intentMinScore"), criteria.get("intentMaxScore")
    return any(_scored(topic, low, high) for topic in _topics(firm.record))


def _topic_count(value, firm, records, criteria):
    count = (firm.record.intent or {}).get("topicCount") or len(_topics(firm.record)) or None
    return count is not None and in_ranges(Span(count, count), value)


# --- the rest ---


def _search_text(value, firm, records, criteria):
    """Match all words in name, domain, description, industry and keywords."""
    company = firm.record
    texts = [company.domain, *company.alternative_domains, company.description, *company.keywords]
    texts += [name for pair in _industries(company) for name in pair]
    return mentions(value, texts, own_names(company))


FILTERS: dict[str, Matches] = {
    "names": _names,
    "domains": _domains,
    "linkedinUrls": _linkedin_urls,
    "keywords": _keywords,
    "exactKeywords": _whole_entry("keywords"),
    "specialities": _specialities,
    "exactSpecialities": _whole_entry("specialities", "specialities_refactored"),
    "locations": _locations,
    "countries": _countries,
    "geographicDetails": _geographic_details,
    "locationsZipcodes": _office_zipcodes,
    "headquarterZipcodes": _headquarter_zipcodes,
    "sizes": _sizes,
    "revenues": _revenues,
    "foundedYear": _founded,
    "technologies": _technologies,
    "industriesLabels": _industries_labels,
    "mainIndustriesIds": _main_industries,
    "subIndustriesIds": _sub_industries,
    "sicCodes": _sic,
    "sicsCodes": _sic,
    "naicsCodes": _naics,
    "businessModel": _one_of("business_model"),
    "companyType": _one_of("company_type"),
    "intentTopics": _intent_topics,
    "intentScore": _intent_score,
    "topicCountThreshold": _topic_count,
    "searchText": _search_text,
    "signals": signals,
    **FUNDING,
}
"""By the name of the filter, parts of an object apart: whether a record matches its value."""
