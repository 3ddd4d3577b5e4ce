"""Shapes of a person in legacy answers (docs/reference/legacy.md#people). Absent values are left out."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory import records
from firmograph.directory.previews import ResponsePart
from firmograph.legacy.records.company_shapes import LegacyPersonCompany, LegacyProspectedEmployer

EMPTY_DATA_CODE = 3
RESTRICTED_CODE = 451


class LegacyItemError(ResponsePart):
    """Reason why a person, or an asked data point of theirs, is not shown."""

    code: Annotated[int, Meta(description="3 for `EMPTY_DATA`, 451 for `COMPLIANCE_RESTRICTED`")]
    name: str
    message: str


class LegacyEmailAddress(ResponsePart):
    email: str
    email_type: str
    email_confidence: str | UnsetType = UNSET
    update_date: str | UnsetType = UNSET


class LegacyPhoneNumber(ResponsePart):
    number: str
    phone_type: str
    do_not_call: bool
    update_date: str | UnsetType = UNSET


class LegacyPersonLocation(ResponsePart, rename=None):
    country: str | UnsetType = UNSET
    country_iso2: str | UnsetType = UNSET
    continent: str | UnsetType = UNSET
    city: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    state_code: str | UnsetType = UNSET
    raw_location: Annotated[str, Meta(description="City, state and country")] | UnsetType = msgspec.field(
        default=UNSET, name="rawLocation"
    )
    location_coordinates: Annotated[list[float], Meta(description="Longitude, latitude")] | UnsetType = UNSET
    is_eu_contact: bool | UnsetType = UNSET


class LegacyJobTitle(ResponsePart):
    title: str | UnsetType = UNSET
    departments: list[str] | UnsetType = UNSET
    seniority: str | UnsetType = UNSET


class LegacyFormerEmployer(ResponsePart):
    name: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET


class LegacyPreviousJob(ResponsePart):
    job_title: LegacyJobTitle | UnsetType = UNSET
    company: LegacyFormerEmployer | UnsetType = UNSET


class LegacyPersonLinks(ResponsePart):
    linkedin: str | UnsetType = UNSET
    x_url: str | UnsetType = UNSET


_Emails = Annotated[list[LegacyEmailAddress], Meta(description="Present if asked for, empty without values")]
_Phones = Annotated[list[LegacyPhoneNumber], Meta(description="Present if asked for, empty without values")]


class _Person(ResponsePart, kw_only=True):
    """Members of every person."""

    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    full_name: str | UnsetType = UNSET
    email_addresses: _Emails | UnsetType = UNSET
    phone_numbers: _Phones | UnsetType = UNSET
    location: LegacyPersonLocation | UnsetType = UNSET
    social_links: LegacyPersonLinks | UnsetType = UNSET
    update_date: str | UnsetType = UNSET
    linkedin_followers_count: int | UnsetType = UNSET
    linkedin_connections_count: int | UnsetType = UNSET
    linkedin_certifications: list[str] | UnsetType = UNSET
    linkedin_awards: list[str] | UnsetType = UNSET
    linkedin_skills: list[str] | UnsetType = UNSET


class LegacyPerson(_Person, kw_only=True):
    """Person of the calls by identifiers; signals of requested types stand under their names."""

    person_id: Annotated[int, Meta(ge=0, description="Legacy numeric id")]
    company_id: Annotated[int, Meta(ge=0, description="Legacy numeric id of the employer")] | UnsetType = (
        UNSET
    )
    emails: Annotated[list[str], Meta(description="Addresses of `emailAddresses`")] | UnsetType = UNSET
    phones: Annotated[list[str], Meta(description="Numbers of `phoneNumbers`")] | UnsetType = UNSET
    job_title: LegacyJobTitle | UnsetType = UNSET
    job_start_date: str | UnsetType = UNSET
    previous_job: LegacyPreviousJob | UnsetType = UNSET
    contact_tags: list[records.Tag] | UnsetType = UNSET
    company: LegacyPersonCompany | UnsetType = UNSET


class LegacySeniority(ResponsePart):
    id: int
    value: str


class LegacyProspectedPerson(_Person, kw_only=True):
    """Person of `POST /prospecting/contact/enrich`."""

    is_shown: Annotated[bool, Meta(description="Whether this account has paid for a data point of theirs")]
    job_title: str | UnsetType = UNSET
    company_id: Annotated[str, Meta(description="Legacy id of the employer, as text")] | UnsetType = UNSET
    company_name: str | UnsetType = UNSET
    departments: list[str] | UnsetType = UNSET
    seniority: list[LegacySeniority] | UnsetType = UNSET
    company: LegacyProspectedEmployer | UnsetType = UNSET
