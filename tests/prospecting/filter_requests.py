"""Requests of prospecting in callers' form, read by the package, over records named by a test."""

import json
from typing import Any

import pytest
from record_set import TODAY

from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers
from firmograph.kit.body_decoder import Decoder
from firmograph.kit.errors import BadRequest
from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.filters import compiler as filters
from firmograph.prospecting.filters import requests as shapes
from firmograph.signals.activity.record_activity import RequestedSignal

CONTACT_DECODER = Decoder(shapes.ContactProspecting, max_depth=32)
COMPANY_DECODER = Decoder(shapes.CompanyProspecting, max_depth=32)


CONTACTS = {"v1.jane": 1, "jane@acme.test": 1, "in/jane-doe": 1, "42": 2}
COMPANIES = {"v1.acme": 7, "acme.test": 7, "company/acme": 7, "umbrella.test": 8}
CENTRES = {"US:94107": (37.76, -122.39), "GB:SW1A1AA": (51.5, -0.14)}


def signal_on_test_day(type: str, detail: str = "", since: str = "") -> RequestedSignal:
    """Return a requested signal as of the day of these tests."""
    return RequestedSignal(type, detail, since, TODAY.isoformat())


class KnownRecords:
    """A resolver of the records in these tables; every other value is unknown."""

    def contacts(self, given: ContactIdentifiers) -> frozenset[int]:
        return frozenset(CONTACTS[one] for values in given for one in values if one in CONTACTS)

    def companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        return frozenset(COMPANIES[one] for values in given for one in values if one in COMPANIES)

    excluded_companies = companies

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        return CENTRES.get(postcode)


def contact_query(body: dict[str, Any]) -> Query:
    return filters.contact_query(CONTACT_DECODER.decode(json.dumps(body).encode()), KnownRecords(), TODAY)


def company_query(body: dict[str, Any]) -> Query:
    return filters.company_query(COMPANY_DECODER.decode(json.dumps(body).encode()), KnownRecords(), TODAY)


def contacts(**sides: Any) -> Query:
    """Return the query of contact prospecting by `include` and `exclude` of the contact side."""
    return contact_query({"filters": {"contacts": sides}})


def companies(**sides: Any) -> Query:
    """Return the query of company prospecting, partial ones too, by `include` and `exclude` of the company side."""
    return company_query(
        {"filters": {"companies": sides}, "options": {"includePartialProfiles": True}},
    )


def contact_refusals(body: dict[str, Any]) -> list[str]:
    with pytest.raises(BadRequest) as refused:
        contact_query(body)
    assert refused.value.message == refused.value.errors[0]
    return list(refused.value.errors)


def company_refusals(body: dict[str, Any]) -> list[str]:
    with pytest.raises(BadRequest) as refused:
        company_query(body)
    assert refused.value.message == refused.value.errors[0]
    return list(refused.value.errors)
