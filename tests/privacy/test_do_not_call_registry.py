"""The do-not-call registry: marks over HTTP, in the index, in tables, in imports and in restored copies."""

from itertools import count

import pytest

from firmograph.directory.records import Phone
from firmograph.ingest.do_not_call.service import DoNotCall
from firmograph.ingest.merging.store import last_change
from firmograph.ingest.service import Importer
from firmograph.kit.clock import SetClock
from firmograph.privacy.do_not_call.registry import numbers_on_do_not_call
from firmograph.prospecting.engines.factory import ServedSearch
from index_fixtures import is_applied
from record_factory import DIGESTS, KEYRING, contact, load_contacts, prepared_contact
from stored_records import stored_contacts

PEOPLE = count(1)


class Person:
    """A person with a number of her own."""

    def __init__(self, service, *, mark=False):
        self.service, index = service, next(PEOPLE)
        self.number = f"+1202555{index:04}"
        self.email, self.last = f"p{index}@acme.example", f"Person{index}"
        phone = Phone(self.number, type="mobile", do_not_call=mark)
        self.record = contact("Ann", self.last, emails=[self.email], phones=[phone])
        self.load()

    def load(self, source="crm"):
        return load_contacts(self.service.database, source, [self.record])

    def phones(self):
        found = self.service.post(
            "/v3/contacts/search-and-enrich", {"contacts": [{"email": self.email}], "reveal": ["phones"]}
        )
        return found.json()["results"][0]["phones"]

    def is_marked(self):
        (phone,) = self.phones()
        return phone["doNotCall"]

    def older(self):
        answer = self.service.post("/v2/person", {"contacts": [{"contactId": "1", "email": self.email}]})
        (phone,) = answer.json()["contacts"]["1"]["data"]["phoneNumbers"]
        return phone["doNotCall"]

    def is_found(self, *, exclude):
        body = {
            "filters": {"contacts": {"include": {"searchText": self.last}}},
            "options": {"excludeDnc": exclude},
        }
        answer = self.service.post("/v3/contacts/prospecting", body).json()
        return len(answer["results"]), answer["pagination"]["total"]


@pytest.fixture
def registry(shared_service):
    return shared_service.installation.get(DoNotCall)


@pytest.fixture
def person(shared_service):
    return Person(shared_service.with_account())


def followed(service):
    with service.database.read() as session:
        last = last_change(session)
    assert is_applied(service.installation.get(ServedSearch).active, last, 30)


def test_a_number_carries_the_mark_in_both_generations_until_it_is_removed(registry, person):
    assert (person.is_marked(), person.older()) == (False, False)
    assert registry.add([person.number, "+12025559999"], "privacy dnc add") == (2, 2, 1)
    assert (person.is_marked(), person.older()) == (True, True)
    assert registry.remove([person.number, "+12025559999"], "privacy dnc remove") == (2, 2, 1)
    assert (person.is_marked(), person.older()) == (False, False)


def test_excluded_contacts_are_left_out_before_and_after_the_index_follows(registry, person):
    followed(person.service)
    assert person.is_found(exclude=True) == (1, 1)
    registry.add([person.number], "privacy dnc add")
    assert person.is_found(exclude=True) == (0, 0)
    assert person.is_found(exclude=False) == (1, 1)
    followed(person.service)
    assert person.is_found(exclude=True) == (0, 0)
    registry.remove([person.number], "privacy dnc remove")
    followed(person.service)
    assert person.is_found(exclude=True) == (1, 1)


def test_imports_mark_new_and_changed_contacts(registry, shared_service, person):
    later = Person(shared_service.with_account())
    registry.add([person.number, later.number], "privacy dnc add")
    person.record.skills = ["go"]
    assert person.load().updated == 1
    assert person.is_marked()
    registry.remove([later.number], "privacy dnc remove")
    assert not later.is_marked()
    registry.add(["+12025550999"], "privacy dnc add")
    person.record.phones.append(Phone("+12025550999"))
    person.load("other")
    assert [phone["doNotCall"] for phone in person.phones()] == [True, True]


def test_a_contact_that_is_new_has_the_mark_of_its_number(registry, shared_service):
    registry.add(["+12025550888"], "privacy dnc add")
    record = contact("Zoe", "New", emails=["zoe@new.example"], phones=[Phone("+12025550888")])
    load_contacts(shared_service.database, "crm", [record])
    (found,) = [
        one for one, _ in stored_contacts(shared_service.database).values() if one.first_name == "Zoe"
    ]
    assert found.phones[0].do_not_call


def test_an_unchanged_row_of_a_marked_contact_changes_nothing(registry, person):
    registry.add([person.number], "privacy dnc add")
    assert person.load().unchanged == 1
    assert registry.add([person.number], "privacy dnc add") == (1, 0, 0)


def test_the_mark_of_a_row_stays_when_the_number_leaves_the_registry(registry, shared_service):
    index = next(PEOPLE)
    number = f"+1202555{index:04}"
    row = prepared_contact(
        contact("Ann", "Own", emails=[f"p{index}@acme.example"], phones=[Phone(number)]), "crm"
    )
    row.marks = {number: True}
    row.fragments = row.fragments._replace(phones=row.fragments.phones.replace(b":false", b":true"))
    importer = Importer(shared_service.database, KEYRING, SetClock(), "crm")
    list(importer.import_contacts([row]))
    assert registry.add([number], "privacy dnc add").contacts == 0
    assert registry.remove([number], "privacy dnc remove").contacts == 0
    (found,) = [one for one, _ in stored_contacts(shared_service.database).values() if one.last_name == "Own"]
    assert found.phones[0].do_not_call


def test_packages_ask_for_numbers(registry, shared_service):
    registry.add(["+12025550777"], "privacy dnc add")
    with shared_service.database.read() as session:
        listed = numbers_on_do_not_call(session, DIGESTS, ["+12025550777", "+12025550778"])
    assert listed == {"+12025550777"}


def test_the_registry_shows_counts_by_day_alone(registry, shared_service):
    before = {each.day: each.numbers for each in registry.counts()}
    registry.add(["+12025550555", "+12025550556", "+12025550555"], "privacy dnc import")
    ((day, numbers),) = {each.day: each.numbers for each in registry.counts()}.items() - before.items()
    assert numbers == before.get(day, 0) + 2
