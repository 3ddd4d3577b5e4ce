"""The filters of contacts (wire-a 4.1), each under its name on the wire."""

from collections.abc import Iterable
from functools import partial

from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.vocabulary import DEPARTMENTS, SENIORITIES
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import (
    NO_RECORD,
    Between,
    Criterion,
    Employer,
    RecordNumbers,
    Term,
    Words,
    any_of,
)
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import At, Side, day_number, known, or_default
from firmograph.prospecting.filters.identifier import contact_ids, contact_linkedin_urls, normal_each
from firmograph.prospecting.filters.place import countries, locations, radii
from firmograph.prospecting.filters.shapes import ContactCriteria, Education, EmployeeCriteria, Score
from firmograph.prospecting.filters.signal import contact_signals
from firmograph.prospecting.filters.text import (
    all_words,
    as_company_name,
    every_word,
    filled,
    has_words,
    term_each,
)
from firmograph.prospecting.filters.value import condition, joined
from firmograph.prospecting.indexing.analysis import normal_words, whole
from firmograph.prospecting.indexing.completeness import MOST_CONTACT_POINTS, scaled

REFINEMENTS = frozenset({"jobChangedAfterDate", "jobChangedLastViewDate", "education", "score"})
"""They need some other filter beside them."""


def employee_filters(criteria: EmployeeCriteria, at: At) -> Side:
    """Those that company prospecting has too."""
    side = Side(at)
    side.read("jobTitles", criteria.job_titles, all_words(fields.TITLE))
    side.read("departments", criteria.departments, departments)
    side.read("seniorityIds", criteria.seniority_ids, seniority_ids)
    side.read("skills", criteria.skills, all_words(fields.SKILL))
    side.read("locations", criteria.locations, locations)
    every = condition(criteria.existing_data_points_condition, at, "existingDataPointsCondition")
    side.read("existingDataPoints", criteria.existing_data_points, partial(existing_data_points, every=every))
    return side


def contact_filters(criteria: ContactCriteria, at: At) -> Side:
    side = employee_filters(criteria, at)
    side.read("names", criteria.names, all_words(fields.NAME))
    side.read("jobTitlesExactMatch", criteria.job_titles_exact_match, exact_titles)
    side.read("normalizedJobTitles", criteria.normalized_job_titles, normalized_titles)
    side.read("previousJobTitle", criteria.previous_job_title, all_words(fields.PAST_TITLE))
    side.read("certifications", criteria.certifications, all_words(fields.CERTIFICATION))
    side.read("awards", criteria.awards, all_words(fields.AWARD))
    side.read("linkedinUrls", criteria.linkedin_urls, contact_linkedin_urls)
    side.read("ids", criteria.ids, contact_ids)
    side.read("searchText", filled(criteria.search_text), contact_search_text)
    side.read("countries", criteria.countries, countries)
    side.read("emails", criteria.emails, emails)
    side.read("previousEmails", criteria.previous_emails, previous_emails)
    side.read("signals", criteria.signals, contact_signals)
    side.read("jobChangedAfterDate", criteria.job_changed_after_date, job_changed_after)
    side.read("jobChangedLastViewDate", criteria.job_changed_last_view_date, job_changed_after)
    side.parts("education", criteria.education, education)
    side.read("score", criteria.score, score)
    side.read("geographicDetails", criteria.geographic_details, radii)
    return side


_DEPARTMENTS = vocabularies.index_by_casefold(DEPARTMENTS)
_DATA_POINTS = vocabularies.index_by_casefold(vocabularies.EXISTING_DATA_POINTS)
_SENIORITIES = vocabularies.index_by_casefold(map(str, sorted(SENIORITIES)))


def departments(values: list[str], at: At) -> Criterion:
    return term_each(fields.DEPARTMENT, known(values, _DEPARTMENTS, at))


def seniority_ids(values: list[int], at: At) -> Criterion:
    return term_each(fields.SENIORITY, known([str(value) for value in values], _SENIORITIES, at))


def existing_data_points(values: list[str], at: At, every: bool = False) -> Criterion:
    return joined([Term(fields.HAS, value) for value in known(values, _DATA_POINTS, at)], every)


def exact_titles(values: list[str], at: At) -> Criterion:
    return term_each(fields.TITLE_WHOLE, [title for value in values if (title := whole(value))])


def normalized_titles(values: list[str], at: At) -> Criterion:
    asked = map(normal_words, values)
    return any_of([Words(fields.TITLE_NORMAL, tuple(words)) for words in asked if words])


def emails(values: list[str], at: At) -> Criterion:
    found = normal_each(values, normalise_email, at, "must be an email")
    return RecordNumbers(at.resolver.contacts(emails=found)) if found else NO_RECORD


def previous_emails(values: list[str], at: At) -> Criterion:
    return term_each(fields.PREVIOUS_EMAIL, normal_each(values, normalise_email, at, "must be an email"))


def job_changed_after(value: str, at: At) -> Criterion:
    """The present job began on this day or later."""
    return Between(fields.JOB_START, low=day_number(value, at))


def education(value: Education, at: At) -> Side:
    side = Side(at)
    side.read("degrees", value.degrees, all_words(fields.DEGREE))
    side.read("fieldsOfStudy", value.fields_of_study, all_words(fields.STUDY))
    side.read("schools", value.schools, all_words(fields.SCHOOL))
    side.read("startYearGte", value.start_year_gte, lambda year, _: Between(fields.STUDY_START, low=year))
    side.read(
        "graduationYearLte", value.graduation_year_lte, lambda year, _: Between(fields.GRADUATION, high=year)
    )
    return side


def score(value: Score, at: At) -> Criterion:
    """Completeness, which is held as points, on a scale of 0 to 100."""
    low, high = or_default(value.min_score, 0), or_default(value.max_score, 100)
    if low > high:
        at.at("minScore").refuse("must not be above maxScore")
    points = range(MOST_CONTACT_POINTS + 1)
    return term_each(fields.POINTS, [str(n) for n in points if low <= scaled(n, MOST_CONTACT_POINTS) <= high])


def contact_search_text(value: str, at: At) -> Criterion:
    """Every word in any of name, title, company and skills."""
    return any_of([*every_word(value, _found_in), *map(Employer, as_company_name(value))])


def _found_in(word: str) -> Iterable[Criterion]:
    yield from (Words(field, (word,)) for field in (fields.NAME, fields.TITLE, fields.SKILL))
    yield from map(Employer, has_words(fields.COMPANY_NAME, word))
