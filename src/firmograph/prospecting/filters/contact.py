"""Parsers of the contact filters, by their names in the request.

See docs/reference/prospecting.md#contact-filters.
"""

from collections.abc import Iterable
from functools import partial

from firmograph.directory.lookup.identifiers import EMAIL
from firmograph.directory.vocabulary import DEPARTMENTS, SENIORITIES
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import (
    Between,
    Criterion,
    EmployedBy,
    Term,
    Words,
    any_of,
)
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import (
    FilterParser,
    FilterSet,
    RequestPath,
    day_number,
    known_values,
    or_default,
)
from firmograph.prospecting.filters.place import countries, countries_by_name, locations, radii
from firmograph.prospecting.filters.record_filters import (
    contact_emails,
    contact_ids,
    contact_linkedin_urls,
)
from firmograph.prospecting.filters.shapes import (
    ContactCriteria,
    EducationFilter,
    EmployeeCriteria,
    ScoreFilter,
)
from firmograph.prospecting.filters.signal import contact_signals
from firmograph.prospecting.filters.text import (
    all_words,
    any_term,
    as_company_name,
    contains_words,
    every_word,
    unless_blank,
)
from firmograph.prospecting.filters.value import combine, requires_all
from firmograph.prospecting.indexing.analysis import normal_words, whole
from firmograph.prospecting.indexing.completeness import MAX_CONTACT_POINTS, scaled

REFINEMENTS = frozenset({"jobChangedAfterDate", "jobChangedLastViewDate", "education", "score"})
"""Filters that need some other filter."""


def employee_filters(
    criteria: EmployeeCriteria,
    path: RequestPath,
    parse_countries: FilterParser[list[str]] = countries_by_name,
) -> FilterSet:
    """Parse the contact filters that company prospecting supports too."""
    filters = FilterSet(path)
    filters.add("jobTitles", criteria.job_titles, all_words(fields.TITLE))
    filters.add("departments", criteria.departments, departments)
    filters.add("seniorityIds", criteria.seniority_ids, seniority_ids)
    filters.add("skills", criteria.skills, all_words(fields.SKILL))
    filters.add("locations", criteria.locations, locations)
    filters.add("countries", criteria.countries, parse_countries)
    every = requires_all(criteria.existing_data_points_condition, path, "existingDataPointsCondition")
    filters.add(
        "existingDataPoints", criteria.existing_data_points, partial(existing_data_points, every=every)
    )
    return filters


def contact_filters(criteria: ContactCriteria, path: RequestPath) -> FilterSet:
    filters = employee_filters(criteria, path, countries)
    filters.add("names", criteria.names, all_words(fields.NAME))
    filters.add("jobTitlesExactMatch", criteria.job_titles_exact_match, exact_titles)
    filters.add("normalizedJobTitles", criteria.normalized_job_titles, normalized_titles)
    filters.add("previousJobTitle", criteria.previous_job_title, all_words(fields.PAST_TITLE))
    filters.add("certifications", criteria.certifications, all_words(fields.CERTIFICATION))
    filters.add("awards", criteria.awards, all_words(fields.AWARD))
    filters.add("linkedinUrls", criteria.linkedin_urls, contact_linkedin_urls)
    filters.add("ids", criteria.ids, contact_ids)
    filters.add("searchText", unless_blank(criteria.search_text), contact_search_text)
    filters.add("emails", criteria.emails, contact_emails)
    filters.add("previousEmails", criteria.previous_emails, previous_emails)
    filters.add("signals", criteria.signals, contact_signals)
    filters.add("jobChangedAfterDate", criteria.job_changed_after_date, job_changed_after)
    filters.add("jobChangedLastViewDate", criteria.job_changed_last_view_date, job_changed_after)
    filters.add_nested("education", criteria.education, education)
    filters.add("score", criteria.score, score)
    filters.add("geographicDetails", criteria.geographic_details, radii)
    return filters


_DEPARTMENTS = vocabularies.index_by_casefold(DEPARTMENTS)
_DATA_POINTS = vocabularies.index_by_casefold(vocabularies.EXISTING_DATA_POINTS)
_SENIORITIES = vocabularies.index_by_casefold(map(str, sorted(SENIORITIES)))


def departments(values: list[str], path: RequestPath) -> Criterion:
    return any_term(fields.DEPARTMENT, known_values(values, _DEPARTMENTS, path))


def seniority_ids(values: list[int], path: RequestPath) -> Criterion:
    return any_term(fields.SENIORITY, known_values([str(value) for value in values], _SENIORITIES, path))


def existing_data_points(values: list[str], path: RequestPath, every: bool = False) -> Criterion:
    return combine([Term(fields.HAS, value) for value in known_values(values, _DATA_POINTS, path)], every)


def exact_titles(values: list[str], path: RequestPath) -> Criterion:
    return any_term(fields.TITLE_WHOLE, [title for value in values if (title := whole(value))])


def normalized_titles(values: list[str], path: RequestPath) -> Criterion:
    requested = map(normal_words, values)
    return any_of([Words(fields.TITLE_NORMAL, tuple(words)) for words in requested if words])


def previous_emails(values: list[str], path: RequestPath) -> Criterion:
    return any_term(fields.PREVIOUS_EMAIL, path.parse_each(values, EMAIL))


def job_changed_after(value: str, path: RequestPath) -> Criterion:
    """Match contacts whose present job began on this day or later."""
    return Between(fields.JOB_START, low=day_number(value, path))


def education(value: EducationFilter, path: RequestPath) -> FilterSet:
    filters = FilterSet(path)
    filters.add("degrees", value.degrees, all_words(fields.DEGREE))
    filters.add("fieldsOfStudy", value.fields_of_study, all_words(fields.STUDY))
    filters.add("schools", value.schools, all_words(fields.SCHOOL))
    filters.add("startYearGte", value.start_year_gte, lambda year, _: Between(fields.STUDY_START, low=year))
    filters.add(
        "graduationYearLte", value.graduation_year_lte, lambda year, _: Between(fields.GRADUATION, high=year)
    )
    return filters


def score(value: ScoreFilter, path: RequestPath) -> Criterion:
    """Match completeness on a scale of 0 to 100; the index holds it as points."""
    low, high = or_default(value.min_score, 0), or_default(value.max_score, 100)
    if low > high:
        path.child("minScore").refuse("must not be above maxScore")
    points = range(MAX_CONTACT_POINTS + 1)
    return any_term(fields.POINTS, [str(n) for n in points if low <= scaled(n, MAX_CONTACT_POINTS) <= high])


def contact_search_text(value: str, path: RequestPath) -> Criterion:
    """Match contacts with every word in any of name, title, company and skills."""
    return any_of([*every_word(value, _found_in), *map(EmployedBy, as_company_name(value))])


def _found_in(word: str) -> Iterable[Criterion]:
    yield from (Words(field, (word,)) for field in (fields.NAME, fields.TITLE, fields.SKILL))
    yield from map(EmployedBy, contains_words(fields.COMPANY_NAME, word))
