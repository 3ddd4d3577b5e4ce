"""Values of other providers under the do-not-call registry, deletion lists and suppressions."""

import base64
import hashlib
from itertools import count

import pytest
from fake_providers import FakeProvider, add_contact, balance_of, work

from firmograph.ingest.deletion_lists.service import DeletionLists
from firmograph.ingest.do_not_call.service import DoNotCall
from firmograph.privacy.deletion_lists.list_file import open_lists
from firmograph.privacy.person_reports import PersonReports
from firmograph.privacy.person_search import PersonIdentifier, PersonSearch
from firmograph.privacy.suppression import Suppression
from firmograph.waterfall.providers.types import Found

NUMBERS = count(200)


class Asked:
    """Contact with values of a provider alone."""

    def __init__(self, account, enable, first):
        self.service, index = account, next(NUMBERS)
        self.number, self.email = f"+1202555{index:04}", f"found{index}@people.example.com"
        self.other = f"other{index}@people.example.com"
        self.provider = FakeProvider("alpha", Found(phones=(self.number,), emails=(self.email, self.other)))
        enable(self.provider)
        self.id = add_contact(account, first)

    def ask(self):
        self.enrich()
        work(self.service)
        return self

    def enrich(self, service=None):
        body = {"ids": [self.id], "reveal": ["emails", "phones"]}
        return (service or self.service).post("/v3/contacts/enrich", body).json()["results"][0]

    def marks(self, service=None):
        return [each["doNotCall"] for each in self.enrich(service)["phones"]]

    def emails(self):
        return [each["email"] for each in self.enrich()["emails"]]


@pytest.fixture
def registry(module_service):
    return module_service.installation.get(DoNotCall)


@pytest.fixture
def drop(module_service, tmp_path):
    """Return a function that applies a list of an address or of a number's last ten digits."""

    def apply(identifier):
        digest = hashlib.sha256(identifier.encode()).digest()
        file = tmp_path / "list.csv"
        file.write_text(f"ID,Hash\n1,{base64.b64encode(digest).decode()}\n")
        module_service.installation.get(DeletionLists).apply(open_lists(file), shared=False)

    return apply


def test_a_value_that_comes_in_carries_the_mark_of_the_registry(account, enable, registry):
    asked = Asked(account, enable, "Mia")
    registry.add([asked.number], "privacy dnc add")
    assert asked.ask().marks() == [True]


def test_values_that_are_held_are_marked_when_the_registry_changes(account, enable, registry):
    asked = Asked(account, enable, "Nia").ask()
    assert asked.marks() == [False]
    registry.add([asked.number], "privacy dnc add")
    assert asked.marks() == [True]
    registry.remove([asked.number], "privacy dnc remove")
    assert asked.marks() == [False]


def test_a_value_on_a_deletion_list_is_dropped_as_it_comes_in(account, enable, drop):
    asked = Asked(account, enable, "Oda")
    drop(asked.number[-10:])
    drop(asked.email)
    asked.ask()
    assert (asked.marks(), asked.emails()) == ([], [asked.other])


def test_values_that_are_held_go_when_a_list_names_them(account, enable, drop):
    asked = Asked(account, enable, "Pia").ask()
    drop(asked.email)
    assert (asked.marks(), asked.emails()) == ([False], [asked.other])
    drop(asked.number[-10:])
    assert asked.marks() == []


def test_a_suppressed_address_of_a_value_alone_is_found_and_removed_and_stays_paid(account, enable):
    asked = Asked(account, enable, "Ria").ask()
    suppression = account.installation.get(Suppression)
    person = suppression.person(email=asked.email)
    (found,) = account.installation.get(PersonSearch).find(PersonIdentifier(email=asked.email))
    report = account.installation.get(PersonReports).read(found.people)
    assert [each.place for each in report.places] == ["values of providers"]
    assert asked.other not in str(report.places)
    before = balance_of(account)
    assert suppression.suppress(person) == 0
    assert asked.emails() == [asked.other]
    assert (len(asked.provider.asked), balance_of(account)) == (2, before)


def test_a_contact_is_found_by_a_number_of_its_value_alone_with_the_provider_as_recipient(account, enable):
    asked = Asked(account, enable, "Sia").ask()
    (found,) = account.installation.get(PersonSearch).find(PersonIdentifier(phone=asked.number))
    report = account.installation.get(PersonReports).read(found.people)
    assert [record.id for record in report.records] == [asked.id]
    providers = [(each.name, each.account) for each in report.recipients if each.kind == "provider"]
    assert providers == [("alpha", None)]
