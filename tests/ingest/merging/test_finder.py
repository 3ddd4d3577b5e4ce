import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.records import Company, CompanyRef
from firmograph.ingest.merging.company_linking import Finder
from record_factory import KEYRING, load_companies

HELD = [
    Company(name="Initech", domain="initech.example.com"),
    Company(name="Globex", domain="globex.test"),
    Company(name="Twin", domain="twin.example"),
    Company(name="Twin", domain="twin.test"),
]


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        (CompanyRef(domain="globex.test"), "Globex"),
        (CompanyRef(domain="shop.example.com"), "Initech"),
        (CompanyRef(name="Globex", domain="globex.example.com"), "Globex"),
        (CompanyRef(name="Umbrella", domain="umbrella.example.com"), None),
        (CompanyRef(name="Umbrella", domain="globex.test"), "Globex"),
        (CompanyRef(name="Globex Inc."), "Globex"),
        (CompanyRef(name="Twin"), None),
        (CompanyRef(name="Twin", domain="twin.test"), "Twin"),
    ],
)
def test_a_fact_is_about_the_company_of_its_host_then_of_its_unique_name_then_of_its_domain(
    database, ref, name
):
    load_companies(database, "a", HELD)
    with database.read() as session:
        (found,) = Finder(Digests(KEYRING)).find(session, [ref])
    assert (HELD[found - 1].name if found else None) == name
