"""Entry of a company: every field of `fields.py`, derived from its record."""

import math
from typing import Any, Final

from firmograph.directory.company_json import is_partial
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.records import Company, Location
from firmograph.prospecting.engines.document import Entry, Figures, Terms
from firmograph.prospecting.engines.fields import (
    BUSINESS_MODEL,
    COMPANY_NAME,
    COMPANY_TYPE,
    DESCRIPTION,
    DOMAIN_WORD,
    FOUNDED,
    INDUSTRY_TAG,
    INTENT_SCORE,
    INTENT_TOPIC,
    KEYWORD,
    MAIN_INDUSTRY,
    NAICS,
    OFFICE_ZIP,
    PARTIAL,
    POINTS,
    REVENUE,
    SIC,
    SIZE,
    SPECIALITY,
    SUB_INDUSTRY,
    TECHNOLOGY,
    TOPIC_COUNT,
)
from firmograph.prospecting.indexing.analysis import whole, words
from firmograph.prospecting.indexing.completeness import company_points
from firmograph.prospecting.indexing.entry_fields import place_terms, position, update_day, zip_terms
from firmograph.prospecting.indexing.funding_entry import funding_figures, funding_terms
from firmograph.prospecting.indexing.signal_fields import signal_terms
from firmograph.signals.activity.record_activity import NO_ACTIVITY, Activity

_MAIN_IDS: Final = {main.name: str(main.id) for main in MAIN_INDUSTRIES}
_SUB_IDS: Final = {(main.name, sub.name): str(sub.id) for main in MAIN_INDUSTRIES for sub in main.subs}


def company_entry(number: int, record: Company, activity: Activity = NO_ACTIVITY) -> Entry:
    points = company_points(record)
    terms: Terms = [(POINTS, str(points))]
    if is_partial(record):
        terms.append((PARTIAL, "1"))
    _add_names(terms, record)
    _add_texts(terms, record)
    _add_industries(terms, record)
    _add_places(terms, record.location, record.additional_locations)
    figures = _figures(record)
    if record.intent:
        _add_intent(terms, figures, record.intent)
    if record.funding:
        terms += funding_terms(record.funding)
        figures += funding_figures(record.funding)
    terms += signal_terms(activity)
    return Entry(
        number, None, points, update_day(record.update_date), terms, figures, position(record.location)
    )


def _add_names(terms: Terms, record: Company) -> None:
    names = dict.fromkeys((record.name, record.alternative_name, *record.alternative_names))
    terms += [(COMPANY_NAME, name) for name in names if name]
    for domain in (record.domain, *record.alternative_domains):
        if domain:
            terms.append((DOMAIN_WORD, domain))
            terms += [(DOMAIN_WORD, word) for word in words(domain)]


def _add_texts(terms: Terms, record: Company) -> None:
    if record.description:
        terms += [(DESCRIPTION, word) for word in dict.fromkeys(words(record.description))]
    specialities = dict.fromkeys((*record.specialities, *record.specialities_refactored))
    terms += [(SPECIALITY, one) for one in specialities]
    terms += [(KEYWORD, one) for one in record.keywords]
    terms += [(INDUSTRY_TAG, one) for one in record.industry_tags]
    terms += [(TECHNOLOGY, one) for one in record.technologies]
    if record.company_type:
        terms.append((COMPANY_TYPE, record.company_type))
    terms += [(BUSINESS_MODEL, one) for one in record.business_model]


def _add_industries(terms: Terms, record: Company) -> None:
    industries = [(record.industry, record.sub_industry)]
    industries += [(one.industry, one.sub_industry) for one in record.additional_industries]
    for main, sub in industries:
        if main in _MAIN_IDS:
            terms.append((MAIN_INDUSTRY, _MAIN_IDS[main]))
        if main and sub and (main, sub) in _SUB_IDS:
            terms.append((SUB_INDUSTRY, _SUB_IDS[main, sub]))
    terms += [(SIC, f"{one.code:04}") for one in record.sic_codes]
    terms += [(NAICS, str(one.code)) for one in record.naics_codes]


def _add_places(terms: Terms, headquarters: Location | None, offices: list[Location]) -> None:
    if headquarters:
        terms += place_terms(headquarters)
        terms += zip_terms(headquarters)
        terms += zip_terms(headquarters, OFFICE_ZIP)
    for office in offices:
        terms += zip_terms(office, OFFICE_ZIP)


def _figures(record: Company) -> Figures:
    figures: Figures = []
    size, revenue = record.employee_count, record.revenue_range
    if size and size.exact is not None:
        figures.append((SIZE, size.exact, size.exact))
    elif size:
        _add_band(figures, SIZE, size.min, size.max)
    if revenue:
        _add_band(figures, REVENUE, revenue.min, revenue.max)
    if record.year_founded is not None:
        figures.append((FOUNDED, record.year_founded, record.year_founded))
    return figures


def _add_band(figures: Figures, field: str, low: float | None, high: float | None) -> None:
    """Add a band. An open lower end is 0, an open upper end infinity."""
    if low is not None or high is not None:
        figures.append((field, low or 0, math.inf if high is None else high))


def _add_intent(terms: Terms, figures: Figures, intent: dict[str, Any]) -> None:
    """Add topics from `{detectedTopics: [{topicName, metadata: {topicScore}}], topicCount}`."""
    topics = intent.get("detectedTopics") or ()
    for topic in topics:
        name = topic["topicName"]
        terms.append((INTENT_TOPIC, name))
        score = (topic.get("metadata") or {}).get("topicScore")
        if score is not None and 1 <= round(score) <= 100:
            terms += [(INTENT_SCORE, f"{requested}|{round(score)}") for requested in (whole(name), "")]
    count = intent.get("topicCount") or len(topics)
    figures.append((TOPIC_COUNT, count, count))
