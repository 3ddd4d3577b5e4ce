"""A contact and a company that fill every column of the catalogs, each with a bare one."""

import msgspec

from firmograph.directory.records import Company, Contact
from firmograph.kit.clock import SetClock
from firmograph.record_tables.columns.catalog import find_entry
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.types import Counters, TableColumn
from firmograph.security.record_ids import Entity
from record_factory import load_companies, load_contacts

FULL_CONTACT = {
    "firstName": "Dana",
    "lastName": "Ruiz",
    "fullName": "Dr. Dana Ruiz",
    "jobTitle": {"title": "VP Sales", "departments": ["Sales", "Marketing"], "seniority": "Vice President"},
    "location": {
        "country": "Germany",
        "countryIso2": "DE",
        "state": "Berlin",
        "city": "Berlin",
        "continent": "Europe",
        "zipCode": "10115",
        "isEuContact": True,
    },
    "tags": [{"id": "t1", "name": "Hot", "color": "red"}],
    "socialLinks": {"linkedin": "https://www.linkedin.com/in/dana-ruiz", "xUrl": "https://x.com/dana"},
    "updateDate": "2026-01-02",
    "emails": [
        {"email": "d@home.example", "type": "private"},
        {"email": "dana@old.example", "type": "unknown"},
        {"email": "dana@acme.example", "type": "work"},
        {"email": "ruiz@acme.example", "type": "work"},
    ],
    "phones": [
        {"number": "+12025550101", "type": "mobile", "doNotCall": True},
        {"number": "+12025550102", "type": "direct"},
        {"number": "+12025550103", "type": "unknown"},
        {"number": "+12025550104", "type": "work"},
    ],
    "company": {"name": "Acme Inc", "domain": "acme.example"},
    "previousEmployment": [
        {
            "company": {"name": "Old Co", "domain": "old.example"},
            "jobTitle": {"title": "Clerk", "startDate": "2019-01"},
        }
    ],
}
BARE_CONTACT = {"firstName": "Bo", "emails": [{"email": "bo@acme.example"}]}

FULL_COMPANY = {
    "name": "Acme Inc",
    "domain": "acme.example",
    "alternativeName": "Acme",
    "alternativeNames": ["Acme", "Acme Corp"],
    "alternativeDomains": ["acme.test"],
    "description": 'Makes "everything".',
    "companyType": "Public Company",
    "yearFounded": 1949,
    "businessModel": ["B2B", "B2C"],
    "companyOffering": "Rockets",
    "employeeCount": {"exact": 120, "min": 51, "max": 200},
    "employeesByDepartment": [{"department": "Sales", "count": 3}],
    "employeesByLocation": [{"country": "Germany", "count": 3}],
    "employeesBySeniority": [{"seniority": "Director", "count": 1}],
    "industry": "Manufacturing",
    "subIndustry": "Aerospace",
    "additionalIndustries": [{"industry": "Retail", "subIndustry": "Toys"}],
    "industryTags": ["rockets"],
    "specialities": ["anvils"],
    "keywords": ["road", "runner"],
    "sicCodes": [{"code": 3761, "description": "Guided Missiles"}],
    "naicsCodes": [{"code": 336414, "description": "Guided Missiles"}],
    "location": {
        "country": "United States",
        "state": "Arizona",
        "city": "Tucson",
        "continent": "North America",
        "coordinates": [-110.9, 32.2],
    },
    "additionalLocations": [{"country": "Germany", "city": "Berlin", "coordinates": [13.39, 52.53]}],
    "socialLinks": {
        "linkedin": "https://www.linkedin.com/company/acme",
        "facebook": "https://facebook.com/acme",
        "x": "https://x.com/acme",
        "instagram": ["https://instagram.com/acme"],
        "youtube": ["https://youtube.com/acme"],
        "tiktok": ["https://tiktok.com/@acme"],
    },
    "linkedinFollowers": 1200,
    "popularityTier": 3,
    "revenueRange": {"min": 1000000.0, "max": 10000000.0},
    "funding": {
        "rounds": [{"currency": "USD", "roundAmount": 5.0, "roundType": "Seed", "investors": ["Coyote"]}],
        "totalRounds": 1,
    },
    "ipoDate": "1999-05-04",
    "stockSymbols": ["ACME", "ACM"],
    "technologies": ["Python", "PostgreSQL"],
    "intent": {"detectedTopics": [{"topicName": "rockets", "metadata": {"topicScore": 80}}], "topicCount": 1},
    "competitors": [
        {"name": "Umbrella", "domain": "umbrella.example"},
        {"name": "Globex", "domain": "globex.example"},
    ],
    "estimatedAnnualItSpend": {"value": 10.0, "currency": "USD", "valueUsd": 10.0},
    "monthlyWebsiteTraffic": {"visits": 1000.0, "momChangePercent": 2.5, "month": "2026-01"},
    "openJobs": {"total": 4, "byDepartment": [{"department": "Sales", "count": 4}]},
    "phones": [{"number": "+12025550110"}, {"number": "+12025550111"}],
    "emails": [{"email": "hello@acme.example"}],
}
BARE_COMPANY = {"name": "Bare Ltd", "domain": "bare.example"}


def load_records(database):
    """Import the records; the contacts are 1 and 2, the companies are the first two as well."""
    load_companies(
        database, "columns", [msgspec.convert(each, Company) for each in (FULL_COMPANY, BARE_COMPANY)]
    )
    load_contacts(
        database, "columns", [msgspec.convert(each, Contact) for each in (FULL_CONTACT, BARE_CONTACT)]
    )


def load_company(database, fields):
    """Import a company again, some days later."""
    later = SetClock()
    later.advance(10 * 86_400)
    load_companies(database, "columns", [msgspec.convert(fields, Company)], later)


def stored_column(id, key, kind="lusha", settings=None):
    """Return a column as the store would."""
    return TableColumn(id, 1, 1, kind, key, key or "", settings, 0, 0.0, 0.0, Counters())


def load_values(installation, session, entity, keys, numbers, at):
    """Return the content of catalog columns, by key and record."""
    columns = [stored_column(id, key) for id, key in enumerate(keys, 1)]
    assert all(find_entry(entity, key) for key in keys)
    contents = installation.get(ColumnKinds).load(session, Entity(entity), columns, numbers, at)
    return {column.key: contents[column.id] for column in columns}
