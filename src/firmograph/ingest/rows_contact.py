"""A contact's row made canonical: `ContactInput` to `records.Contact`."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from firmograph.directory.names import fold, split_full_name
from firmograph.directory.normalise.emails import email_type, normalise_email
from firmograph.directory.normalise.phones import normalise_phone
from firmograph.directory.records import (
    CompanyRef,
    Contact,
    Education,
    Email,
    JobTitle,
    PastJob,
    Phone,
    SocialLinks,
    Tag,
)
from firmograph.directory.titles import (
    derive_departments,
    derive_seniority,
    normalise_department,
    normalise_seniority,
)
from firmograph.ingest.inputs import (
    ContactInput,
    EducationInput,
    EmailInput,
    JobTitleInput,
    Loose,
    PastJobInput,
    PhoneInput,
    TagInput,
    Texts,
)
from firmograph.ingest.named import company_named
from firmograph.ingest.places import place
from firmograph.ingest.values import (
    code,
    day,
    flag,
    items,
    line,
    linkedin,
    made,
    unique,
    url,
    whole,
    year,
)


def contact_of(row: ContactInput) -> Contact:
    """The canonical record. A value that cannot be read is left out; what the row lacks is derived:
    names from the full name and the other way round, departments and seniority from the title, the type of
    an address from its domain, a telephone's country from the record's.
    """
    company = company_named(row.company)
    location = place(row.location, of_contact=True)
    first, last, full = _names(row)
    return Contact(
        first_name=first,
        last_name=last,
        full_name=full,
        job_title=job_title(row.job_title),
        location=location,
        tags=unique(map(_tag, row.tags), lambda tag: tag.id) if row.tags else [],
        social_links=_links(row),
        linkedin_connections=whole(row.linkedin_connections),
        linkedin_followers=whole(row.linkedin_followers),
        update_date=day(row.update_date),
        emails=_emails(row.emails, company),
        phones=_phones(row.phones, location.country_iso2 if location else None),
        company=company,
        previous_employment=_past_jobs(row.previous_employment) if row.previous_employment else [],
        skills=items(row.skills),
        certifications=items(row.certifications),
        awards=items(row.awards),
        previous_emails=_addresses(row.previous_emails),
        education=_education(row.education) if row.education else [],
    )


def _names(row: ContactInput) -> tuple[str | None, str | None, str | None]:
    first, last, full = line(row.first_name), line(row.last_name), line(row.full_name)
    if full and not first and not last:
        split_first, split_last = split_full_name(full)
        return split_first or None, split_last or None, full
    if not full:
        full = f"{first} {last}" if first and last else first or last
    return first, last, full


# --- job titles ---


def job_title(value: JobTitleInput | str | None) -> JobTitle | None:
    if value is None:
        return None
    if isinstance(value, str):
        return _derived(value)
    departments = unique(map(normalise_department, items(value.departments)), str)
    level = code(value.seniority)
    seniority = normalise_seniority(level) if level else None
    derived = _derived(value.title or "")
    start = day(value.start_date)
    if derived is None and not departments and not seniority and not start:
        return None
    return JobTitle(
        title=derived.title if derived else "",
        departments=departments or (derived.departments if derived else []),
        seniority=seniority or (derived.seniority if derived else None),
        start_date=start,
    )


@lru_cache(maxsize=32_768)
def _derived(title: str) -> JobTitle | None:
    """Shared by all rows with this title: never changed."""
    title = line(title) or ""
    if not title:
        return None
    return JobTitle(
        title=title, departments=list(derive_departments(title)), seniority=derive_seniority(title)
    )


def _past_jobs(rows: Sequence[PastJobInput]) -> list[PastJob]:
    return made(rows, _past_job, _job_key)


def _past_job(row: PastJobInput) -> PastJob | None:
    company = company_named(row.company)
    return PastJob(company=company, job_title=job_title(row.job_title)) if company else None


def _job_key(job: PastJob) -> tuple[str | None, str, str]:
    company, title = job.company, job.job_title
    return (
        company.domain or company.linkedin_url,
        fold(company.name or ""),
        fold(title.title) if title else "",
    )


# --- ways to reach a person ---


def _links(row: ContactInput) -> SocialLinks | None:
    given = row.social_links
    page = linkedin(given.linkedin, "in") if given else None
    page = page or linkedin(row.linkedin_url, "in")
    other = url(given.x_url) if given else None
    return SocialLinks(linkedin=page, x_url=other) if page or other else None


def _addresses(value: Texts) -> list[str]:
    return unique(map(normalise_email, items(value)), str)


def _emails(value: list[EmailInput | str | None] | str | None, company: CompanyRef | None) -> list[Email]:
    if not value:
        return []
    given: Sequence[EmailInput | str | None] = items(value) if isinstance(value, str) else value
    host = company.domain if company else None
    return made(given, lambda one: _email(one, host), _address)


def _address(email: Email) -> str:
    return email.email


_EMAIL_TYPES = {"work": "work", "business": "work", "professional": "work", "corporate": "work"}
_EMAIL_TYPES |= {"private": "private", "personal": "private", "home": "private", "unknown": "unknown"}


def _email(value: EmailInput | str | None, host: str | None) -> Email | None:
    if value is None:
        return None
    if isinstance(value, str):
        address = normalise_email(value)
        return Email(email=address, type=email_type(address, host)) if address else None
    address = normalise_email(value.email) if value.email else None
    if not address:
        return None
    given = _EMAIL_TYPES.get(value.type.strip().lower()) if value.type else None
    return Email(
        email=address,
        type=given or email_type(address, host),
        confidence=code(value.confidence, 20),
        update_date=day(value.update_date),
        data_source=line(value.data_source, 100),
    )


def _phones(value: list[PhoneInput | Loose] | Loose, region: str | None) -> list[Phone]:
    if value is None or value == "":
        return []
    given: Sequence[PhoneInput | Loose] = value if isinstance(value, list) else phone_texts(value)
    return made(given, lambda one: _phone(one, region), _number)


def phone_texts(value: Loose) -> list[str]:
    """Several numbers in one text; a comma may stand inside none of them."""
    return items(code(value, 1000))


def _number(phone: Phone) -> str:
    return phone.number


_PHONE_TYPES = {"mobile": "mobile", "cell": "mobile", "cellular": "mobile", "direct": "direct"}
_PHONE_TYPES |= {"direct dial": "direct", "direct_dial": "direct", "directdial": "direct", "ddi": "direct"}
_PHONE_TYPES |= dict.fromkeys(("work", "office", "business", "corporate", "company", "hq"), "work")


def _phone(value: PhoneInput | Loose, region: str | None) -> Phone | None:
    if not isinstance(value, PhoneInput):
        read = normalise_phone(value if isinstance(value, str) else code(value) or "", region)
        return Phone(number=read[0], country_iso2=read[1]) if read else None
    given = value.number
    read = normalise_phone(given if isinstance(given, str) else code(given) or "", region)
    if not read:
        return None
    return Phone(
        number=read[0],
        type=_PHONE_TYPES.get(value.type.strip().lower(), "unknown") if value.type else "unknown",
        do_not_call=flag(value.do_not_call),
        country_iso2=read[1],
        update_date=day(value.update_date),
        data_source=line(value.data_source, 100),
    )


# --- the rest ---


def _tag(value: TagInput) -> Tag | None:
    """A tag needs a name; without an id the name is its id."""
    name = line(value.name)
    color = (line(value.color) or "").upper()
    known = len(color) == 7 and color[0] == "#" and all(sign in "0123456789ABCDEF" for sign in color[1:])
    return Tag(id=code(value.id) or name, name=name, color=color if known else "#808080") if name else None


def _education(rows: Iterable[EducationInput]) -> list[Education]:
    return unique(
        map(_school, rows), lambda one: (one.school, one.degree, one.field_of_study, one.start_year)
    )


def _school(value: EducationInput) -> Education | None:
    found = Education(
        school=line(value.school),
        degree=line(value.degree),
        field_of_study=line(value.field_of_study),
        start_year=year(value.start_year),
        graduation_year=year(value.graduation_year),
    )
    return found if found != Education() else None
