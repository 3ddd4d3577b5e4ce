"""SQL statements of legacy calls: bounded, and the same for 2 and for 100 items."""

import pytest
from legacy_records import ANY_REQUEST, TOKENS, search

from firmograph.directory.records import CompanyRef
from firmograph.security.record_ids import Entity
from record_factory import contact, load_contacts
from statement_counts import record_statements

MOST = 20


@pytest.fixture(scope="module")
def many(shared_service):
    """Return the application of the module over a hundred people at a hundred companies."""
    people = [
        contact(
            f"Pat{n}",
            f"Quill{n}",
            emails=[f"p{n}@many.example.com"],
            linkedin=f"https://www.linkedin.com/in/p-q-{n}",
            company=CompanyRef(name=f"Company {n}", domain=f"company{n}.example.com"),
        )
        for n in range(100)
    ]
    load_contacts(shared_service.database, "many", people)
    search(shared_service)
    return shared_service


@pytest.fixture
def caller(many):
    return many.with_account(credits=10_000)


@pytest.fixture
def counted(caller, monkeypatch):
    """Count statements of the answering threads, transaction bounds excluded."""
    return record_statements(monkeypatch)


def person_item(n):
    kinds = [
        {"email": f"p{n}@many.example.com"},
        {"linkedinUrl": f"https://www.linkedin.com/in/p-q-{n}"},
        {"fullName": f"Pat{n} Quill{n}", "companies": [{"name": f"Company {n}", "isCurrent": True}]},
        {"email": f"missing{n}@many.example.com"},
    ]
    return kinds[n % len(kinds)]


def bodies(first, count):
    numbers = range(first, first + count)
    signals = {"signals": ["allSignals"]}
    return {
        "/v2/person": {
            "contacts": [{"contactId": str(n), **person_item(n)} for n in numbers],
            "metadata": signals,
        },
        "/v2/company": {
            "companies": [{"id": str(n), "domain": f"company{n}.example.com"} for n in numbers],
            **signals,
        },
        "/prospecting/contact/enrich": {
            "requestId": ANY_REQUEST,
            "contactIds": [TOKENS.legacy(Entity.CONTACT, n + 1) for n in numbers],
        },
        "/prospecting/company/enrich": {
            "requestId": ANY_REQUEST,
            "companiesIds": [TOKENS.legacy(Entity.COMPANY, n + 1) for n in numbers],
            **signals,
        },
    }


def cost(caller, counted, path, body, **headers):
    counted.clear()
    answer = caller.post(path, body, **headers)
    assert answer.status_code == 200, answer.text
    return len(counted)


@pytest.mark.parametrize("path", bodies(0, 1))
def test_a_charging_call_takes_the_same_few_statements_for_any_number_of_items(caller, counted, path):
    other = caller.with_account(credits=10_000)
    # each of them has items of all kinds, with something to pay
    few = cost(caller, counted, path, bodies(0, 4)[path], **{"idempotency-key": "k"})
    all_of_them = cost(other, counted, path, bodies(0, 100)[path], **{"idempotency-key": "k"})
    assert few == all_of_them <= MOST


@pytest.mark.parametrize("name", ["contact", "company"])
def test_a_search_takes_a_few_statements_for_any_page(caller, counted, name):
    side = "contacts" if name == "contact" else "companies"
    words = ["Quill1"] if name == "contact" else ["Company"]
    filters = {"searchText": "pat1 quill1"} if name == "contact" else {"names": words}
    body = {"filters": {side: {"include": filters}}}
    path = f"/prospecting/{name}/search"
    small = cost(caller, counted, path, body | {"pages": {"size": 10}})
    large = cost(caller, counted, path, body | {"pages": {"size": 100}})
    assert small == large <= 8
