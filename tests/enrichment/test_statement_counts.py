import pytest

from firmograph.directory.records import CompanyRef
from record_factory import contact, load_contacts
from statement_counts import record_statements

MOST_FOR_SEARCH = 12
MOST_FOR_CHARGING = 20


@pytest.fixture(scope="module")
def many(directory):
    """Store a hundred people of one company."""
    ref = CompanyRef(name="Acme Inc", domain="acme.example")
    load_contacts(
        directory.database,
        "many",
        [
            contact(
                f"Pat{n}",
                f"Quill{n}",
                emails=[f"p{n}@acme.example"],
                linkedin=f"linkedin.com/in/p-q-{n}",
                company=ref,
            )
            for n in range(100)
        ],
    )


@pytest.fixture
def counted(many, people, monkeypatch):
    """Count statements of the answering threads, transaction bounds excluded."""
    return record_statements(monkeypatch)


def mixed(count):
    """Return items of every kind, including fuzzy ones and misses."""
    kinds = [
        lambda n: {"email": f"p{n}@acme.example"},
        lambda n: {"linkedinUrl": f"https://linkedin.com/in/p-q-{n}"},
        lambda n: {"firstName": f"Quill{n}", "lastName": f"Pat{n}", "companyName": "ACME incorporated"},
        lambda n: {"firstName": f"P. Pat{n}", "lastName": f"Quill{n}", "companyDomain": "acme.example"},
        lambda n: {"email": f"missing{n}@acme.example"},
        lambda n: {"id": "123456"},
    ]
    return [kinds[n % len(kinds)](n) for n in range(count)]


def cost(people, counted, path, body, **headers):
    counted.clear()
    answer = people.post(path, body, **headers)
    assert answer.status_code == 200, answer.text
    return len(counted)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v3/contacts/search", {"contacts": [{"email": "p1@acme.example"}]}),
        ("/v3/contacts/search", {"contacts": [{"linkedinUrl": "https://linkedin.com/in/p-q-1"}]}),
        ("/v3/companies/search", {"companies": [{"domain": "acme.example"}]}),
    ],
)
def test_a_search_for_one_by_a_key_costs_two_statements(people, counted, path, body):
    assert cost(people, counted, path, body) == 2


@pytest.mark.parametrize("count", [6, 100])
def test_a_contact_search_costs_few_statements(people, counted, count):
    assert cost(people, counted, "/v3/contacts/search", {"contacts": mixed(count)}) <= MOST_FOR_SEARCH


def test_statements_do_not_increase_with_the_items(people, counted):
    for path in ("/v3/contacts/search", "/v3/contacts/search-and-enrich"):
        few = cost(people, counted, path, {"contacts": mixed(6)})
        many = cost(people, counted, path, {"contacts": mixed(100)})
        assert few == many


@pytest.mark.parametrize("count", [6, 100])
def test_a_charging_call_costs_few_statements_with_an_idempotency_key(people, counted, count):
    body = {"contacts": mixed(count)}
    path = "/v3/contacts/search-and-enrich"
    assert cost(people, counted, path, body, **{"idempotency-key": "k"}) <= MOST_FOR_CHARGING


def test_a_company_reveal_of_everything_costs_few_statements(people, counted):
    body = {
        "companies": [{"domain": "acme.example"}, {"name": "Rival"}, {"name": "Nobody"}] * 30,
        "reveal": ["competitors", "directParent", "ultimateParent", "openJobsTotal"],
    }
    path = "/v3/companies/search-and-enrich"
    assert cost(people, counted, path, body, **{"idempotency-key": "k"}) <= MOST_FOR_CHARGING
    body = {"companies": body["companies"]}
    assert cost(people, counted, "/v3/companies/search", body) <= MOST_FOR_SEARCH


def test_a_named_partner_costs_one_statement(people, counted):
    path, costs = "/v3/contacts/search-and-enrich", []
    for named in ({}, {"partnerClientId": "p"}):
        body = {"contacts": mixed(100), **named}
        costs.append(cost(people.with_account(), counted, path, body, **{"idempotency-key": "k"}))
    assert costs[1] == costs[0] + 1
