"""Every key of the legacy answers with its type, over records that fill it and over bare ones."""

import pytest
from legacy_records import (
    ANN,
    ANY_REQUEST,
    BARE_COMPANY,
    BO,
    CY,
    FULL_COMPANY,
    companies,
    company,
    company_id,
    contact_id,
    enrich_contacts,
    people,
    person,
    post,
    search_contacts,
)

pytestmark = pytest.mark.any_database

TEXT, NUMBER, FLAG = "str", "int", "bool"
TEXTS = ["str"]
NUMBERS = ["int"]

LOCATION = {
    "country": TEXT,
    "country_iso2": TEXT,
    "continent": TEXT,
    "city": TEXT,
    "state": TEXT,
    "state_code": TEXT,
    "rawLocation": TEXT,
    "location_coordinates": ["float"],
    "is_eu_contact": FLAG,
}
EMAIL = {"email": TEXT, "emailType": TEXT, "emailConfidence": TEXT, "updateDate": TEXT}
PHONE = {"number": TEXT, "phoneType": TEXT, "doNotCall": FLAG, "updateDate": TEXT}
COMPANY_LOCATION = {
    "city": TEXT,
    "country": TEXT,
    "fullLocation": TEXT,
    "state": TEXT,
    "stateCode": TEXT,
    "countryIso2": TEXT,
    "continent": TEXT,
    "rawLocation": TEXT,
}
FUNDING = {"totalRounds": NUMBER, "totalRoundsAmount": NUMBER, "currency": TEXT}
CODES = {
    "sicCodes": [{"sicCodes": NUMBER, "description": TEXT}],
    "naicsCodes": [{"naicsCodes": NUMBER, "description": TEXT}],
}
FIRMOGRAPHICS = {
    "name": TEXT,
    "description": TEXT,
    "fqdn": TEXT,
    "logoUrl": TEXT,
    "revenueRange": NUMBERS,
    "mainIndustry": TEXT,
    "subIndustry": TEXT,
    "specialities": TEXTS,
    "technologies": [{"name": TEXT}],
    "funding": FUNDING,
    "industryPrimaryGroupDetails": CODES,
}
EMPLOYER = FIRMOGRAPHICS | {
    "domains": {"homepage": TEXT, "email": TEXT},
    "homepageUrl": TEXT,
    "location": COMPANY_LOCATION,
    "companySize": NUMBERS,
    "social": {"linkedin": TEXT, "twitter": TEXT, "facebook": TEXT},
}
PROFILE = FIRMOGRAPHICS | {
    "founded": NUMBER,
    "linkedinFollowers": NUMBER,
    "emailDomain": TEXT,
    "companyLocations": [
        {"city": TEXT, "country": TEXT, "countryIso2": TEXT, "rawLocation": TEXT},
    ],
    "alternativeName": TEXT,
    "companyType": TEXT,
    "lushaPopularityTier": NUMBER,
}
PLACE = {
    "city": TEXT,
    "state": TEXT,
    "country": TEXT,
    "countryIso2": TEXT,
    "continent": TEXT,
    "rawLocation": TEXT,
}
SIZE = {"min": NUMBER, "max": NUMBER, "employees_in_linkedin": NUMBER}
LINKS = {"linkedin": {"url": TEXT}, "twitter": {"url": TEXT}, "facebook": {"url": TEXT}}
PERSON = {
    "firstName": TEXT,
    "lastName": TEXT,
    "fullName": TEXT,
    "emailAddresses": [EMAIL],
    "phoneNumbers": [PHONE],
    "location": LOCATION,
    "socialLinks": {"linkedin": TEXT, "xUrl": TEXT},
    "updateDate": TEXT,
    "linkedinFollowersCount": NUMBER,
    "linkedinConnectionsCount": NUMBER,
    "linkedinCertifications": TEXTS,
    "linkedinAwards": TEXTS,
    "linkedinSkills": TEXTS,
}
FULL_PERSON = PERSON | {
    "personId": NUMBER,
    "companyId": NUMBER,
    "emails": TEXTS,
    "phones": TEXTS,
    "jobTitle": {"title": TEXT, "departments": TEXTS, "seniority": TEXT},
    "jobStartDate": TEXT,
    "previousJob": {
        "jobTitle": {"title": TEXT, "departments": TEXTS, "seniority": TEXT},
        "company": {"name": TEXT, "domain": TEXT},
    },
    "contactTags": [{"id": TEXT, "name": TEXT, "color": TEXT}],
    "company": EMPLOYER,
}
BARE_PERSON = {
    "personId": NUMBER,
    "companyId": NUMBER,
    "firstName": TEXT,
    "lastName": TEXT,
    "fullName": TEXT,
    "emails": TEXTS,
    "phones": [],
    "emailAddresses": [{"email": TEXT, "emailType": TEXT}],
    "phoneNumbers": [],
    "company": {"name": TEXT, "fqdn": TEXT, "domains": {"homepage": TEXT}},
}
COMPANY_FLAGS = dict.fromkeys(
    (
        "hasCompanyEmployeesCount",
        "hasCompanyRevenue",
        "hasCompanyMainIndustry",
        "hasCompanySubIndustry",
        "hasCompanyFunding",
        "hasCompanyIntent",
        "hasCompanyTechnologies",
        "hasCompanyCity",
        "hasCompanyCountry",
    ),
    FLAG,
)
CONTACT_FLAGS = dict.fromkeys(
    (
        "hasDepartment",
        "hasSeniority",
        "hasContactLocation",
        "hasSocialLink",
        "hasEmails",
        "hasWorkEmail",
        "hasPrivateEmail",
        "hasPhones",
        "hasMobilePhone",
        "hasDirectPhone",
    ),
    FLAG,
)
BILLING = {"creditsCharged": NUMBER, "resultsReturned": NUMBER}
CHARGES = {"creditsCharged": NUMBER, "billing": BILLING}
ERROR = {"code": NUMBER, "name": TEXT, "message": TEXT}


def types(value):
    """Return a value with the names of types in place of its texts, numbers and flags; of a list its first item."""
    if isinstance(value, dict):
        return {key: types(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [types(value[0])] if value else []
    return None if value is None else type(value).__name__


def test_a_full_person(stocked):
    answer = person(stocked, email="ann@acme.example.com")
    assert types(answer) == {"error": None, "isCreditCharged": FLAG, "data": FULL_PERSON}
    assert answer["data"]["personId"] == contact_id(ANN)
    assert answer["data"]["companyId"] == company_id(FULL_COMPANY)


def test_a_bare_person(stocked):
    answer = person(stocked, email="bo@plain.example.org")
    assert types(answer) == {"error": None, "isCreditCharged": FLAG, "data": BARE_PERSON}


def test_a_person_without_a_data_point_and_employer(stocked):
    answer = person(stocked, linkedinUrl="https://www.linkedin.com/in/cy-cole")
    data = {
        "personId": NUMBER,
        "firstName": TEXT,
        "lastName": TEXT,
        "fullName": TEXT,
        "emails": [],
        "phones": [],
        "emailAddresses": [],
        "phoneNumbers": [],
        "socialLinks": {"linkedin": TEXT},
    }
    assert types(answer) == {"error": ERROR, "isCreditCharged": FLAG, "data": data}


def test_people_of_a_batch_by_the_callers_keys_and_employers_by_id(stocked):
    answer = people(
        stocked, {"email": "ann@acme.example.com"}, {"email": "bo@plain.example.org"}, {"personId": 5}
    )
    found = {"error": None, "isCreditCharged": FLAG}
    assert types(answer) == {
        "contacts": {
            "0": found | {"data": FULL_PERSON},
            "1": found | {"data": BARE_PERSON},
            "2": {"error": ERROR, "isCreditCharged": FLAG, "data": None},
        },
        "companies": {
            str(company_id(FULL_COMPANY)): EMPLOYER,
            str(company_id(BARE_COMPANY)): BARE_PERSON["company"],
        },
    }


def test_a_company_and_a_bare_one(stocked):
    full = PROFILE | {
        "id": NUMBER,
        "domain": TEXT,
        "employees": TEXT,
        "companySize": SIZE,
        "social": LINKS,
        "address": TEXT,
        "location": COMPANY_LOCATION,
        "categories": TEXTS,
        "website": TEXT,
    }
    assert types(company(stocked, domain="acme.example.com")) == {"data": full, "meta": {}}
    bare = {"id": NUMBER, "name": TEXT, "domain": TEXT, "fqdn": TEXT}
    assert types(company(stocked, company="Plain Ltd")) == {"data": bare, "meta": {}}


def test_a_company_that_is_not_held(stocked):
    answer = company(stocked, domain="nobody.example.net")
    assert answer == {"data": {}, "errors": {"message": "Company not found"}, "meta": {}}


def test_companies_of_a_batch_by_the_callers_keys(stocked):
    full = PROFILE | PLACE
    full |= {
        "id": TEXT,
        "lushaCompanyId": NUMBER,
        "companySize": NUMBERS,
        "employeesInLinkedin": NUMBER,
        "linkedin": TEXT,
    }
    answer = companies(stocked, {"domain": "acme.example.com"}, {"name": "Plain Ltd"}, {"companyId": "5"})
    bare = {"id": TEXT, "lushaCompanyId": NUMBER, "name": TEXT, "fqdn": TEXT}
    assert types(answer) == {"0": full, "1": bare}
    assert answer["0"]["id"] == "0"


def test_contacts_of_a_search(stocked):
    answer = search_contacts(stocked, {"names": ["Ann", "Bo", "Cy"]})
    assert types({key: value for key, value in answer.items() if key not in ("data", "contacts")}) == {
        "requestId": TEXT,
        "currentPage": NUMBER,
        "pageLength": NUMBER,
        "totalResults": NUMBER,
        "billing": BILLING,
    }
    assert answer["data"] == answer["contacts"]
    ann, bo, cy = sorted(answer["data"], key=lambda one: one["name"])
    bare = {"contactId": TEXT, "isShown": FLAG, "name": TEXT, **COMPANY_FLAGS, **CONTACT_FLAGS}
    employed = {"companyId": TEXT, "companyName": TEXT, "fqdn": TEXT}
    assert types(ann) == bare | employed | {"jobTitle": TEXT}
    assert types(bo) == bare | employed
    assert types(cy) == bare


def test_companies_of_a_search(stocked):
    body = {"filters": {"companies": {"include": {"names": ["Acme", "Plain"]}}}}
    answer = post(stocked, "/prospecting/company/search", body)
    assert answer["data"] == answer["companies"]
    acme, plain = sorted(answer["data"], key=lambda one: one["name"])
    bare = {"id": TEXT, "name": TEXT, "fqdn": TEXT, **COMPANY_FLAGS}
    assert types(acme) == bare | {"description": TEXT, "logoUrl": TEXT}
    assert types(plain) == bare


def test_the_flags_say_what_is_held(stocked):
    ann, bo = (search_contacts(stocked, {"names": [name]})["data"][0] for name in ("Ann", "Bo"))
    assert {key for key, value in ann.items() if value is False} == {"isShown", "hasDirectPhone"}
    assert {key for key, value in bo.items() if value is True} == {"hasEmails", "hasWorkEmail"}


def test_enriched_contacts(stocked):
    answer = enrich_contacts(stocked, contact_id(ANN), str(contact_id(BO)), contact_id(CY), "5")
    person_of_search = PERSON | {
        "isShown": FLAG,
        "jobTitle": TEXT,
        "companyId": TEXT,
        "companyName": TEXT,
        "departments": TEXTS,
        "seniority": [{"id": NUMBER, "value": TEXT}],
        "company": {
            "revenueRange": NUMBERS,
            "funding": FUNDING,
            "mainIndustry": TEXT,
            "subIndustry": TEXT,
            "technologies": [{"name": TEXT}],
        },
    }
    assert types(answer["billing"]) == BILLING
    assert answer["requestId"] == ANY_REQUEST
    ann, bo, cy, nobody = answer["contacts"]
    assert types(ann) == {"id": TEXT, "isSuccess": FLAG, "data": person_of_search}
    assert bo["data"].keys() == {
        "firstName",
        "lastName",
        "fullName",
        "emailAddresses",
        "phoneNumbers",
        "isShown",
        "companyId",
        "companyName",
        "company",
    }
    assert types(cy["error"]) == ERROR
    assert types(nobody) == {"id": TEXT, "isSuccess": FLAG, "error": ERROR, "data": None}
    assert [one["isSuccess"] for one in answer["contacts"]] == [True, True, False, False]


def test_enriched_companies(stocked):
    body = {"requestId": ANY_REQUEST, "companiesIds": [company_id(FULL_COMPANY), "5"]}
    answer = post(stocked, "/prospecting/company/enrich", body)
    full = PROFILE | PLACE
    full |= {
        "id": TEXT,
        "companySize": SIZE,
        "employees": TEXT,
        "domains": {"homepage": TEXT, "email": TEXT},
        "industryTags": TEXTS,
        "social": LINKS,
        "stateCode": TEXT,
        "coordinates": ["float"],
    }
    assert types(answer) == {"requestId": TEXT, "companies": [full], **CHARGES}
    assert len(answer["companies"]) == 1


def test_intent_stands_where_a_current_call_has_paid_for_it(stocked):
    def shown():
        return [
            company(stocked, domain="acme.example.com")["data"],
            companies(stocked, {"domain": "acme.example.com"})["0"],
            person(stocked, email="ann@acme.example.com")["data"]["company"],
            enrich_contacts(stocked, contact_id(ANN))["contacts"][0]["data"]["company"],
        ]

    assert not any("intent" in one for one in shown())
    post(stocked, "/v3/companies/enrich", {"ids": [str(company_id(FULL_COMPANY))], "reveal": ["intent"]})
    assert [one["intent"] for one in shown()] == [{"detectedTopics": [], "topicCount": 0}] * 4
