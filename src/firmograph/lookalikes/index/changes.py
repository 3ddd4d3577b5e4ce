"""Similarity changes: a change batch as the similarity index applies it; no model is needed to make it."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from firmograph.directory.company_json import is_partial
from firmograph.directory.records import Company, Contact
from firmograph.indexing.change_batches import ChangeBatch, DecodedCompany, DecodedContact
from firmograph.indexing.record_forms import forms_of, left_out
from firmograph.lookalikes.model.attributes import Attribute, company_attributes, contact_attributes


class CompanyTraits(msgspec.Struct, array_like=True):
    """Company as it is indexed."""

    number: int
    attributes: list[Attribute]
    tie: int
    """Place among records of equal similarity; depends on the content of the record alone."""
    listed: bool
    """Whether it can be a result; partial companies only lend their attributes to their contacts."""


class ContactTraits(msgspec.Struct, array_like=True):
    """Contact as it is indexed."""

    number: int
    attributes: list[Attribute]
    tie: int
    company: int | None
    """Number of the employer's record."""


class SimilarityChanges(msgspec.Struct):
    """Changed records, applied together."""

    sequence: int
    """Position in the change sequence that is reached once these are applied."""
    companies: list[CompanyTraits] = []
    contacts: list[ContactTraits] = []
    employers: list[CompanyTraits] = []
    """Unchanged companies of these contacts, for an index that lacks them."""
    removed_companies: list[int] = []
    removed_contacts: list[int] = []


def similarity_changes(batch: ChangeBatch) -> SimilarityChanges:
    """Return the changes of a batch. A record whose traits cannot be determined counts as removed."""
    companies, contacts = companies_traits(batch.companies), contacts_traits(batch.contacts)
    return SimilarityChanges(
        batch.sequence,
        companies=companies,
        contacts=contacts,
        employers=companies_traits(batch.employers),
        removed_companies=[*batch.removed_companies, *left_out(batch.companies, companies)],
        removed_contacts=[*batch.removed_contacts, *left_out(batch.contacts, contacts)],
    )


def companies_traits(companies: Iterable[DecodedCompany]) -> list[CompanyTraits]:
    return forms_of(companies, _company_traits, "similarity")


def contacts_traits(contacts: Iterable[DecodedContact]) -> list[ContactTraits]:
    return forms_of(contacts, _contact_traits, "similarity")


def _company_traits(one: DecodedCompany) -> CompanyTraits:
    attributes = company_attributes(one.record)
    return CompanyTraits(
        one.number, attributes, _company_tie(one.record, attributes), not is_partial(one.record)
    )


def _contact_traits(one: DecodedContact) -> ContactTraits:
    attributes = contact_attributes(one.record)
    return ContactTraits(one.number, attributes, _contact_tie(one.record, attributes), one.company)


def _company_tie(record: Company, attributes: Sequence[Attribute]) -> int:
    links = record.social_links
    return _tie(attributes, record.domain, links and links.linkedin, record.name, record.alternative_domains)


def _contact_tie(record: Contact, attributes: Sequence[Attribute]) -> int:
    links, title, company = record.social_links, record.job_title, record.company
    return _tie(
        attributes,
        links and links.linkedin,
        record.full_name,
        record.first_name,
        record.last_name,
        title and title.title,
        company and [company.name, company.domain, company.linkedin_url],
        sorted(each.email for each in record.emails),
    )


def _tie(*identity: Any) -> int:
    digest = hashlib.blake2b(msgspec.msgpack.encode(identity), digest_size=8).digest()
    return int.from_bytes(digest, "little")
