"""Contacts as stored fragments (`fragments.py` tells why)."""

from itertools import compress
from typing import NamedTuple

import msgspec

from firmograph.directory.records import (
    CompanyRef,
    Contact,
    JobTitle,
    Location,
    PastJob,
    SocialLinks,
)
from firmograph.directory.stored_json import bytes_or_none, encode_with_has, none_if_empty, overlay
from firmograph.kit.whole_numbers import encode

_decode_contact = msgspec.json.Decoder(Contact).decode


class ContactParts(NamedTuple):
    """What stands in a row of `contacts`, its numbers aside. Null stands for nothing to say."""

    preview: bytes
    profile: bytes
    emails: bytes | None
    phones: bytes | None
    extras: bytes | None


def encode_contact(record: Contact) -> ContactParts:
    has = _contact_has(record)
    place, links = record.location, record.social_links
    preview = Contact(
        first_name=record.first_name,
        last_name=record.last_name,
        job_title=record.job_title,
        location=none_if_empty(place and Location(country=place.country, state=place.state, city=place.city)),
        social_links=none_if_empty(links and SocialLinks(linkedin=links.linkedin)),
    )
    profile = Contact(
        first_name=record.first_name,
        last_name=record.last_name,
        full_name=record.full_name,
        job_title=record.job_title,
        location=none_if_empty(place and _without_address(place)),
        tags=record.tags,
        social_links=links,
        linkedin_connections=record.linkedin_connections,
        linkedin_followers=record.linkedin_followers,
        update_date=record.update_date,
        previous_employment=[_shown_job(job) for job in record.previous_employment],
    )
    extras = Contact(
        location=place if place and (place.zip_code or place.state_code) else None,
        company=record.company,
        previous_employment=record.previous_employment
        if profile.previous_employment != record.previous_employment
        else [],
        skills=record.skills,
        certifications=record.certifications,
        awards=record.awards,
        previous_emails=record.previous_emails,
        education=record.education,
    )
    return ContactParts(
        encode_with_has(preview, has),
        encode_with_has(profile, has, partial=not record.emails and not record.phones),
        encode(record.emails) if record.emails else None,
        encode(record.phones) if record.phones else None,
        bytes_or_none(encode(extras)),
    )


def decode_contact(fragments: ContactParts) -> Contact:
    record = _decode_contact(fragments.profile)
    if fragments.emails:
        record.emails = msgspec.json.decode(fragments.emails, type=_Emails)
    if fragments.phones:
        record.phones = msgspec.json.decode(fragments.phones, type=_Phones)
    if fragments.extras:
        overlay(record, _decode_contact(fragments.extras))
    return record


_Emails = Contact.__annotations__["emails"]
_Phones = Contact.__annotations__["phones"]


_POINTS = (
    "firstName",
    "lastName",
    "jobTitle",
    "company",
    "location",
    "socialLinks",
    "emails",
    "phones",
    "previousEmployment",
    "jobStartDate",
)
"""The data points in documented order (docs/reference/lookups.md#has-and-canreveal)."""


def _contact_has(record: Contact) -> tuple[str, ...]:
    """The data points that hold a value."""
    title = record.job_title
    held = (
        record.first_name,
        record.last_name,
        title and title.title,
        record.company,
        record.location,
        record.social_links,
        record.emails,
        record.phones,
        record.previous_employment,
        title and title.start_date,
    )
    return tuple(compress(_POINTS, held))


def _without_address(place: Location) -> Location:
    if place.zip_code is None and place.state_code is None:
        return place
    return msgspec.structs.replace(place, zip_code=None, state_code=None)


def _shown_job(job: PastJob) -> PastJob:
    """A former job as it is answered: the employer's name and domain, the title without its date."""
    company, title = job.company, job.job_title
    return PastJob(
        company=CompanyRef(name=company.name, domain=company.domain),
        job_title=title
        and JobTitle(title=title.title, departments=title.departments, seniority=title.seniority),
    )
