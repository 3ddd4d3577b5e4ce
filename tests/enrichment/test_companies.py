import msgspec
import pytest

from firmograph.directory.data_points import COMPANY_TOKENS
from firmograph.directory.records import Company, CompanyLinks, CompanyRef
from record_factory import contact, load_companies, load_contacts

pytestmark = pytest.mark.any_database

SEARCH = "/v3/companies/search"
ENRICH = "/v3/companies/enrich"
BOTH = "/v3/companies/search-and-enrich"
TOKENS = list(COMPANY_TOKENS)


def one(people, path=SEARCH, *, reveal=None, **item):
    body = {"companies": [item]} | ({} if reveal is None else {"reveal": reveal})
    answer = people.post(path, body)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"][0], answer.json()["billing"]["creditsCharged"]


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ({"domain": "acme.example"}, "Acme Inc"),
        ({"domain": "https://www.ACME.example/jobs"}, "Acme Inc"),
        ({"domain": "shop.acme.example"}, "Acme Inc"),
        ({"linkedinUrl": "linkedin.com/company/Acme/about"}, "Acme Inc"),
        ({"name": "Rival", "linkedinUrl": "https://de.linkedin.com/company/acme"}, "Acme Inc"),
        ({"domain": "rival.example", "linkedinUrl": "https://linkedin.com/company/acme"}, "Rival"),
        ({"linkedinUrl": "https://linkedin.com/company/nobody", "name": "Rival"}, "Rival"),
        ({"id": "1" * 17, "name": "Rival"}, "Rival"),
        ({"name": "acme, incorporated"}, "Acme Inc"),
        ({"name": "Acme Rocketry"}, "Acme Inc"),
        ({"domain": "unit.rival.example"}, "Unit"),
        ({"domain": "rival.example"}, "Rival"),
        ({"domain": "other.rival.example"}, "Rival"),
        ({"domain": "nothing.example", "name": "Rival"}, "Rival"),
    ],
)
def test_a_company_is_found_by(people, item, name):
    assert one(people, **item)[0]["name"] == name


@pytest.fixture(scope="module")
def shops(directory):
    load_companies(directory.database, "test", [Company(name="Etsy, Inc.", domain="etsy.com")])


@pytest.mark.usefixtures("shops")
@pytest.mark.parametrize(
    ("domain", "found"),
    [
        ("etsy.com", "Etsy, Inc."),
        ("https://www.etsy.com/", "Etsy, Inc."),
        ("https://www.etsy.com/shop/annas", None),
        ("annas.etsy.com", None),
    ],
)
def test_a_page_on_a_shared_host_matches_no_company(people, domain, found):
    assert one(people, domain=domain)[0].get("name") == found
    assert one(people, domain=domain, name="Rival")[0]["name"] == (found or "Rival")


def test_a_preview_lists_every_available_token(people):
    result, cost = one(people, domain="acme.example", clientReferenceId="r")
    assert result["canReveal"] == TOKENS
    assert set(TOKENS) < set(result["has"])
    assert result["clientReferenceId"] == "r"
    assert cost == 0
    assert not set(TOKENS) & result.keys()


def test_an_unknown_company_is_an_item_error(people):
    assert one(people, name="Nobody")[0] == {"error": {"code": "NOT_FOUND", "message": "Company not found"}}


def test_an_item_without_an_identifier_is_refused(people):
    answer = people.post(SEARCH, {"companies": [{"clientReferenceId": "r"}]})
    assert answer.status_code == 400
    assert answer.json()["message"] == "companies.0 must have at least one of id, domain, linkedinUrl, name"


@pytest.mark.parametrize("url", ["acme", "company/acme", "linkedin.com/in/acme", "https://acme.example/acme"])
@pytest.mark.parametrize("path", [SEARCH, BOTH])
def test_a_linkedin_url_of_no_company_page_is_refused(people, path, url):
    answer = people.post(path, {"companies": [{"linkedinUrl": url}]})
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(
        "companies.0.linkedinUrl must be the LinkedIn URL of a company"
    )


@pytest.mark.parametrize("digits", [17, 128, 5_000])
def test_digits_of_any_length_are_an_id(people, digits):
    answer = people.post(ENRICH, {"ids": ["1" * digits]}).json()
    assert answer["results"][0]["error"]["code"] == "NOT_FOUND"


def test_partial_companies_are_left_out_on_request(people):
    load_contacts(people.database, "test", [contact("Cy", "Poe", company="Only Named")])
    assert one(people, name="Only Named")[0]["name"] == "Only Named"
    body = {"companies": [{"name": "Only Named"}], "options": {"includePartialProfiles": False}}
    assert "error" in people.post(SEARCH, body).json()["results"][0]


def test_the_base_of_a_company_with_only_name_and_domain_is_free(people):
    employers = [CompanyRef(name='Merely "Named" \\'), CompanyRef(name="Hosted", domain="hosted.example")]
    rows = [contact("Cy", f"Poe{n}", company=ref) for n, ref in enumerate(employers)]
    load_contacts(people.database, "test", rows)
    bare = Company(name="Bare", domain="bare.example", update_date="2026-01-01")
    linked = Company(name="Linked", social_links=CompanyLinks(linkedin="https://www.linkedin.com/company/l"))
    load_companies(people.database, "test", [("bare", bare), ("linked", linked)])
    named = [*(ref.name for ref in employers), "Bare", "Linked"]
    enriched = [one(people, BOTH, name=name) for name in named]
    assert [result["name"] for result, _ in enriched] == named
    assert [cost for _, cost in enriched] == [0, 0, 0, 1]
    ids = [result["id"] for result, _ in enriched]
    assert people.post(ENRICH, {"ids": ids}).json()["billing"]["creditsCharged"] == 0


def test_the_base_is_charged_once_a_company_has_more_than_name_and_domain(people):
    young = Company(name="Young", domain="young.example")
    load_companies(people.database, "test", [("young", young)])
    assert one(people, BOTH, name="Young")[1] == 0
    load_companies(people.database, "test", [("young", msgspec.structs.replace(young, year_founded=1999))])
    result, cost = one(people, BOTH, name="Young")
    assert (result["yearFounded"], cost) == (1999, 1)


def test_the_base_is_revealed_without_premium_data_when_none_is_named(people):
    result, cost = one(people, BOTH, domain="acme.example")
    assert result["socialLinks"]["facebook"] == "https://facebook.com/acme"
    assert not set(TOKENS) & result.keys()
    assert "openJobs" not in result
    assert cost == 1


def test_every_token_reveals_its_field_and_costs_one_credit(people):
    result, cost = one(people, BOTH, reveal=TOKENS, domain="acme.example")
    assert cost == 1 + len(TOKENS)
    assert result["employeesByDepartment"] == [{"department": "Sales", "count": 3}]
    assert result["employeesByLocation"] == [{"country": "United States", "count": 3}]
    assert result["employeesBySeniority"] == [{"seniority": "Manager", "count": 1}]
    (rival,) = result["competitors"]
    assert (rival["name"], rival["domain"]) == ("Rival", "rival.example")
    assert result["intent"] == {"detectedTopics": [], "topicCount": 0}
    assert result["estimatedAnnualItSpend"] == {"value": 5.0, "currency": "EUR", "valueUsd": 5.5}
    assert result["monthlyWebsiteTraffic"] == {"visits": 100.0, "month": "2026-08"}
    assert set(result["openJobs"]) == {"total", "byDepartment", "byLocation", "bySeniority"}
    assert (result["directParent"]["name"], result["directParent"]["hqCountry"]) == ("Holding", "Germany")
    assert result["ultimateParent"]["name"] == "Top"


def test_ownership_is_null_and_free_for_an_independent_company(people):
    result, cost = one(people, BOTH, reveal=["directParent", "ultimateParent"], domain="rival.example")
    assert (result["directParent"], result["ultimateParent"]) == (None, None)
    assert cost == 0


def test_a_single_level_of_ownership_names_the_same_owner_twice(people):
    result, _ = one(people, BOTH, reveal=["directParent", "ultimateParent"], domain="holding.example")
    assert result["directParent"] == result["ultimateParent"]
    assert result["directParent"]["name"] == "Top"


def test_an_owner_can_be_enriched_by_the_id_it_is_named_with(people):
    result, _ = one(people, BOTH, reveal=["directParent"], domain="acme.example")
    owner = people.post(ENRICH, {"ids": [result["directParent"]["lushaCompanyId"]]}).json()["results"][0]
    assert owner["name"] == "Holding"


def test_the_parent_is_shown_only_if_reveal_names_it(people):
    result, _ = one(people, BOTH, reveal=["ultimateParent"], domain="acme.example")
    assert "directParent" not in result


def test_an_empty_reveal_shows_the_preview_for_free(people):
    result, cost = one(people, BOTH, reveal=[], domain="acme.example")
    assert "socialLinks" in result
    assert "facebook" not in result["socialLinks"]
    assert cost == 0


def test_paid_tokens_are_free_again_and_others_are_not(people):
    one(people, BOTH, reveal=["openJobsTotal"], domain="acme.example")
    assert one(people, BOTH, reveal=["openJobsTotal", "intent"], domain="acme.example")[1] == 1
    assert one(people, BOTH, reveal=["openJobsTotal", "intent"], domain="acme.example")[1] == 0


def test_stock_symbols_are_never_answered(people):
    answer = people.post(BOTH, {"companies": [{"domain": "acme.example"}], "reveal": TOKENS})
    assert '"ACME"' not in answer.text


def test_an_unknown_token_is_refused_with_its_path(people):
    answer = people.post(BOTH, {"companies": [{"name": "Acme"}], "reveal": ["ipoDate"]})
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("reveal.0 must be one of")


@pytest.fixture(scope="module")
def printers(directory):
    """Store companies whose names have letters that may be transcribed, and a person."""
    names = ["Koenig & Bauer AG", "Jäger & Söhne", "Blue Works", "Mueller", "Muller"]
    load_companies(directory.database, "printers", [Company(name=name) for name in names])
    load_contacts(directory.database, "printers", [contact("Ida", "Ring", company="Koenig & Bauer AG")])


@pytest.mark.usefixtures("printers")
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("König & Bauer", "Koenig & Bauer AG"),
        ("Konig und Bauer", "Koenig & Bauer AG"),
        ("Jaeger & Soehne", "Jäger & Söhne"),
        ("Jager & Sohne", "Jäger & Söhne"),
        ("Blu Works", "Blue Works"),
        ("Mueller", "Mueller"),
        ("Muller AG", "Muller"),
        ("Müller", "Muller"),
    ],
)
def test_names_match_across_the_ways_of_writing_umlauts(people, query, name):
    assert one(people, name=query)[0].get("name") == name


@pytest.mark.usefixtures("printers")
def test_people_are_found_at_employers_across_the_ways_of_writing_umlauts(people):
    item = {"firstName": "Ida", "lastName": "Ring", "companyName": "König & Bauer"}
    answer = people.post("/v3/contacts/search", {"contacts": [item]}).json()
    assert answer["results"][0]["lastName"] == "Ring"


@pytest.mark.parametrize(
    ("firms", "is_first"), [(("East", "Alpha", "Omega"), True), (("West", "Delta", "Sigma"), False)]
)
def test_stated_owners_keep_their_roles_whichever_record_is_older(people, firms, is_first):
    owned, direct, ultimate = (
        Company(name=name, domain=f"{name.lower()}.example", keywords=["x"]) for name in firms
    )
    owned = msgspec.structs.replace(
        owned,
        direct_parent=CompanyRef(domain=direct.domain),
        ultimate_parent=CompanyRef(name=ultimate.name),
    )
    records = [owned, direct, ultimate]
    load_companies(people.database, "a", records if is_first else records[::-1])
    owners = ["directParent", "ultimateParent"]
    result, cost = one(people, BOTH, reveal=owners, domain=owned.domain)
    assert [result[owner]["name"] for owner in owners] == [direct.name, ultimate.name]
    assert cost == 3


def test_an_owner_in_both_roles_and_one_found_by_the_walk_are_named(people):
    both = {
        "direct_parent": CompanyRef(name="Summit"),
        "ultimate_parent": CompanyRef(domain="summit.example"),
    }
    load_companies(
        people.database,
        "a",
        [
            Company(name="Summit", domain="summit.example"),
            Company(name="Middle", domain="middle.example", **both),
            Company(name="Low", domain="low.example", direct_parent=CompanyRef(name="Middle")),
        ],
    )
    for domain, expected in (("middle", ["Summit", "Summit"]), ("low", ["Middle", "Summit"])):
        result, _ = one(people, BOTH, reveal=["directParent", "ultimateParent"], domain=f"{domain}.example")
        assert [result[owner]["name"] for owner in ("directParent", "ultimateParent")] == expected
