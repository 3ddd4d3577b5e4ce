import pytest

from firmograph.directory.records import (
    Company,
    CompanyRef,
    Contact,
    Count,
    Email,
    JobTitle,
    Location,
    Phone,
    SocialLinks,
)
from firmograph.prospecting.indexing.completeness import (
    COMPANY_POINTS,
    CONTACT_POINTS,
    MAX_COMPANY_POINTS,
    MAX_CONTACT_POINTS,
    company_points,
    contact_points,
    scaled,
)

pytestmark = pytest.mark.no_database


def test_points_fit_into_the_order_of_an_index():
    for table, most in ((CONTACT_POINTS, MAX_CONTACT_POINTS), (COMPANY_POINTS, MAX_COMPANY_POINTS)):
        assert sum(one.points for one in table) == most <= 200
        assert all(one.points > 0 for one in table)
        assert len({one.data for one in table}) == len(table)


def test_an_empty_record_has_no_points():
    assert contact_points(Contact()) == 0
    assert company_points(Company()) == 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            {"emails": [Email("a@example.com", type="work")]},
            {"emails": [Email("a@example.org", type="private")]},
        ),
        ({"emails": [Email("a@example.com", type="work")]}, {"phones": [Phone("+12025550101", type="work")]}),
        (
            {"phones": [Phone("+12025550101", type="mobile")]},
            {"phones": [Phone("+12025550101", type="work")]},
        ),
        ({"phones": [Phone("+12025550101", type="direct")]}, {"company": CompanyRef(name="Acme")}),
        ({"job_title": JobTitle(title="CEO")}, {"skills": ["Go"]}),
        (
            {"social_links": SocialLinks(linkedin="https://www.linkedin.com/in/a")},
            {"location": Location(city="Oslo")},
        ),
    ],
)
def test_more_useful_data_counts_more(better, worse):
    assert contact_points(Contact(**better)) > contact_points(Contact(**worse)) > 0


def test_several_of_one_kind_count_once():
    one, two = Email("a@example.com", type="work"), Email("b@example.com", type="work")
    assert contact_points(Contact(emails=[one])) == contact_points(Contact(emails=[one, two]))


def test_a_company_is_scored_by_its_known_data():
    stub = Company(name="Acme", stub=True)
    known = Company(name="Acme", domain="acme.test", industry="Finance", employee_count=Count(min=1, max=10))
    assert 0 < company_points(stub) < company_points(known) < MAX_COMPANY_POINTS


def test_a_score_is_points_from_0_to_100_and_full_only_without_gaps():
    scores = [scaled(points, MAX_CONTACT_POINTS) for points in range(MAX_CONTACT_POINTS + 1)]
    assert scores[0] == 0
    assert scores[-1] == 100
    assert scores[-2] < 100
    assert scores == sorted(scores)
