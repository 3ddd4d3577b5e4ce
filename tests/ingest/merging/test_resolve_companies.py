import msgspec
import pytest

from firmograph.directory.records import Company, CompanyRef
from firmograph.ingest.summary import Summary
from record_factory import contact, load_companies, load_contacts
from stored_records import employers, head, parents, stored_companies


def company(**fields):
    return msgspec.convert(fields, Company)


def test_the_same_file_twice_changes_nothing(database):
    rows = [
        ("1", company(name="Acme", domain="acme.example", parents=[{"name": "Hold"}])),
        company(name="Hold", domain="hold.example"),
        company(name="Named"),
    ]
    load_companies(database, "a", rows)
    before = head(database)
    assert load_companies(database, "a", rows) == Summary(read=3, unchanged=3)
    assert head(database) == before


def test_an_exact_host_joins_the_rows_of_two_sources(database):
    load_companies(database, "a", [company(name="Acme", domain="acme.example", technologies=["Go"])])
    load_companies(database, "b", [company(name="ACME Inc", domain="acme.example", technologies=["Rust"])])
    (record,) = stored_companies(database).values()
    assert sorted(record.technologies) == ["Go", "Rust"]


def test_two_hosts_of_one_registrable_domain_are_two_companies(database):
    load_companies(
        database, "a", [company(name="Shop", domain="shop.acme.example"), company(domain="acme.example")]
    )
    assert len(stored_companies(database)) == 2


US = {"countryIso2": "US", "country": "United States"}
DE = {"countryIso2": "DE", "country": "Germany"}


def test_name_and_country_join_companies_without_a_domain(database):
    load_companies(database, "a", [company(name="Acme Inc", location=US)])
    load_companies(database, "b", [company(name="ACME", location=US)])
    load_companies(database, "c", [company(name="Acme", location=DE)])
    assert len(stored_companies(database)) == 2


def test_a_row_without_a_domain_joins_the_company_of_its_name_and_country_that_has_one(database):
    load_companies(database, "a", [company(name="Acme Inc", location=US, domain="acme.example")])
    load_companies(database, "a", [company(name="Acme Inc", location=DE, domain="acme.test")])
    load_companies(database, "b", [company(name="ACME", location=US, yearFounded=1999)])
    assert [(one.domain, one.year_founded) for one in stored_companies(database).values()] == [
        ("acme.example", 1999),
        ("acme.test", None),
    ]


def test_a_row_with_a_domain_joins_the_company_of_its_name_and_country_that_has_none(database):
    load_companies(database, "a", [company(name="Acme Inc", location=US, yearFounded=1999)])
    load_companies(database, "b", [company(name="ACME", location=US, domain="acme.example")])
    (record,) = stored_companies(database).values()
    assert (record.domain, record.year_founded) == ("acme.example", 1999)


def test_a_name_and_country_shared_by_two_companies_join_no_row(database):
    load_companies(
        database, "a", [company(name="Acme", location=US, domain=f"{one}.example") for one in ("one", "two")]
    )
    load_companies(database, "b", [company(name="Acme", location=US)])
    assert len(stored_companies(database)) == 3


@pytest.mark.parametrize("stored", [[US], [US, DE]], ids=["one company", "two companies"])
def test_a_row_without_a_country_joins_the_only_company_of_its_name_anywhere(database, stored):
    rows = [company(name="Acme", location=at, domain=f"acme{n}.example") for n, at in enumerate(stored)]
    load_companies(database, "a", rows)
    load_companies(database, "b", [company(name="Acme")])
    assert len(stored_companies(database)) == {1: 1, 2: 3}[len(stored)]


def test_a_row_of_a_country_does_not_join_a_company_named_with_a_domain_and_no_country(database):
    load_companies(
        database, "a", [company(name="Institute", parents=[CompanyRef(name="Acme", domain="acme.example")])]
    )
    load_companies(database, "b", [company(name="Acme", location=US, yearFounded=1999)])
    stored = [(one.name, one.domain, one.year_founded) for one in stored_companies(database).values()]
    assert sorted(stored, key=str) == [
        ("Acme", "acme.example", None),
        ("Acme", None, 1999),
        ("Institute", None, None),
    ]


def test_name_and_country_do_not_join_companies_with_different_linkedin_pages(database):
    for source, page, domain in (("a", "acme", "acme.example"), ("b", "acme-tools", None)):
        links = {"linkedin": f"https://www.linkedin.com/company/{page}"}
        load_companies(
            database, source, [company(name="Acme", location=US, domain=domain, socialLinks=links)]
        )
    assert len(stored_companies(database)) == 2


def test_name_and_country_do_not_join_two_ids_of_one_source(database):
    with_domain = company(name="Acme", location=US, domain="acme.example")
    load_companies(database, "a", [("1", with_domain), ("2", company(name="Acme", location=US))])
    assert len(stored_companies(database)) == 2


def test_a_row_joined_by_name_is_recognised_when_its_record_has_another_name(database):
    rows = [
        company(name="Acme", location=US),
        company(name="Acme", location=US, domain="acme.example"),
        company(name="Acme Group", location=US, domain="acme.example"),
    ]
    load_companies(database, "a", rows)
    assert load_companies(database, "a", rows).unchanged == 3


def test_a_fuller_row_absorbs_the_stub_and_keeps_its_contacts(database):
    load_contacts(database, "a", [contact(company=CompanyRef(domain="acme.example"))])
    summary = load_companies(database, "a", [company(name="Acme", domain="acme.example")])
    assert summary.created == 1
    (record,) = stored_companies(database).values()
    assert (record.name, record.stub) == ("Acme", False)
    assert employers(database) == [("Doe", "Acme")]


def test_a_stub_with_only_a_name_is_absorbed_by_its_name(database):
    load_contacts(database, "a", [contact(company="Acme")])
    load_companies(database, "a", [company(name="Acme, Inc.", domain="acme.example")])
    assert employers(database) == [("Doe", "Acme, Inc.")]


@pytest.mark.parametrize("spelling", ["König & Bauer", "Koenig & Bauer"])
def test_a_stub_with_an_umlaut_in_its_name_is_absorbed_by_either_spelling(database, spelling):
    load_contacts(database, "a", [contact(company="König & Bauer")])
    load_companies(database, "a", [company(name=spelling, domain="koenig.example")])
    assert employers(database) == [("Doe", spelling)]
    assert len(stored_companies(database)) == 1


def test_an_employer_is_linked_by_a_unique_name_or_alias(database):
    load_companies(
        database, "a", [company(name="Acme", domain="acme.example", alternativeNames=["Acme Rockets"])]
    )
    load_contacts(
        database, "a", [contact(company="ACME Inc."), contact("Bob", "Ray", company="acme rockets")]
    )
    assert employers(database) == [("Doe", "Acme"), ("Ray", "Acme")]


def test_a_name_shared_by_two_companies_links_to_neither(database):
    load_companies(database, "a", [company(name="Acme", domain=f"{n}.example") for n in "ab"])
    load_contacts(database, "a", [contact(company="Acme"), contact("Bob", "Ray", company="Acme")])
    companies = stored_companies(database)
    assert len(companies) == 3
    assert companies[3].stub


def test_owners_are_linked_across_the_file_in_any_order(database):
    sub = ("1", company(name="Sub", domain="sub.example", parents=[{"name": "Top", "domain": "top.example"}]))
    top = ("2", company(name="Top", domain="top.example"))
    load_companies(database, "a", [sub, top])
    stored = {record.name: number for number, record in stored_companies(database).items()}
    assert parents(database) == [(stored["Sub"], stored["Top"])]
    assert not stored_companies(database)[stored["Top"]].stub


def test_an_owner_removed_from_the_row_is_removed_from_the_record(database):
    load_companies(
        database, "a", [("1", company(name="Sub", domain="sub.example", parents=[{"name": "Top"}]))]
    )
    load_companies(database, "a", [("1", company(name="Sub", domain="sub.example"))])
    assert parents(database) == []


def test_a_company_does_not_own_itself(database):
    load_companies(database, "a", [company(name="Acme", domain="acme.example", parents=[{"name": "Acme"}])])
    assert parents(database) == []
    (row,) = database.session().raw.execute("SELECT tokens FROM companies")
    assert row == (0,)


def test_a_key_of_another_company_stays_with_it(database):
    url = "https://www.linkedin.com/company/acme"
    load_companies(
        database,
        "a",
        [company(name="A", socialLinks={"linkedin": url}), company(name="B", domain="b.example")],
    )
    row = company(name="A2", socialLinks={"linkedin": url}, domain="b.example")
    assert load_companies(database, "b", [row]).conflicts == 1
    load_contacts(database, "a", [contact(company=CompanyRef(domain="b.example"))])
    assert employers(database) == [("Doe", "B")]


@pytest.mark.parametrize(
    ("one", "other"), [("König & Bauer AG", "Koenig & Bauer"), ("Brønlund", "Broenlund ApS")]
)
@pytest.mark.parametrize("turned", [False, True])
def test_names_with_umlauts_match_their_transcriptions(database, one, other, turned):
    names = [other, one] if turned else [one, other]
    for source, name in zip("ab", names, strict=True):
        load_companies(database, source, [company(name=name)])
    load_contacts(database, "c", [contact(company=names[1])])
    assert len(stored_companies(database)) == 1


@pytest.mark.parametrize(("one", "other"), [("Blue", "Blu"), ("Mueller", "Muller")])
def test_possible_transcriptions_stay_two_companies(database, one, other):
    load_companies(database, "a", [company(name=one)])
    load_companies(database, "b", [company(name=other)])
    assert len(stored_companies(database)) == 2
