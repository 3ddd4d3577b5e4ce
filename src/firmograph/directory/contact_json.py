"""Encoding of contacts as stored JSON parts (see `stored_json.py`)."""

from itertools import compress
from typing import NamedTuple

import msgspec

from firmograph.directory.records import (
    CompanyRef,
    Contact,
    JobTitle,
    Location,
    PastJob,
    Phone,
    SocialLinks,
)
from firmograph.directory.stored_json import bytes_or_none, encode_with_has, none_if_empty, overlay
from firmograph.kit.whole_numbers import encode

_decode_contact = msgspec.json.Decoder(Contact).decode


class ContactParts(NamedTuple):
    """Columns of a row of `contacts` without its numbers; None for empty ones."""

    preview: bytes
    profile: bytes
    emails: bytes | None
    phones: bytes | None
    extras: bytes | None


def encode_contact(record: Contact) -> ContactParts:
    has = _contact_has(record)
    location, links = record.location, record.social_links
    preview = Contact(
        first_name=record.first_name,
        last_name=record.last_name,
        job_title=record.job_title,
        location=none_if_empty(
            location and Location(country=location.country, state=location.state, city=location.city)
        ),
        social_links=none_if_empty(links and SocialLinks(linkedin=links.linkedin)),
    )
    profile = Contact(
        first_name=record.first_name,
        last_name=record.last_name,
        full_name=record.full_name,
        job_title=record.job_title,
        location=none_if_empty(location and _without_address(location)),
        tags=record.tags,
        social_links=links,
        linkedin_connections=record.linkedin_connections,
        linkedin_followers=record.linkedin_followers,
        update_date=record.update_date,
        previous_employment=[_public_job(job) for job in record.previous_employment],
    )
    extras = Contact(
        location=location if location and (location.zip_code or location.state_code) else None,
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


def decode_contact(parts: ContactParts) -> Contact:
    record = _decode_contact(parts.profile)
    if parts.emails:
        record.emails = msgspec.json.decode(parts.emails, type=_Emails)
    if parts.phones:
        record.phones = msgspec.json.decode(parts.phones, type=_Phones)
    if parts.extras:
        overlay(record, _decode_contact(parts.extras))
    return record


_Emails = Contact.__annotations__["emails"]
_Phones = Contact.__annotations__["phones"]


class _Number(msgspec.Struct, gc=False):
    number: str


_decode_numbers = msgspec.json.Decoder(list[_Number]).decode
_decode_phones = msgspec.json.Decoder(list[Phone]).decode


class _Address(msgspec.Struct, gc=False):
    email: str


class _FormerAddresses(msgspec.Struct, rename="camel", gc=False):
    previous_emails: list[str] = []


_decode_addresses = msgspec.json.Decoder(list[_Address]).decode
_decode_former = msgspec.json.Decoder(_FormerAddresses).decode


def addresses(parts: ContactParts) -> list[str]:
    """Return the e-mail addresses of a stored contact, former ones included."""
    found = [each.email for each in _decode_addresses(parts.emails)] if parts.emails else []
    if parts.extras and b'"previousEmails"' in parts.extras:
        found += _decode_former(parts.extras).previous_emails
    return found


def phone_numbers(parts: ContactParts) -> list[str]:
    """Return the telephone numbers of a stored contact."""
    return [each.number for each in _decode_numbers(parts.phones)] if parts.phones else []


def decode_phones(parts: ContactParts) -> list[Phone]:
    """Return the telephone numbers of a stored contact with their details."""
    return _decode_phones(parts.phones) if parts.phones else []


def encode_phones(phones: list[Phone]) -> bytes:
    """Return telephone numbers as they are stored."""
    return encode(phones)


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
"""Data points in documented order (docs/reference/lookups.md#has-and-canreveal)."""


def _contact_has(record: Contact) -> tuple[str, ...]:
    """Return the data points with a value."""
    title = record.job_title
    values = (
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
    return tuple(compress(_POINTS, values))


def _without_address(location: Location) -> Location:
    if location.zip_code is None and location.state_code is None:
        return location
    return msgspec.structs.replace(location, zip_code=None, state_code=None)


def _public_job(job: PastJob) -> PastJob:
    """Return a former job as responses show it: employer's name and domain, title without its date."""
    company, title = job.company, job.job_title
    return PastJob(
        company=CompanyRef(name=company.name, domain=company.domain),
        job_title=title
        and JobTitle(title=title.title, departments=title.departments, seniority=title.seniority),
    )
