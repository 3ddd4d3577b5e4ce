import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.lookup.identifiers import COMPANY_PAGE, DOMAIN, EMAIL, ID, PROFILE
from firmograph.directory.lookup.queries import QueryReader
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import RecordIds
from record_factory import KEYRING

pytestmark = pytest.mark.no_database

READER = QueryReader(RecordIds(KEYRING), Digests(KEYRING))


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (ID, "must be a record id: `v` and a version, a point and opaque text, or digits"),
        (EMAIL, "must be an email"),
        (DOMAIN, "must be a domain such as example.com"),
        (PROFILE, "must be the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe"),
        (COMPANY_PAGE, "must be the LinkedIn URL of a company, such as linkedin.com/company/acme"),
    ],
)
def test_a_malformed_value_of_a_list_is_refused_with_its_path(kind, problem):
    with pytest.raises(BadRequest) as refused:
        kind.parse_each(["no identifier"], ("seeds", "values"))
    assert refused.value.message == f"seeds.values.0 {problem}"
    assert refused.value.errors == (refused.value.message,)


def test_the_problems_of_a_list_can_be_collected():
    problems = []
    found = EMAIL.parse_each(["jane", "jane@acme.example", "doe"], ("seeds", "emails"), problems.append)
    assert found == ["jane@acme.example"]
    assert problems == ["seeds.emails.0 must be an email", "seeds.emails.2 must be an email"]


def test_equal_identifiers_of_a_list_count_once():
    assert EMAIL.parse_each(["Jane@Acme.example", "joe@acme.example", "jane@acme.example"], ("emails",)) == [
        "jane@acme.example",
        "joe@acme.example",
    ]


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"id": "?"}, "seeds.contacts.3.id must be a record id"),
        ({"linkedin_url": "jane"}, "seeds.contacts.3.linkedinUrl must be the URL of a LinkedIn profile"),
        ({"email": "jane"}, "seeds.contacts.3.email must be an email"),
        ({"company_domain": "acme"}, "seeds.contacts.3.companyDomain must be a domain"),
        ({"company_linkedin_url": "acme"}, "seeds.contacts.3.companyLinkedinUrl must be the LinkedIn URL"),
        ({"first_name": "Jane", "last_name": "Doe"}, "seeds.contacts.3 must have id, linkedinUrl, email,"),
        ({"last_name": "Doe", "company_name": "Acme"}, "seeds.contacts.3 must have id, linkedinUrl,"),
    ],
)
def test_a_refused_contact_names_the_path_of_the_feature(item, problem):
    with pytest.raises(BadRequest) as refused:
        READER.contact(("seeds", "contacts", 3), **item)
    assert refused.value.message.startswith(problem)


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({}, "exclude.0 must have at least one of id, domain, linkedinUrl, name"),
        ({"id": "?"}, "exclude.0.id must be a record id"),
        ({"domain": "acme"}, "exclude.0.domain must be a domain"),
        ({"linkedin_url": "linkedin.com/in/jane"}, "exclude.0.linkedinUrl must be the LinkedIn URL"),
    ],
)
def test_a_refused_company_names_the_path_of_the_feature(item, problem):
    with pytest.raises(BadRequest) as refused:
        READER.company(("exclude", 0), **item)
    assert refused.value.message.startswith(problem)
