import msgspec
import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.records import Company, CompanyRef
from firmograph.kit.errors import BadRequest, PreconditionFailed
from firmograph.legacy.identified import RecordFinder
from firmograph.legacy.signal_shapes import LegacyCompanyItem, LegacyContactItem
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import KEYRING, contact, load_companies, load_contacts

pytestmark = pytest.mark.any_database

ACME = CompanyRef(name="Acme Inc", domain="acme.example")
RIVAL = CompanyRef(name="Rival", domain="rival.example")
JANE, JOE, OTHER_JANE = 1, 2, 3


@pytest.fixture(scope="module")
def directory(shared_database):
    """Return a database of three people at two companies."""
    load_companies(shared_database, "a", [Company(name=one.name, domain=one.domain) for one in (ACME, RIVAL)])
    load_contacts(
        shared_database,
        "a",
        [
            contact("Jane", "Doe", company=ACME, emails=["jane@acme.example"], linkedin="in/jane-doe"),
            contact("Joe", "van Dyke", company=RIVAL, emails=["joe@rival.example"]),
            contact("Jane", "Doe", company=RIVAL, emails=["j.doe@rival.example"]),
        ],
    )
    return shared_database


@pytest.fixture
def find(directory):
    """Return a function that finds the contacts of items."""
    return finder(directory, LegacyContactItem, "contacts")


def finder(database, kind, of):
    identified = RecordFinder(RecordLookup(RecordIds(KEYRING), Digests(KEYRING), 0.9, 0.05))

    def find(*items):
        given = [msgspec.convert({"id": str(place), **item}, kind) for place, item in enumerate(items)]
        with database.read() as session:
            return getattr(identified, of)(session, given)

    return find


@pytest.mark.parametrize(
    ("item", "number"),
    [
        ({"social_link": "https://www.linkedin.com/in/Jane-Doe/"}, JANE),
        ({"email": "JOE@rival.example"}, JOE),
        ({"full_name": "Jane Doe", "companies": [{"domain": "www.acme.example"}]}, JANE),
        ({"full_name": "Dr. Joe van Dyke", "companies": [{"name": "Rival"}]}, JOE),
        ({"full_name": "Doe, Jane", "companies": [{"name": "RIVAL", "domain": "rival.example"}]}, OTHER_JANE),
        ({"full_name": "Jane Doe", "companies": [{"name": "Nowhere"}]}, None),
        ({"email": "nobody@acme.example"}, None),
    ],
)
def test_a_person_is_found_by_each_combination_of_identifiers(find, item, number):
    assert find(item) == [number]


def test_the_first_identifier_that_resolves_decides(find):
    named = {"full_name": "Jane Doe", "companies": [{"name": "Rival"}]}
    assert find(
        {"social_link": "https://linkedin.com/in/jane-doe", "email": "joe@rival.example", **named},
        {"social_link": "https://linkedin.com/in/nobody", "email": "joe@rival.example", **named},
        {"social_link": "https://linkedin.com/in/nobody", "email": "nobody@rival.example", **named},
    ) == [JANE, JOE, OTHER_JANE]


def test_current_companies_are_tried_before_former_ones(find):
    acme, rival = {"name": "Acme Inc"}, {"name": "Rival"}
    assert find(
        {"full_name": "Jane Doe", "companies": [acme | {"is_current": False}, rival]},
        {"full_name": "Jane Doe", "companies": [acme, rival | {"is_current": False}]},
        {"full_name": "Jane Doe", "companies": [{"name": "Nowhere"}, rival | {"is_current": False}]},
    ) == [OTHER_JANE, JANE, OTHER_JANE]


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({}, "contacts.1 must have social_link, email, or full_name with companies"),
        ({"full_name": "Jane Doe"}, "contacts.1 must have social_link, email, or full_name with companies"),
        ({"companies": [{"name": "Rival"}]}, "contacts.1 must have social_link, email, or full_name with"),
        ({"social_link": "https://linkedin.com/company/acme"}, "contacts.1.social_link must be the URL"),
        ({"social_link": "jane-doe"}, "contacts.1.social_link must be the URL"),
        ({"social_link": "in/jane-doe"}, "contacts.1.social_link must be the URL"),
        ({"email": "jane"}, "contacts.1.email must be an email"),
        (
            {"email": "a@b.example", "companies": [{"name": "A"}, {}]},
            "contacts.1.companies.1 must have name or domain",
        ),
        (
            {"email": "a@b.example", "companies": [{"domain": "acme"}]},
            "contacts.1.companies.0.domain must be a domain",
        ),
    ],
)
def test_an_item_without_a_person_is_refused_with_its_path(find, item, problem):
    with pytest.raises(BadRequest) as refused:
        find({"email": "jane@acme.example"}, item)
    assert refused.value.message.startswith(problem)


def test_a_full_name_of_one_word_is_refused_only_where_it_is_the_identifier(find):
    employed = {"full_name": "Jane", "companies": [{"name": "Rival"}]}
    assert find(employed | {"email": "joe@rival.example"}) == [JOE]
    with pytest.raises(PreconditionFailed) as refused:
        find(employed)
    assert refused.value.message == "contacts.0.full_name must be a first and a last name"


def test_a_company_is_found_by_domain_then_name_and_by_its_id_only_if_nothing_else_is_given(directory):
    tokens = RecordIds(KEYRING)
    acme, rival = tokens.seal(Entity.COMPANY, 1), str(tokens.legacy(Entity.COMPANY, 2))
    companies = finder(directory, LegacyCompanyItem, "companies")
    assert companies(
        {"domain": "acme.example", "name": "Rival"},
        {"domain": "nowhere.example", "name": "Rival"},
        {"id": acme},
        {"id": rival},
        {"id": rival, "name": "Nowhere"},
        {"id": "my key", "domain": "rival.example"},
    ) == [1, 2, 1, 2, None, 2]


def test_an_item_without_a_company_is_refused_with_its_path(directory):
    with pytest.raises(BadRequest, match=r"^companies\.1\.id must be a record id"):
        finder(directory, LegacyCompanyItem, "companies")({"name": "Rival"}, {"id": "my key"})
