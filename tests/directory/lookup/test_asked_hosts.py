"""Companies that answer for a requested host (docs/reference/lookups.md#hosts)."""

from pathlib import Path

import pytest

from firmograph.directory.host_keys import host_keys, stored_host_keys
from firmograph.directory.identity import Digests
from record_factory import KEYRING

pytestmark = pytest.mark.no_database

TABLE = Path(__file__).with_name("asked_hosts.tsv").read_text("utf-8")
CASES = [tuple(line.split("\t")) for line in TABLE.splitlines() if not line.startswith("#")]

SUFFIXES = """
    uk.com us.com eu.com de.com gb.net jpn.com za.com br.com cn.com ru.com sa.com se.net uk.net jp.net in.net
    hu.net com.de co.com co.nl github.io gitlab.io herokuapp.com vercel.app netlify.app web.app firebaseapp.com
    pages.dev workers.dev fly.dev onrender.com azurewebsites.net myshopify.com blogspot.com
    co.uk org.uk com.au co.nz co.jp com.br co.in com.mx co.za com.sg com.tr com.cn co.kr ac.uk edu.au com.ar
""".split()
"""Suffixes below which anybody can have a name."""

DIGESTS = Digests(KEYRING)


class Companies:
    """Companies by their keys, each with one or more domains."""

    def __init__(self, *companies: list[str]) -> None:
        self.by_key: dict[bytes, list[str]] = {}
        for own, *others in companies:
            for key in {DIGESTS.company_host(own), *stored_host_keys(DIGESTS, [own, *others])}:
                self.by_key.setdefault(key, []).append(own)

    def answer(self, host: str) -> str | None:
        found = host_keys(DIGESTS, host).answer(self.by_key)
        return found[0] if len(found) == 1 else None

    def employers(self, host: str) -> list[str]:
        return sorted(host_keys(DIGESTS, host).employers(self.by_key))

    def excluded(self, host: str) -> list[str]:
        return sorted(host_keys(DIGESTS, host).named(self.by_key))


@pytest.mark.parametrize(("asked", "answer", "held", "kind"), CASES, ids=[" ".join(case) for case in CASES])
def test_a_host_is_answered_for_by(asked, answer, held, kind):
    companies = Companies(*(one.split("+") for one in held.split()))
    assert companies.answer(asked) == (None if answer == "-" else answer)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_look_up_leads_across_a_public_suffix(suffix):
    companies = Companies([f"alphaworks.{suffix}"])
    for asked in (f"gammamills.{suffix}", suffix):
        assert companies.answer(asked) is None
        assert companies.employers(asked) == []
        assert companies.excluded(asked) == []
    assert companies.answer(f"alphaworks.{suffix}") == f"alphaworks.{suffix}"


def test_an_employer_at_a_registrable_domain_may_be_any_company_below_it():
    companies = Companies(["law.stanford.example"], ["cs.stanford.example"])
    assert companies.employers("stanford.example") == ["cs.stanford.example", "law.stanford.example"]
    assert companies.employers("cs.stanford.example") == ["cs.stanford.example"]
    assert companies.employers("med.stanford.example") == []


def test_an_employer_at_a_held_host_is_its_company_alone():
    companies = Companies(["stanford.example"], ["law.stanford.example"])
    assert companies.employers("stanford.example") == ["stanford.example"]
    assert companies.employers("med.stanford.example") == ["stanford.example"]


def test_an_exclusion_names_every_holder_of_exactly_the_host():
    companies = Companies(["acme.example"], ["other.example", "acme.example"], ["blog.acme.example"])
    assert companies.excluded("acme.example") == ["acme.example", "other.example"]
    assert companies.excluded("shop.acme.example") == []


def test_an_exclusion_of_a_registrable_domain_that_nobody_holds_names_all_companies_below_it():
    companies = Companies(["law.stanford.example"], ["cs.stanford.example"])
    assert companies.excluded("stanford.example") == ["cs.stanford.example", "law.stanford.example"]
    assert companies.excluded("med.stanford.example") == []
