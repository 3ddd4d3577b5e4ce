import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.records import Company, CompanyRef
from firmograph.ingest.merging.company_linking import Finder
from record_factory import KEYRING, load_companies

pytestmark = pytest.mark.any_database

COMPANIES = [
    Company(name="Initech", domain="initech.example.com"),
    Company(name="Globex", domain="globex.test"),
    Company(name="Twin", domain="twin.example"),
    Company(name="Twin", domain="twin.test"),
]


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        (CompanyRef(domain="globex.test"), "Globex"),
        (CompanyRef(domain="eu.globex.test"), "Globex"),
        (CompanyRef(domain="shop.example.com"), None),
        (CompanyRef(domain="example.com"), None),
        (CompanyRef(name="Globex", domain="globex.example.com"), "Globex"),
        (CompanyRef(name="Umbrella", domain="umbrella.example.com"), None),
        (CompanyRef(name="Umbrella", domain="globex.test"), "Globex"),
        (CompanyRef(name="Globex Inc."), "Globex"),
        (CompanyRef(name="Twin"), None),
        (CompanyRef(name="Twin", domain="twin.test"), "Twin"),
    ],
)
def test_a_company_is_found_by_host_then_by_unique_name_then_by_domain(database, ref, name):
    load_companies(database, "a", COMPANIES)
    with database.read() as session:
        (found,) = Finder(Digests(KEYRING)).find(session, [ref])
    assert (COMPANIES[found - 1].name if found else None) == name
