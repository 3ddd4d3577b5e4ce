"""Entry of a contact: every field of `fields.py`, derived from its record.

Runs once per contact in a rebuild, millions of times. Work on frequent values (titles, names, places) is cached.
"""

from functools import lru_cache

from firmograph.directory.records import Contact, Education, Email, JobTitle, PastJob, Phone
from firmograph.directory.vocabulary import SENIORITIES
from firmograph.prospecting.engines.document import Entry, Figures, Terms
from firmograph.prospecting.engines.fields import (
    AWARD,
    CERTIFICATION,
    DEGREE,
    DEPARTMENT,
    GRADUATION,
    HAS,
    JOB_START,
    NAME,
    PARTIAL,
    PAST_COMPANY,
    PAST_DOMAIN,
    PAST_NAME,
    PAST_TITLE,
    POINTS,
    PREVIOUS_EMAIL,
    SCHOOL,
    SENIORITY,
    SKILL,
    STUDY,
    STUDY_START,
    TITLE,
    TITLE_NORMAL,
    TITLE_WHOLE,
)
from firmograph.prospecting.indexing.analysis import day_number, normal_words, whole, words
from firmograph.prospecting.indexing.completeness import contact_points
from firmograph.prospecting.indexing.entry_fields import place_terms, position, update_day, zip_terms
from firmograph.prospecting.indexing.signal_fields import signal_terms
from firmograph.signals.activity.record_activity import NO_ACTIVITY, Activity

_SENIORITY_TERMS = {label: (SENIORITY, str(number)) for number, label in SENIORITIES.items()}


def contact_entry(
    number: int, company: int | None, record: Contact, activity: Activity = NO_ACTIVITY
) -> Entry:
    """Return the entry of a contact; `company` is the number of its company record, if any."""
    points = contact_points(record)
    terms: Terms = [(POINTS, str(points))]
    figures: Figures = []
    _add_names(terms, record)
    if record.job_title:
        _add_job(terms, figures, record.job_title)
    if record.location:
        terms += place_terms(record.location)
        terms += zip_terms(record.location)
    terms += _contact_data_points(record.emails, record.phones)
    if record.previous_employment:
        _add_past(terms, record.previous_employment)
    if record.education:
        _add_education(terms, figures, record.education)
    terms += [(SKILL, one) for one in record.skills]
    terms += [(CERTIFICATION, one) for one in record.certifications]
    terms += [(AWARD, one) for one in record.awards]
    terms += [(PREVIOUS_EMAIL, one) for one in record.previous_emails]
    terms += signal_terms(activity)
    return Entry(
        number, company, points, update_day(record.update_date), terms, figures, position(record.location)
    )


def _add_names(terms: Terms, record: Contact) -> None:
    first, last, full = record.first_name, record.last_name, record.full_name
    if first:
        terms += _name_terms(first)
    if last:
        terms += _name_terms(last)
    if full and full != f"{first} {last}" and full not in (first, last):
        terms += [(NAME, word) for word in words(full)]


@lru_cache(maxsize=65_536)
def _name_terms(name: str) -> tuple[tuple[str, str], ...]:
    return tuple((NAME, word) for word in words(name))


def _add_job(terms: Terms, figures: Figures, job: JobTitle) -> None:
    if job.title:
        terms += _title_terms(job.title)
    terms += [(DEPARTMENT, one) for one in job.departments]
    if job.seniority in _SENIORITY_TERMS:
        terms.append(_SENIORITY_TERMS[job.seniority])
    started = day_number(job.start_date) if job.start_date else None
    if started is not None:
        figures.append((JOB_START, started, started))


@lru_cache(maxsize=65_536)
def _title_terms(title: str) -> tuple[tuple[str, str], ...]:
    return (
        *((TITLE, word) for word in words(title)),
        *((TITLE_NORMAL, word) for word in normal_words(title)),
        (TITLE_WHOLE, whole(title)),
    )


def _contact_data_points(emails: list[Email], phones: list[Phone]) -> Terms:
    """Return the contact data points; a contact without e-mail and phone is partial."""
    if not emails and not phones:
        return [(PARTIAL, "1")]
    terms: Terms = []
    if emails:
        terms.append((HAS, "email"))
        if any(one.type == "work" for one in emails):
            terms.append((HAS, "work_email"))
    if phones:
        terms.append((HAS, "phone"))
        types = {one.type for one in phones}
        terms += [(HAS, f"{kind}_phone") for kind in ("mobile", "direct") if kind in types]
        if any(one.do_not_call for one in phones):
            terms.append((HAS, "do_not_call"))
    return terms


def _add_past(terms: Terms, jobs: list[PastJob]) -> None:
    for job in jobs:
        company = job.company
        if company.name:
            terms.append((PAST_NAME, company.name))
        if company.domain:
            terms.append((PAST_DOMAIN, company.domain))
        if company.id is not None:
            terms.append((PAST_COMPANY, str(company.id)))
        if job.job_title and job.job_title.title:
            terms.append((PAST_TITLE, job.job_title.title))


def _add_education(terms: Terms, figures: Figures, education: list[Education]) -> None:
    for one in education:
        if one.school:
            terms.append((SCHOOL, one.school))
        if one.degree:
            terms.append((DEGREE, one.degree))
        if one.field_of_study:
            terms.append((STUDY, one.field_of_study))
        if one.start_year is not None:
            figures.append((STUDY_START, one.start_year, one.start_year))
        if one.graduation_year is not None:
            figures.append((GRADUATION, one.graduation_year, one.graduation_year))
