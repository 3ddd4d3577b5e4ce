"""People in legacy shapes, from stored profiles (docs/reference/legacy.md#people)."""

from collections.abc import Collection
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.directory.records import Contact, Email, JobTitle, Location, PastJob, Phone
from firmograph.directory.store import ContactProfile
from firmograph.directory.vocabulary import SENIORITIES
from firmograph.legacy.records import person_shapes as shapes
from firmograph.legacy.records.companies import raw_location, whole_numbers
from firmograph.legacy.records.company_shapes import LegacyPersonCompany, LegacyProspectedEmployer

_decode = msgspec.json.Decoder(Contact).decode
_decode_emails = msgspec.json.Decoder(list[Email]).decode
_decode_phones = msgspec.json.Decoder(list[Phone]).decode
_SENIORITY_IDS: Final = {label: number for number, label in SENIORITIES.items()}


class EmployerSummary(msgspec.Struct):
    """Content of the `company` object of a preview."""

    name: str = ""
    domain: str | UnsetType = UNSET
    industry: str | UnsetType = UNSET


_decode_summary = msgspec.json.Decoder(EmployerSummary).decode


def company_summary(summary: bytes) -> EmployerSummary:
    """Return the stored summary of an employer."""
    return _decode_summary(b"{%s}" % summary)


def employer_summary(record: ContactProfile) -> EmployerSummary | None:
    return None if record.company_summary is None else company_summary(record.company_summary)


class PersonBuilder:
    """Decoded contact with what its shapes have in common."""

    def __init__(self, record: ContactProfile, extras: bytes | None, shown: Collection[str]) -> None:
        """`extras` is the stored column; `shown` are the asked data points that are paid or have no value."""
        self.contact = _decode(record.profile)
        self._extras = _decode(extras) if extras else None
        self._shown = shown
        self._record = record

    def person(
        self, id: int, company_id: int | UnsetType, company: LegacyPersonCompany | UnsetType
    ) -> shapes.LegacyPerson:
        contact, title = self.contact, self.contact.job_title
        common = self._common()
        emails, phones = common["email_addresses"], common["phone_numbers"]
        former = contact.previous_employment
        return shapes.LegacyPerson(
            person_id=id,
            company_id=company_id,
            emails=UNSET if emails is UNSET else [one.email for one in emails],
            phones=UNSET if phones is UNSET else [one.number for one in phones],
            job_title=_job_title(title),
            job_start_date=(title and title.start_date) or UNSET,
            previous_job=_previous_job(former[0]) if former else UNSET,
            contact_tags=contact.tags or UNSET,
            company=company,
            **common,
        )

    def prospected(
        self,
        company_id: str | UnsetType,
        company_name: str | UnsetType,
        company: LegacyProspectedEmployer | UnsetType,
        *,
        is_shown: bool,
    ) -> shapes.LegacyProspectedPerson:
        title = self.contact.job_title
        seniority = title.seniority if title else None
        return shapes.LegacyProspectedPerson(
            is_shown=is_shown,
            job_title=(title and title.title) or UNSET,
            company_id=company_id,
            company_name=company_name,
            departments=(title and title.departments) or UNSET,
            seniority=[shapes.LegacySeniority(_SENIORITY_IDS[seniority], seniority)]
            if seniority in _SENIORITY_IDS
            else UNSET,
            company=company,
            **self._common(),
        )

    def _common(self) -> dict[str, Any]:
        contact, extras, record = self.contact, self._extras, self._record
        links = contact.social_links
        return {
            "first_name": contact.first_name or UNSET,
            "last_name": contact.last_name or UNSET,
            "full_name": contact.full_name or UNSET,
            "email_addresses": _emails(record.emails) if "emails" in self._shown else UNSET,
            "phone_numbers": _phones(record.phones) if "phones" in self._shown else UNSET,
            "location": _location((extras and extras.location) or contact.location),
            "social_links": shapes.LegacyPersonLinks(links.linkedin or UNSET, links.x_url or UNSET)
            if links
            else UNSET,
            "update_date": contact.update_date or UNSET,
            "linkedin_followers_count": _figure(contact.linkedin_followers),
            "linkedin_connections_count": _figure(contact.linkedin_connections),
            "linkedin_certifications": (extras and extras.certifications) or UNSET,
            "linkedin_awards": (extras and extras.awards) or UNSET,
            "linkedin_skills": (extras and extras.skills) or UNSET,
        }


def _figure(value: int | None) -> int | UnsetType:
    return UNSET if value is None else value


def _emails(stored: bytes | None) -> list[shapes.LegacyEmailAddress]:
    return [
        shapes.LegacyEmailAddress(one.email, one.type, one.confidence or UNSET, one.update_date or UNSET)
        for one in _decode_emails(stored or b"[]")
    ]


def _phones(stored: bytes | None) -> list[shapes.LegacyPhoneNumber]:
    return [
        shapes.LegacyPhoneNumber(one.number, one.type, one.do_not_call, one.update_date or UNSET)
        for one in _decode_phones(stored or b"[]")
    ]


def _location(place: Location | None) -> shapes.LegacyPersonLocation | UnsetType:
    if place is None:
        return UNSET
    return shapes.LegacyPersonLocation(
        place.country or UNSET,
        place.country_iso2 or UNSET,
        place.continent or UNSET,
        place.city or UNSET,
        place.state or UNSET,
        place.state_code or UNSET,
        raw_location(place),
        UNSET if place.coordinates is None else whole_numbers(place.coordinates),
        UNSET if place.is_eu_contact is None else place.is_eu_contact,
    )


def _job_title(title: JobTitle | None) -> shapes.LegacyJobTitle | UnsetType:
    if title is None:
        return UNSET
    return shapes.LegacyJobTitle(title.title or UNSET, title.departments or UNSET, title.seniority or UNSET)


def _previous_job(job: PastJob) -> shapes.LegacyPreviousJob:
    company = job.company
    return shapes.LegacyPreviousJob(
        _job_title(job.job_title),
        shapes.LegacyFormerEmployer(company.name or UNSET, company.domain or UNSET),
    )
