"""Conversion of a contact's row to its canonical record, `ContactInput` to `records.Contact`."""

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

import msgspec

from firmograph.directory.names import fold
from firmograph.directory.normalise.domains import share_registrable
from firmograph.directory.normalise.emails import email_domain, email_type, is_free_mail, normalise_email
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
from firmograph.directory.titles.derivation import derive_departments, derive_seniority
from firmograph.directory.titles.spellings import normalise_department, normalise_seniority
from firmograph.ingest.reading.cell_values import (
    NO_TELEPHONE,
    is_plain_email,
    is_plain_number,
    split_addresses,
    split_emails,
    split_numbers,
)
from firmograph.ingest.reading.inputs import (
    ContactInput,
    EducationInput,
    EmailInput,
    JobTitleInput,
    PastJobInput,
    PhoneInput,
    Scalar,
    TagInput,
    Texts,
)
from firmograph.ingest.records.company_references import read_company_hosts, read_company_reference
from firmograph.ingest.records.contact_details import unite_emails, unite_phones
from firmograph.ingest.records.locations import read_location
from firmograph.ingest.records.person_names import read_names
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import (
    MAX_LIST,
    code,
    convert_each,
    flag,
    items,
    label,
    line,
    linkedin,
    opt_out,
    profile,
    refusal,
    unique,
    whole,
    year,
)


def normalise_contact(row: ContactInput, notes: Notes | None = None) -> Contact:
    """Return the canonical record. Values that cannot be read are dropped and noted.

    Derives missing values: names from the full name and vice versa, departments and seniority from the title, an
    address's type from its domain, a telephone number's country from the record's.
    """
    notes = notes or Notes()
    company = read_company_reference(row.company, notes, "company")
    if row.personal_site is not None and not (company and company.domain):
        company = _with_site(company, row.personal_site, row.emails, notes)
    location = read_location(row.location, notes, of_contact=True)
    first, last, full = read_names(row)
    return Contact(
        first_name=first,
        last_name=last,
        full_name=full,
        job_title=read_job_title(row.job_title, notes),
        location=location,
        tags=unique(map(_read_tag, row.tags), lambda tag: tag.id) if row.tags else [],
        social_links=_links(row, notes),
        linkedin_connections=notes.read("linkedinConnections", row.linkedin_connections, whole),
        linkedin_followers=notes.read("linkedinFollowers", row.linkedin_followers, whole),
        update_date=notes.day("updateDate", row.update_date),
        emails=_emails(row.emails, company, notes),
        phones=_phones(row, location.country_iso2 if location else None, notes),
        company=company,
        previous_employment=_past_jobs(row.previous_employment, notes) if row.previous_employment else [],
        skills=items(row.skills),
        certifications=items(row.certifications),
        awards=items(row.awards),
        previous_emails=_addresses(row.previous_emails, notes) if row.previous_emails else [],
        education=_education(row.education, notes) if row.education else [],
    )


# --- the employer's site ---


def _with_site(
    company: CompanyRef | None, cell: str, emails: list[EmailInput | str | None] | str | None, notes: Notes
) -> CompanyRef | None:
    """Return the employer with a site of an address book as its domain, unless the row's e-mails are elsewhere.

    Without a named employer, the site is one only if an e-mail is there.
    """
    hosts = read_company_hosts(cell, company.name if company else None)
    notes.check("personalSite", cell, hosts or split_addresses(cell))
    if not hosts:
        return company
    given = items(emails) if isinstance(emails, str) else emails or []
    texts = (one.email if isinstance(one, EmailInput) else one for one in given)
    addresses = (normalise_email(one) for text in texts if text for one in split_emails(text))
    at_work = [host for one in addresses if one and not is_free_mail(host := email_domain(one))]
    is_there = any(share_registrable(host, hosts[0]) for host in at_work)
    if not is_there and (at_work or company is None):
        return company
    return msgspec.structs.replace(company or CompanyRef(), domain=hosts[0])


# --- job titles ---


def read_job_title(value: JobTitleInput | str | None, notes: Notes) -> JobTitle | None:
    if value is None:
        return None
    if isinstance(value, str):
        return _derive_job_title(value)
    departments = unique(_departments(value, notes), str) if value.departments else []
    level = code(value.seniority)
    seniority = notes.read("jobTitle.seniority", level, normalise_seniority) if level else None
    derived = _derive_job_title(value.title or "")
    start = notes.day("jobTitle.startDate", value.start_date) if value.start_date else None
    if derived is None and not departments and not seniority and not start:
        return None
    return JobTitle(
        title=derived.title if derived else "",
        departments=departments or (derived.departments if derived else []),
        seniority=seniority or (derived.seniority if derived else None),
        start_date=start,
    )


def _departments(value: JobTitleInput, notes: Notes) -> Iterable[str | None]:
    return (notes.read("jobTitle.departments", one, normalise_department) for one in items(value.departments))


@lru_cache(maxsize=32_768)
def _derive_job_title(title: str) -> JobTitle | None:
    """Return a job title that rows with the same text share; callers must not change it."""
    title = label(title) or ""
    if not title:
        return None
    return JobTitle(
        title=title, departments=list(derive_departments(title)), seniority=derive_seniority(title)
    )


def _past_jobs(rows: Sequence[PastJobInput], notes: Notes) -> list[PastJob]:
    return convert_each(rows, lambda row: _read_past_job(row, notes), _job_key)


def _read_past_job(row: PastJobInput, notes: Notes) -> PastJob | None:
    company = read_company_reference(row.company, notes, "previousEmployment.company")
    return PastJob(company=company, job_title=read_job_title(row.job_title, notes)) if company else None


def _job_key(job: PastJob) -> tuple[str | None, str, str]:
    company, title = job.company, job.job_title
    return (
        company.domain or company.linkedin_url,
        fold(company.name or ""),
        fold(title.title) if title else "",
    )


# --- contact details ---


def _links(row: ContactInput, notes: Notes) -> SocialLinks | None:
    given = row.social_links
    page = other = None
    if given:
        page = notes.read("socialLinks.linkedin", given.linkedin, _linkedin_profile)
        other = notes.read("socialLinks.xUrl", given.x_url, partial(profile, "x.com/"))
    if row.linkedin_url and not page:
        page = notes.read("linkedinUrl", row.linkedin_url, _linkedin_profile)
    return SocialLinks(linkedin=page, x_url=other) if page or other else None


def _linkedin_profile(value: str) -> str | None:
    return linkedin(value, "in")


def _addresses(value: Texts, notes: Notes) -> list[str]:
    return unique(
        (notes.email("previousEmails", one) for cell in items(value) for one in split_emails(cell)),
        str,
    )


_EMAIL_TYPES = {"work": "work", "business": "work", "professional": "work", "corporate": "work"}
_EMAIL_TYPES |= dict.fromkeys(("private", "personal", "home"), "private")
_EMAIL_TYPES |= dict.fromkeys(("unknown", "other", "internet", ""), "unknown")


def _emails(
    value: list[EmailInput | str | None] | str | None, company: CompanyRef | None, notes: Notes
) -> list[Email]:
    if not value:
        return []
    given: Sequence[EmailInput | str | None] = items(value) if isinstance(value, str) else value
    if not all(map(_is_single_email, given)):
        given = [single for one in given[:MAX_LIST] for single in _single_emails(one)]
    host = company.domain if company else None
    read = [entry for one in given[:MAX_LIST] if (entry := _read_email(one, host, notes))]
    found = unite_emails(read) if len(read) > 1 else [email for email, _ in read]
    typed = {email.email for email, is_typed in read if is_typed}
    if typed:
        notes.typed = [position for position, email in enumerate(found) if email.email in typed]
    return found


def _read_email(value: EmailInput | str | None, host: str | None, notes: Notes) -> tuple[Email, bool] | None:
    """Return the address, and whether the row states its type."""
    full = value if isinstance(value, EmailInput) else EmailInput(email=value)
    address = notes.email("emails.email", full.email)
    if not address:
        return None
    if full is not value:
        return Email(email=address, type=email_type(address, host)), False
    type = notes.read("emails.type", full.type, _read_email_type)
    email = Email(
        email=address,
        type=type or email_type(address, host),
        confidence=code(full.confidence, 20),
        update_date=notes.day("emails.updateDate", full.update_date) if full.update_date else None,
        data_source=label(full.data_source, 100),
    )
    return email, type in ("work", "private")


def _single_emails(value: EmailInput | str | None) -> Iterable[EmailInput | str | None]:
    """Return one entry for each address of an entry's cell."""
    if not isinstance(value, EmailInput):
        return split_emails(value) if value else ()
    return [msgspec.structs.replace(value, email=part) for part in split_emails(value.email or "")]


def _is_single_email(value: EmailInput | str | None) -> bool:
    cell = value.email if isinstance(value, EmailInput) else value
    return not cell or is_plain_email(cell)


def _read_email_type(value: str) -> str | None:
    return _EMAIL_TYPES.get(value) or _EMAIL_TYPES.get(_label(value))


def _phones(row: ContactInput, region: str | None, notes: Notes) -> list[Phone]:
    value = row.phones
    mark_for_all = read_mark("doNotCall", row.do_not_call, notes)
    if value is None or value == "":
        return []
    given: Sequence[PhoneInput | Scalar] = value if isinstance(value, list) else split_phone_texts(value)
    if not all(map(_is_single_number, given)):
        given = [single for one in given[:MAX_LIST] for single in _single_numbers(one)]
    read = [phone for one in given[:MAX_LIST] if (phone := _read_phone(one, region, mark_for_all, notes))]
    return unite_phones(read) if len(read) > 1 else read


def read_objections(row: ContactInput, notes: Notes) -> list[str]:
    """Return the field of each mark by which a row says that the person objects to be contacted."""
    if row.opted_out is None is row.opted_in:
        return []
    found: list[str] = []
    for path, given, read in (("optedOut", row.opted_out, opt_out), ("optedIn", row.opted_in, refusal)):
        if given is not None:
            marks = given if isinstance(given, list) else [given]
            found += [path for one in marks if notes.read(path, one, read)]
    return found


def read_mark(path: str, given: list[bool | Scalar] | bool | Scalar, notes: Notes) -> bool | None:
    """Return a row's mark; of several a true one wins."""
    if given is None:
        return None
    marks = [notes.read(path, one, flag) for one in (given if isinstance(given, list) else [given])]
    stated = [mark for mark in marks if mark is not None]
    return any(stated) if stated else None


def split_phone_texts(value: Scalar) -> list[str]:
    """Split a text with several numbers, also at commas."""
    return items(code(value, 1000))


def _single_numbers(value: PhoneInput | Scalar) -> Iterable[PhoneInput | Scalar]:
    """Return one entry for each number of an entry's cell, with the type stated there; drops faxes."""
    if _is_single_number(value):
        return (value,)
    full = value if isinstance(value, PhoneInput) else PhoneInput(number=value)
    return [
        msgspec.structs.replace(full, number=number, type=kind or full.type)
        for number, kind in split_numbers(str(full.number))
        if kind != NO_TELEPHONE
    ]


def _is_single_number(value: PhoneInput | Scalar) -> bool:
    cell = value.number if isinstance(value, PhoneInput) else value
    return not isinstance(cell, str) or is_plain_number(cell)


_PHONE_TYPES = {"mobile": "mobile", "cell": "mobile", "cellular": "mobile", "direct": "direct"}
_PHONE_TYPES |= {"direct dial": "direct", "direct_dial": "direct", "directdial": "direct", "ddi": "direct"}
_PHONE_TYPES |= dict.fromkeys(("work", "office", "business", "corporate", "company", "hq", "main"), "work")
_PHONE_TYPES |= dict.fromkeys(("unknown", "other", "home", "phone", ""), "unknown")


def _read_phone(
    value: PhoneInput | Scalar, region: str | None, mark_for_all: bool | None, notes: Notes
) -> Phone | None:
    """Return a number with its do-not-call mark; `mark_for_all` is the row's mark for all numbers."""
    full = value if isinstance(value, PhoneInput) else PhoneInput(number=value)
    if full.type and full.type not in _PHONE_TYPES and _label(full.type) in _FAXES:
        return None
    text = full.number if isinstance(full.number, str) else code(full.number)
    read = notes.phone("phones.number", text, region)
    if not read:
        return None
    number, country = read
    phone = Phone(number=number, country_iso2=country)
    mark = mark_for_all
    if full is value:
        phone.type = notes.read("phones.type", full.type, _read_phone_type) or "unknown"
        if full.update_date:
            phone.update_date = notes.day("phones.updateDate", full.update_date)
        phone.data_source = label(full.data_source, 100)
        own = notes.read("phones.doNotCall", full.do_not_call, flag)
        mark = own if mark_for_all is None else own or mark_for_all
    if mark is not None:
        # of contradicting marks in a row do-not-call wins, as it does among rows of one day
        phone.do_not_call = notes.marks[number] = mark or notes.marks.get(number, False)
    return phone


def _read_phone_type(value: str) -> str | None:
    return _PHONE_TYPES.get(value) or _PHONE_TYPES.get(_label(value))


def _label(value: str) -> str:
    """Return a type in lower case without the star that address books put before the main one."""
    return value.strip().removeprefix("*").strip().lower()


_FAXES = frozenset(("fax", "work fax", "home fax", "other fax", "business fax", "pager", "telex"))


# --- tags and education ---


def _read_tag(value: TagInput) -> Tag | None:
    """Return a tag; None without a name. A missing id becomes the name."""
    name = label(value.name)
    color = (line(value.color) or "").upper()
    known = len(color) == 7 and color[0] == "#" and all(sign in "0123456789ABCDEF" for sign in color[1:])
    return Tag(id=code(value.id) or name, name=name, color=color if known else "#808080") if name else None


def _education(rows: Sequence[EducationInput], notes: Notes) -> list[Education]:
    return [school for row in rows[:MAX_LIST] if (school := _read_school(row, notes))]


def _read_school(value: EducationInput, notes: Notes) -> Education | None:
    found = Education(
        school=label(value.school),
        degree=label(value.degree),
        field_of_study=label(value.field_of_study),
        start_year=notes.read("education.startYear", value.start_year, year),
        graduation_year=notes.read("education.graduationYear", value.graduation_year, year),
    )
    return found if found != Education() else None
