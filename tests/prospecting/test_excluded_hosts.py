"""Companies that a search leaves out by the host of a domain, next to those that the same host finds."""

import pytest
from people_fixtures import served

from firmograph.directory.records import Company, CompanyRef, Contact
from record_factory import load_companies, load_contacts

pytestmark = pytest.mark.any_database

HOSTS = {
    "Law School": "law.pellworth.edu",
    "Physics": "physics.pellworth.edu",
    "Grumbach": "corporate.grumbach.com",
    "Grumbach US": "us.grumbach.com",
    "Acorn": "acornhq.com",
    "Acorn Shop": "shop.acornhq.com",
}


def load(database):
    load_companies(
        database, "test", [(name, Company(name=name, domain=host)) for name, host in HOSTS.items()]
    )
    people = [
        Contact(first_name="Ann", last_name=name.replace(" ", ""), company=CompanyRef(name=name, domain=host))
        for name, host in HOSTS.items()
    ]
    load_contacts(database, "test", [(one.last_name, one) for one in people])


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    with served(tmp_path_factory.mktemp("hosts"), load) as service:
        yield service


@pytest.mark.parametrize(
    ("host", "found", "left_out"),
    [
        # nobody holds it: the only company with general labels answers, all below it are left out
        ("pellworth.edu", set(), {"Law School", "Physics"}),
        ("grumbach.com", {"Grumbach"}, {"Grumbach", "Grumbach US"}),
        # its holder alone
        ("acornhq.com", {"Acorn"}, {"Acorn"}),
        ("us.grumbach.com", {"Grumbach US"}, {"Grumbach US"}),
        # a host below a held one finds its holder, and leaves out nobody
        ("blog.acornhq.com", {"Acorn"}, set()),
        ("history.pellworth.edu", set(), set()),
        ("edu.pellworth.com", set(), set()),
    ],
)
def test_an_exclusion_leaves_out_who_holds_a_host_or_is_below_an_unheld_domain(hosts, host, found, left_out):
    assert names(hosts, "companies", "include", host) == found
    assert names(hosts, "companies", "exclude", host) == HOSTS.keys() - left_out
    assert names(hosts, "contacts", "include", host) == {name.replace(" ", "") for name in found}
    kept = {name.replace(" ", "") for name in HOSTS.keys() - left_out}
    assert names(hosts, "contacts", "exclude", host) == kept


def names(service, path, clause, host):
    body = {"filters": {"companies": {clause: {"domains": [host]}}}}
    answer = service.post(f"/v3/{path}/prospecting", body)
    assert answer.status_code == 200, answer.text
    return {one["name" if path == "companies" else "lastName"] for one in answer.json()["results"]}
