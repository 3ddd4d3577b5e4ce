"""People in legacy shapes, from stored profiles (docs/reference/legacy.md#people).

Stored objects have no member without a value, so what is decoded is shown as it is.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec
from msgspec import UNSET, Raw, UnsetType

from firmograph.directory.records import Email, Phone, Tag
from firmograph.directory.store import ContactProfile, EmployedContact
from firmograph.directory.stored_views import CompanyView, view_summary
from firmograph.directory.vocabulary import SENIORITIES
from firmograph.legacy.records import person_shapes as shapes
from firmograph.legacy.records.address import join_address
from firmograph.legacy.records.company_shapes import LegacyPersonCompany, LegacyProspectedEmployer

_SENIORITY_IDS: Final = {label: number for number, label in SENIORITIES.items()}
_Text = str | UnsetType


class _Part(msgspec.Struct, rename="camel"):
    """Part of a stored contact."""


class _Location(_Part):
    country: _Text = UNSET
    country_iso2: _Text = UNSET
    continent: _Text = UNSET
    city: _Text = UNSET
    state: _Text = UNSET
    state_code: _Text = UNSET
    coordinates: Raw | UnsetType = UNSET
    is_eu_contact: bool | UnsetType = UNSET


class _JobTitle(_Part):
    title: _Text = UNSET
    departments: list[str] | UnsetType = UNSET
    seniority: _Text = UNSET
    start_date: _Text = UNSET


class _PastJob(_Part):
    company: shapes.LegacyFormerEmployer
    job_title: _JobTitle | UnsetType = UNSET


class _Contact(_Part):
    first_name: _Text = UNSET
    last_name: _Text = UNSET
    full_name: _Text = UNSET
    job_title: _JobTitle | UnsetType = UNSET
    location: _Location | UnsetType = UNSET
    tags: list[Tag] | UnsetType = UNSET
    social_links: shapes.LegacyPersonLinks | UnsetType = UNSET
    linkedin_connections: int | UnsetType = UNSET
    linkedin_followers: int | UnsetType = UNSET
    update_date: _Text = UNSET
    previous_employment: list[_PastJob] | UnsetType = UNSET


class _Extras(_Part):
    location: _Location | UnsetType = UNSET
    skills: list[str] | UnsetType = UNSET
    certifications: list[str] | UnsetType = UNSET
    awards: list[str] | UnsetType = UNSET


_NO_EXTRAS: Final = _Extras()
_decode_contact = msgspec.json.Decoder(_Contact).decode
_decode_extras = msgspec.json.Decoder(_Extras).decode
_decode_emails = msgspec.json.Decoder(list[Email]).decode
_decode_phones = msgspec.json.Decoder(list[Phone]).decode


def employer_summary(record: ContactProfile) -> CompanyView | None:
    return None if record.company_summary is None else view_summary(record.company_summary)


class PersonBuilder:
    """Decoded contact with what its shapes have in common."""

    def __init__(self, record: EmployedContact, values: Mapping[str, bytes | None]) -> None:
        """`values` are the stored lists of the asked data points, None for one without a value to show."""
        self._contact = _decode_contact(record.contact.profile)
        self._extras = _decode_extras(record.extras) if record.extras else _NO_EXTRAS
        self._values = values

    def person(
        self, id: int, company_id: int | UnsetType, company: LegacyPersonCompany | UnsetType
    ) -> shapes.LegacyPerson:
        contact, common = self._contact, self._common()
        title, jobs = contact.job_title, contact.previous_employment
        emails, phones = common["email_addresses"], common["phone_numbers"]
        return shapes.LegacyPerson(
            person_id=id,
            company_id=company_id,
            emails=UNSET if emails is UNSET else [one.email for one in emails],
            phones=UNSET if phones is UNSET else [one.number for one in phones],
            job_title=_job_title(title),
            job_start_date=UNSET if title is UNSET else title.start_date,
            previous_job=UNSET if jobs is UNSET else _previous_job(jobs[0]),
            contact_tags=contact.tags,
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
        given = self._contact.job_title
        title = _JobTitle() if given is UNSET else given
        seniority = title.seniority
        return shapes.LegacyProspectedPerson(
            is_shown=is_shown,
            job_title=title.title,
            company_id=company_id,
            company_name=company_name,
            departments=title.departments,
            seniority=[shapes.LegacySeniority(_SENIORITY_IDS[seniority], seniority)]
            if seniority in _SENIORITY_IDS
            else UNSET,
            company=company,
            **self._common(),
        )

    def _common(self) -> dict[str, Any]:
        contact, extras, values = self._contact, self._extras, self._values
        # the profile has the location without the code of its state
        place = contact.location if extras.location is UNSET else extras.location
        return {
            "first_name": contact.first_name,
            "last_name": contact.last_name,
            "full_name": contact.full_name,
            "email_addresses": _emails(values["emails"]) if "emails" in values else UNSET,
            "phone_numbers": _phones(values["phones"]) if "phones" in values else UNSET,
            "location": UNSET if place is UNSET else _location(place),
            "social_links": contact.social_links,
            "update_date": contact.update_date,
            "linkedin_followers_count": contact.linkedin_followers,
            "linkedin_connections_count": contact.linkedin_connections,
            "linkedin_certifications": extras.certifications,
            "linkedin_awards": extras.awards,
            "linkedin_skills": extras.skills,
        }


def _emails(stored: bytes | None) -> list[shapes.LegacyEmailAddress]:
    return [
        shapes.LegacyEmailAddress(one.email, one.type, one.confidence or UNSET, one.update_date or UNSET)
        for one in (_decode_emails(stored) if stored else ())
    ]


def _phones(stored: bytes | None) -> list[shapes.LegacyPhoneNumber]:
    return [
        shapes.LegacyPhoneNumber(one.number, one.type, one.do_not_call, one.update_date or UNSET)
        for one in (_decode_phones(stored) if stored else ())
    ]


def _location(place: _Location) -> shapes.LegacyPersonLocation:
    return shapes.LegacyPersonLocation(
        place.country,
        place.country_iso2,
        place.continent,
        place.city,
        place.state,
        place.state_code,
        join_address(place),
        cast(list[float] | UnsetType, place.coordinates),
        place.is_eu_contact,
    )


def _job_title(title: _JobTitle | UnsetType) -> shapes.LegacyJobTitle | UnsetType:
    if title is UNSET:
        return UNSET
    return shapes.LegacyJobTitle(title.title, title.departments, title.seniority)


def _previous_job(job: _PastJob) -> shapes.LegacyPreviousJob:
    return shapes.LegacyPreviousJob(_job_title(job.job_title), job.company)
