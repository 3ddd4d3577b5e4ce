"""Options of `firmograph prospect`, which find the same as the filters of the API."""

import shlex

import pytest
from prospect_command import misused, names, refusal

from firmograph.cli.prospect.filters import COMPANIES, CONTACTS, FILTERS
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--title engineer", "Bea Cy"),
        ("--title sales --title engineer", "Ann Bea Cy Dee"),
        ("--title engineer --country US", "Bea"),
        ("--exclude-title engineer", "Ann Dee"),
        ("--exact-title vp", ""),
        ("--exact-title 'vp of sales'", "Ann"),
        ("--normal-title 'Vice President Sales'", "Ann"),
        ("--name ann", "Ann"),
        ("--department Sales", "Ann Dee"),
        ("--seniority VP --seniority Manager", "Ann Dee"),
        ("--seniority 8", "Ann"),
        ("--skill go", "Bea"),
        ("--has phone", "Ann Dee"),
        ("--has phone --has work_email --all-has", "Ann"),
        ("--country Germany", "Cy Dee"),
        ("--grouping DACH", "Cy Dee"),
        ("--country US --country DE --city Austin --city Berlin", "Bea Cy Dee"),
        ("--country DE --city Austin", ""),
        ("--state Ohio", "Ann"),
        ("--title sales --title engineer --exclude-country DE --exclude-city Austin", "Ann"),
        ("--company acme", "Ann Bea"),
        ("--domain birch.example.com", "Cy Dee"),
        ("--size 100-200", "Ann Bea"),
        ("--size 51-", "Ann Bea"),
        ("--size -50", "Cy Dee"),
        ("--size 120", "Ann Bea"),
        ("--revenue 20M-1b", "Ann Bea"),
        ("--founded 2010+", "Ann Bea"),
        ("--industry finance", "Cy Dee"),
        ("--industry 17", "Ann Bea"),
        ("--sub-industry 129", "Ann Bea"),
        ("--technology thanos", "Ann Bea Cy Dee"),
        ("--technology thanos --technology 'Argo CD' --all-technologies", "Ann Bea"),
        ("--search 'acme engineer'", "Bea"),
        ("--title sales --exclude-dnc", "Dee"),
        ("--title sales --title engineer --no-partial", "Ann Bea Dee"),
    ],
)
def test_options_find_people(run, words, found):
    assert names(run("contacts", *shlex.split(words), "--json")) == set(found.split())


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--technology thanos", {"Acme Inc", "Birch GmbH"}),
        ("--technology thanos --exclude-technology 'argo cd'", {"Birch GmbH"}),
        ("--country DE", {"Birch GmbH"}),
        ("--title engineer --seniority manager --country DE", set()),
        ("--title sales --has mobile_phone", {"Acme Inc"}),
        ("--search 'acme software'", {"Acme Inc"}),
        ("--company birch --partial", {"Birch GmbH"}),
    ],
)
def test_options_find_companies(run, words, found):
    assert names(run("companies", *shlex.split(words), "--json")) == found


EXAMPLES = {"--size": "1-5", "--revenue": "1-5", "--founded": "1-5", "--domain": "example.com"} | {
    "--department": "Sales", "--seniority": "Director", "--has": "phone", "--industry": "1", "--sub-industry": "1"
}  # fmt: skip


@pytest.mark.parametrize("entity", Entity)
def test_every_filter_option_has_an_excluding_counterpart(run, entity):
    words = [
        word
        for filter in FILTERS[entity]
        if filter.side == CONTACTS
        or entity is Entity.CONTACT
        or filter.option not in ("search", "technology")
        for prefix in ("--", "--exclude-")
        for word in (prefix + filter.option, EXAMPLES.get(f"--{filter.option}", "x"))
    ]
    kind = CONTACTS if entity is Entity.CONTACT else COMPANIES
    assert names(run(kind, *words, "--json")) == set()


# --- wrong usage ---


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--size 51..200", "--size: write MIN-MAX such as 51-200"),
        ("--size -", "--size: write MIN-MAX"),
        ("--exclude-seniority boss", "--exclude-seniority: 'boss' is not a seniority; choose one of Founder"),
        ("--industry 99", "--industry: no main industry has the id 99"),
        ("--sub-industry other", "--sub-industry: 'other' belongs to several main industries"),
        ("--title x --all --limit 5", "--all: cannot be combined with --limit"),
        ("--title x --json --format csv", "--json: cannot be combined with another --format"),
        (
            "--title x --output people",
            "--output: give --format, or a name that ends in .csv, .xlsx or .jsonl",
        ),
        ("--max-per-company 21", "--max-per-company"),
        ("--titel x", "No such option: --titel"),
    ],
)
def test_an_invalid_option_is_named(run, words, message):
    assert message in misused(run("contacts", *words.split()))


def test_values_that_the_filters_refuse_are_named_by_their_path(run):
    message = refusal(run("contacts", "--has", "fax"))
    assert message.startswith("filters.contacts.include.existingDataPoints.0 must be one of: phone, ")
