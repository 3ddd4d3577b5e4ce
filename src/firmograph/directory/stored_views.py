"""Parts of stored records, for callers that need a few fields of the JSON of `stored_json.py`.

A view is decoded in one pass that skips all other fields. Previews, profiles and summaries have the same names for the
same fields, so one view reads each of them.
"""

import msgspec
from msgspec import UNSET, Raw, UnsetType

from firmograph.directory.records import Code, JobTitle


class _Country(msgspec.Struct):
    country: str = ""


class CompanyView(msgspec.Struct, rename="camel"):
    """Company in a preview, a profile or a summary; an empty or absent text is not known."""

    name: str = ""
    domain: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    industry: str | UnsetType = UNSET
    logo_url: str | UnsetType = UNSET
    location: _Country | None = None

    @property
    def country(self) -> str:
        return self.location.country if self.location else ""


class CompanyLabel(msgspec.Struct):
    """Name and domain of a company as stored JSON texts, for answers that join bytes."""

    name: Raw = Raw(b'""')
    domain: Raw = Raw(b'""')


class CompanyCodes(msgspec.Struct, rename="camel"):
    """Codes of a company's industry in a profile."""

    sic_codes: list[Code] = []
    naics_codes: list[Code] = []


class ContactView(msgspec.Struct, rename="camel"):
    """Contact in a preview, a profile or a source's row."""

    first_name: str = ""
    last_name: str = ""
    job_title: JobTitle | None = None


class _Competitors(msgspec.Struct):
    competitors: list[int] = []


class _OtherNames(msgspec.Struct, rename="camel"):
    alternative_names: list[str] = []


class _OtherDomains(msgspec.Struct, rename="camel"):
    alternative_domains: list[str] = []


view_company = msgspec.json.Decoder(CompanyView).decode
view_codes = msgspec.json.Decoder(CompanyCodes).decode
view_contact = msgspec.json.Decoder(ContactView).decode
_decode_label = msgspec.json.Decoder(CompanyLabel).decode
_decode_competitors = msgspec.json.Decoder(_Competitors).decode
_decode_other_names = msgspec.json.Decoder(_OtherNames).decode
_decode_other_domains = msgspec.json.Decoder(_OtherDomains).decode
_OTHER_DOMAINS = b'"alternativeDomains"'


def view_summary(summary: bytes) -> CompanyView:
    """Return the company of a stored summary, which is the inner JSON of an object."""
    return view_company(b"{%b}" % summary)


def label_of(summary: bytes) -> CompanyLabel:
    """Return name and domain of a stored summary."""
    return _decode_label(b"{%b}" % summary)


def competitor_numbers(premium: bytes | None) -> list[int]:
    """Return the records that the premium part of a company names as competitors."""
    return _decode_competitors(premium).competitors if premium else []


def other_names(extras: bytes | None) -> list[str]:
    """Return the alternative names in the extras of a company."""
    return _decode_other_names(extras).alternative_names if extras else []


def other_domains(profile: bytes) -> list[str]:
    """Return the alternative domains in the profile of a company."""
    return _decode_other_domains(profile).alternative_domains if _OTHER_DOMAINS in profile else []
