"""Hosts that many share (docs/reference/records.md#shared-hosts)."""

from importlib.resources import files

import pytest

from firmograph.directory.shared_hosts import company_host, domain_forms, is_page_of_many

pytestmark = pytest.mark.no_database

TABLE = files("firmograph.directory").joinpath("data/shared_hosts.tsv").read_text("utf-8")
ENTRIES = [line.split("\t") for line in TABLE.splitlines() if line and not line.startswith("#")]


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
def test_a_host_that_many_share_is_no_domain_of_a_company_there(address):
    assert company_host(address, "Anna's Bakery") is None


def test_no_host_of_the_table_is_a_strangers_domain():
    hosts = [host.removeprefix(".") for host, *_ in ENTRIES]
    assert len(hosts) >= 100
    assert [host for host in hosts if company_host(host, "Anna's Bakery")] == []


def test_each_owner_has_its_host():
    owned = [(host.removeprefix("."), name) for host, names in ENTRIES for name in names.split(";")]
    assert [pair for pair in owned if company_host(*pair) != pair[0]] == []


@pytest.mark.parametrize("name", ["Etsy, Inc.", "ETSY", None])
def test_a_bare_host_is_the_domain_of_its_owner_and_of_a_row_without_a_name(name):
    assert company_host("https://www.etsy.com/", name) == "etsy.com"
    assert company_host("https://www.etsy.com/shop/x", name) is None


def test_a_host_below_is_its_owners_alone():
    assert company_host("careers.etsy.com", "Etsy Inc") == "careers.etsy.com"
    assert company_host("careers.etsy.com", None) is None


def test_free_mail_without_an_owner_is_nobodys():
    assert company_host("gmail.com", None) is None
    assert company_host("gmail.com", "Google") is None


def test_a_host_below_free_mail_is_a_host_like_others():
    assert company_host("zeenews.india.com", "Zee Media") == "zeenews.india.com"


def test_another_host_is_a_domain_whatever_the_path():
    assert company_host("https://acme.example/en/home?x=1", "Acme") == "acme.example"


def test_a_placeholder_is_no_host():
    assert company_host("https://none.com", None) is None


def test_a_host_is_found_by_the_registrable_domain_unless_many_share_it():
    assert domain_forms("shop.acme.co.uk") == ("shop.acme.co.uk", "acme.co.uk")
    assert domain_forms("acme.github.io") == ("acme.github.io",)
    assert is_page_of_many("etsy.com/shop/annas")
    assert not is_page_of_many("etsy.com")
