"""A full and a bare person and company, and what the legacy calls show of them."""

import uuid

import msgspec

from firmograph.directory.records import Company, Contact
from firmograph.security.record_ids import Entity, RecordIds
from index_fixtures import is_applied
from record_factory import KEYRING, load_companies, load_contacts
from stored_records import head

TOKENS = RecordIds(KEYRING)
FULL_COMPANY, BARE_COMPANY = 1, 2
ANN, BO, CY = 1, 2, 3
"""Ann has everything, Bo only an e-mail and works at the bare company, Cy has neither e-mail nor phone nor employer."""
ANY_REQUEST = str(uuid.UUID(int=7))

COMPANIES = [
    {
        "name": "Acme Instruments",
        "alternativeName": "Acme",
        "domain": "acme.example.com",
        "description": "Measures things.",
        "companyType": "Private Company",
        "yearFounded": 1999,
        "employeeCount": {"exact": 120, "min": 51, "max": 200},
        "industry": "Manufacturing",
        "subIndustry": "Chemicals & Related Products",
        "specialities": ["scales"],
        "industryTags": ["instruments"],
        "sicCodes": [{"code": 3829, "description": "Measuring devices"}],
        "naicsCodes": [{"code": 3345, "description": "Instruments"}],
        "emailDomain": "acme.example.com",
        "homepageUrl": "https://acme.example.com",
        "location": {
            "country": "Germany",
            "countryIso2": "DE",
            "state": "Berlin",
            "stateCode": "BE",
            "city": "Berlin",
            "continent": "Europe",
            "coordinates": [13.5, 52.0],
        },
        "additionalLocations": [{"country": "France", "countryIso2": "FR", "city": "Paris"}],
        "socialLinks": {
            "linkedin": "https://www.linkedin.com/company/acme-instruments",
            "facebook": "https://facebook.com/acme",
            "x": "https://x.com/acme",
        },
        "linkedinFollowers": 400,
        "revenueRange": {"min": 1000001.0, "max": 5000000.0},
        "funding": {"rounds": [], "totalRounds": 1, "totalRoundsAmount": 5.0, "currency": "USD"},
        "technologies": ["Python"],
        "popularityTier": 2,
        "logoUrl": "https://acme.example.com/logo.png",
        "intent": {"detectedTopics": [], "topicCount": 0},
    },
    {"name": "Plain Ltd", "domain": "plain.example.org"},
]

PEOPLE = [
    {
        "firstName": "Ann",
        "lastName": "Archer",
        "fullName": "Ann Archer",
        "jobTitle": {
            "title": "Head of Sales",
            "departments": ["Sales"],
            "seniority": "Director",
            "startDate": "2020-01-01",
        },
        "location": {
            "country": "Germany",
            "countryIso2": "DE",
            "state": "Berlin",
            "stateCode": "BE",
            "city": "Berlin",
            "continent": "Europe",
            "coordinates": [13.4, 52.5],
            "isEuContact": True,
        },
        "tags": [{"id": "1", "name": "vip", "color": "#FF0000"}],
        "socialLinks": {"linkedin": "https://www.linkedin.com/in/ann-archer", "xUrl": "https://x.com/ann"},
        "linkedinConnections": 500,
        "linkedinFollowers": 20,
        "updateDate": "2026-01-01",
        "emails": [
            {
                "email": "ann@acme.example.com",
                "type": "work",
                "confidence": "A+",
                "updateDate": "2026-01-01",
            },
            {"email": "ann@mail.example.net", "type": "private"},
        ],
        "phones": [
            {
                "number": "+12025550101",
                "type": "mobile",
                "doNotCall": True,
                "updateDate": "2026-01-01",
            }
        ],
        "company": {"name": "Acme Instruments", "domain": "acme.example.com"},
        "previousEmployment": [
            {
                "company": {"name": "Plain Ltd", "domain": "plain.example.org"},
                "jobTitle": {"title": "Clerk", "departments": ["Sales"], "seniority": "Non-Manager"},
            }
        ],
        "skills": ["negotiation"],
        "certifications": ["CPA"],
        "awards": ["Best seller"],
    },
    {
        "firstName": "Bo",
        "lastName": "Baker",
        "fullName": "Bo Baker",
        "emails": [{"email": "bo@plain.example.org", "type": "work"}],
        "company": {"name": "Plain Ltd", "domain": "plain.example.org"},
    },
    {
        "firstName": "Cy",
        "lastName": "Cole",
        "fullName": "Cy Cole",
        "socialLinks": {"linkedin": "https://www.linkedin.com/in/cy-cole"},
    },
]


def stock(service):
    """Store the records and wait until they are searchable."""
    load_companies(service.database, "a", [msgspec.convert(row, Company) for row in COMPANIES])
    load_contacts(service.database, "a", [msgspec.convert(row, Contact) for row in PEOPLE])
    search(service)
    return service


def search(service):
    from firmograph.prospecting.engines.factory import ServedSearch

    active = service.installation.get(ServedSearch).active
    assert is_applied(active, head(service.database), 30)


def contact_id(number):
    return TOKENS.legacy(Entity.CONTACT, number)


def company_id(number):
    return TOKENS.legacy(Entity.COMPANY, number)


def used(service):
    """Return the credits that the account of the service has used."""
    # at most five requests a minute
    service.clock.advance(60)
    return service.get("/account/usage").json()["usage"]["credits"]["used"]


def person(service, **query):
    """Return the answer to `GET /v2/person`, which must be 200."""
    answer = service.client.get("/v2/person", params=query, headers={"api_key": service.key})
    assert answer.status_code == 200, answer.text
    return answer.json()["contact"]


def people(service, *items, **more):
    """Return the answer to `POST /v2/person` for items keyed 0, 1, ..."""
    body = {"contacts": [{"contactId": str(n), **item} for n, item in enumerate(items)], **more}
    answer = service.post("/v2/person", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def company(service, **query):
    answer = service.client.get("/v2/company", params=query, headers={"api_key": service.key})
    assert answer.status_code == 200, answer.text
    return answer.json()


def companies(service, *items, **more):
    body = {"companies": [{"id": str(n), **item} for n, item in enumerate(items)], **more}
    answer = service.post("/v2/company", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def post(service, path, body, **options):
    answer = service.post(path, body, **options)
    assert answer.status_code == 200, answer.text
    return answer.json()


def enrich_contacts(service, *ids, **more):
    body = {"requestId": ANY_REQUEST, "contactIds": list(ids), **more}
    return post(service, "/prospecting/contact/enrich", body)


def search_contacts(service, include=None, **more):
    body = {"filters": {"contacts": {"include": include or {"names": ["Ann Archer"]}}}, **more}
    return post(service, "/prospecting/contact/search", body)
