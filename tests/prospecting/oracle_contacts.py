"""The meaning of each filter of a contact, as plain checks of a record against its JSON value.

See docs/reference/prospecting.md#contact-filters.
"""

from collections.abc import Callable
from datetime import date
from typing import Any

from oracle_companies import own_names
from oracle_places import at_location, near
from oracle_signals import signals
from oracle_text import has_words, mentions, same_title, whole
from record_set import Person, Records

from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.vocabulary import SENIORITIES
from firmograph.prospecting.indexing.completeness import MAX_CONTACT_POINTS

Json = dict[str, Any]
_IDS = {label: number for number, label in SENIORITIES.items()}


def _title(person: Person) -> str | None:
    job = person.record.job_title
    return job.title if job else None


def _names(value, person, records, criteria):
    stored = person.record
    return any(has_words(name, stored.first_name, stored.last_name, stored.full_name) for name in value)


def _job_titles(value, person, records, criteria):
    return any(has_words(title, _title(person)) for title in value)


def _normalized_job_titles(value, person, records, criteria):
    return any(same_title(title, _title(person)) for title in value)


def _exact_job_titles(value, person, records, criteria):
    return bool(_title(person)) and whole(_title(person)) in map(whole, value)


def _previous_job_title(value, person, records, criteria):
    past = [job.job_title.title for job in person.record.previous_employment if job.job_title]
    return any(has_words(title, one) for title in value for one in past)


def _entries(field: str):
    """Match values of which one entry of a list has all words."""

    def matches(value, person, records, criteria):
        return any(has_words(text, entry) for text in value for entry in getattr(person.record, field))

    return matches


def _departments(value, person, records, criteria):
    job = person.record.job_title
    return bool(job) and any(name.casefold() in map(str.casefold, job.departments) for name in value)


def _seniority_ids(value, person, records, criteria):
    job = person.record.job_title
    return bool(job) and _IDS.get(job.seniority) in value


def _has(person: Person, point: str) -> bool:
    stored = person.record
    if point == "phone":
        return bool(stored.phones)
    if point == "work_email":
        return any(email.type == "work" for email in stored.emails)
    return any(phone.type == point.removesuffix("_phone") for phone in stored.phones)


def _existing_data_points(value, person, records, criteria):
    every = all if criteria.get("existingDataPointsCondition") == "and" else any
    return every(_has(person, point) for point in value)


def _linkedin_urls(value, person, records, criteria):
    links = person.record.social_links
    own = linkedin_slug(links.linkedin, "in") if links and links.linkedin else None
    return own is not None and own in [linkedin_slug(url, "in") for url in value]


def _search_text(value, person, records, criteria):
    """Match all words in name, title, company and skills."""
    stored = person.record
    company = records.companies.get(person.company) if person.company else None
    texts = [stored.first_name, stored.last_name, stored.full_name, _title(person), *stored.skills]
    return mentions(value, texts, own_names(company.record) if company else [])


def _countries(value, person, records, criteria):
    place = person.record.location
    return bool(place) and (place.country_iso2 or "") in map(str.upper, value)


def _locations(value, person, records, criteria):
    return any(at_location(person.record.location, requested) for requested in value if requested)


def _geographic_details(value, person, records, criteria):
    return any(near(person.record.location, requested, records) for requested in value)


def _emails(value, person, records, criteria):
    return any(email.email in map(str.lower, value) for email in person.record.emails)


def _previous_emails(value, person, records, criteria):
    return any(email in map(str.lower, value) for email in person.record.previous_emails)


def _job_start(value, person, records, criteria):
    job = person.record.job_title
    start = job.start_date if job else None
    return bool(start) and date.fromisoformat(start) >= date.fromisoformat(value)


def _score(value, person, records, criteria):
    score = person.points * 100 // MAX_CONTACT_POINTS
    return value.get("minScore", 0) <= score <= value.get("maxScore", 100)


def _school(field: str):
    def matches(value, person, records, criteria):
        stored = [getattr(one, field) for one in person.record.education]
        return any(has_words(text, one) for text in value for one in stored if one)

    return matches


def _start_year(value, person, records, criteria):
    return any(one.start_year and one.start_year >= value for one in person.record.education)


def _graduation_year(value, person, records, criteria):
    return any(one.graduation_year and one.graduation_year <= value for one in person.record.education)


FILTERS: dict[str, Callable[[Any, Person, Records, Json], bool]] = {
    "names": _names,
    "jobTitles": _job_titles,
    "normalizedJobTitles": _normalized_job_titles,
    "jobTitlesExactMatch": _exact_job_titles,
    "previousJobTitle": _previous_job_title,
    "skills": _entries("skills"),
    "certifications": _entries("certifications"),
    "awards": _entries("awards"),
    "departments": _departments,
    "seniorityIds": _seniority_ids,
    "existingDataPoints": _existing_data_points,
    "linkedinUrls": _linkedin_urls,
    "searchText": _search_text,
    "countries": _countries,
    "locations": _locations,
    "geographicDetails": _geographic_details,
    "emails": _emails,
    "previousEmails": _previous_emails,
    "jobChangedAfterDate": _job_start,
    "jobChangedLastViewDate": _job_start,
    "score": _score,
    "education.schools": _school("school"),
    "education.degrees": _school("degree"),
    "education.fieldsOfStudy": _school("field_of_study"),
    "education.startYearGte": _start_year,
    "education.graduationYearLte": _graduation_year,
    "signals": signals,
}
"""By the name of the filter, parts of an object apart: whether a record matches its value."""
