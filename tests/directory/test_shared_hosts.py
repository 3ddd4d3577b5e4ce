"""Hosts that many share (docs/reference/records.md#shared-hosts)."""

from importlib.resources import files

import pytest

from firmograph.directory.shared_hosts import answering_hosts, company_host, is_page_of_many

pytestmark = pytest.mark.no_database

TABLE = files("firmograph.directory").joinpath("data/shared_hosts.tsv").read_text("utf-8")
ENTRIES = [line.lstrip("*.").split("\t") for line in TABLE.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize(
    "address",
    [
        "https://www.etsy.com/shop/annas", "amazon.com/stores/annas", "https://www.yelp.com/biz/annas", "g.page/annas",
        "https://www.booking.com/hotel/de/annas.html", "facebook.com/annas", "instagram.com/annas", "linktr.ee/annas",
        "boards.greenhouse.io/annas", "jobs.lever.co/annas", "https://www.indeed.com/cmp/annas", "glassdoor.com/annas",
        "https://www.xing.com/pages/annas", "annas.wd5.myworkdayjobs.com/careers", "annas.wixsite.com/home",
        "annas.wordpress.com", "annas.blogspot.com", "annas.squarespace.com", "annas.github.io", "gmail.com", "web.de",
        "sites.google.com/view/annas", "https://maps.google.com/?cid=1", "m.facebook.com/annas", "fr.linkedin.com",
        "0-mail.com", "outlook.com", "etsy.com",
    ],
)  # fmt: skip
def test_a_shared_host_is_not_the_domain_of_a_company_on_it(address):
    assert company_host(address, "Anna's Bakery") is None


def test_no_host_of_the_table_is_the_domain_of_another_company():
    hosts = [host for host, *_ in ENTRIES]
    assert len(hosts) >= 100
    assert [host for host in hosts if company_host(host, "Anna's Bakery")] == []


def test_each_owner_has_its_host():
    owned = [(host, name) for host, names in ENTRIES for name in names.split(";")]
    assert [pair for pair in owned if company_host(*pair) != pair[0]] == []


@pytest.mark.parametrize("name", ["Etsy, Inc.", "ETSY", None])
def test_a_bare_host_is_the_domain_of_its_owner_and_of_a_row_without_a_name(name):
    assert company_host("https://www.etsy.com/", name) == "etsy.com"
    assert company_host("https://www.etsy.com/shop/x", name) is None


def test_a_subdomain_of_the_owner_belongs_to_the_owner_alone():
    assert company_host("jobs.etsy.com", "Etsy Inc") == "jobs.etsy.com"
    assert company_host("jobs.etsy.com", None) is None


@pytest.mark.parametrize(
    "host", ["corporate.walmart.com", "careers.etsy.com", "about.gitlab.com", "investor.fb.com"]
)
def test_a_corporate_subdomain_of_the_owner_is_an_ordinary_host(host):
    assert company_host(f"https://{host}/en", "Anna's Bakery") == host
    assert company_host(host, None) == host
    assert answering_hosts(host) == [host, host.partition(".")[2]]
    assert not is_page_of_many(f"https://{host}/en")


@pytest.mark.parametrize(
    "address",
    [
        "careers.smartrecruiters.com/Annas", "careers.hireology.com/annas", "about.blogspot.com",
        "corporate.wixsite.com", "press.jimdo.com", "careers.myshopify.com", "company.bamboohr.com",
    ],
)  # fmt: skip
def test_every_subdomain_of_a_hosting_provider_is_shared(address):
    assert company_host(address, "Anna's Bakery") is None


def test_country_codes_are_not_subdomains_of_the_owner():
    assert company_host("ir.linkedin.com/company/annas", "Anna's Bakery") is None


@pytest.mark.parametrize(
    "address",
    [
        "annas.pagesperso-orange.fr",
        "blog.naver.com/annas",
        "home.comcast.net/~annas",
        "www1a.biglobe.ne.jp/annas",
    ],
)
def test_pages_at_mail_and_access_providers_are_shared(address):
    assert company_host(address, "Anna's Bakery") is None


def test_an_owners_name_may_have_a_country_in_brackets():
    assert company_host("amazon.com", "Amazon (United States)") == "amazon.com"
    assert company_host("cox.com", "Cox Communications (United States)") == "cox.com"
    assert company_host("amazon.com", "Amazon (Anna's shop)") is None
    assert company_host("amazon.com", "Annas (United States)") is None


def test_free_mail_without_an_owner_is_nobodys_domain():
    assert company_host("gmail.com", None) is None
    assert company_host("gmail.com", "Google") is None


def test_a_subdomain_of_free_mail_is_an_ordinary_host():
    assert company_host("zeenews.india.com", "Zee News") == "zeenews.india.com"


def test_a_subdomain_of_free_mail_is_not_found_by_the_host_of_the_mail():
    assert answering_hosts("annas.za.com") == ["annas.za.com"]


def test_another_host_is_a_domain_whatever_the_path():
    assert company_host("https://acme.example/en/home?x=1", "Acme") == "acme.example"


def test_a_placeholder_is_no_host():
    assert company_host("https://none.com", None) is None


def test_hosts_up_to_the_registrable_domain_answer_for_a_host_unless_it_is_shared():
    assert answering_hosts("a.shop.acme.co.uk") == ["a.shop.acme.co.uk", "shop.acme.co.uk", "acme.co.uk"]
    assert answering_hosts("acme.github.io") == ["acme.github.io"]
    assert answering_hosts("jane.etsy.com") == ["jane.etsy.com"]
    assert is_page_of_many("etsy.com/shop/annas")
    assert not is_page_of_many("etsy.com")
