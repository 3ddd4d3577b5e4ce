"""Lookup queries of request items."""

from collections.abc import Sequence

from firmograph.directory.lookup.queries import CompanyQuery, ContactQuery, QueryReader
from firmograph.enrichment.shapes import CompanyItem, ContactItem


def contact_queries(reader: QueryReader, items: Sequence[ContactItem]) -> list[ContactQuery]:
    """Read the identifiers of each item. Raises BadRequest."""
    return [
        reader.contact(
            ("contacts", index),
            id=item.id,
            linkedin_url=item.linkedin_url,
            email=item.email,
            first_name=item.first_name,
            last_name=item.last_name,
            company_name=item.company_name,
            company_domain=item.company_domain,
        )
        for index, item in enumerate(items)
    ]


def company_queries(reader: QueryReader, items: Sequence[CompanyItem]) -> list[CompanyQuery]:
    """Read the identifiers of each item. Raises BadRequest."""
    return [
        reader.company(
            ("companies", index),
            id=item.id,
            domain=item.domain,
            linkedin_url=item.linkedin_url,
            name=item.name,
        )
        for index, item in enumerate(items)
    ]
