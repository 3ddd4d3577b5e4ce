"""Suppressed people in look-ups and imports. Each test suppresses people of its own, whose last names differ."""

from typing import NamedTuple

import pytest
from demo_people import ACME

from firmograph.security.record_ids import Entity, RecordIds
from installation_factory import make_suppression
from record_factory import KEYRING, contact, load_contacts

LAST_NAMES = iter(
    "Adler Birch Cramer Dunbar Eklund Falk Gruber Hansen Ibarra Kovacs Lindgren Moreau Novak Olsen".split()
)


class Jane(NamedTuple):
    """A person at Acme who is in no other test."""

    last_name: str

    @property
    def source_id(self):
        return f"jane-{self.last_name}"

    @property
    def email(self):
        return f"jane@{self.last_name.lower()}.example"

    @property
    def url(self):
        return f"https://www.linkedin.com/in/jane-{self.last_name.lower()}"

    def contact(self, **fields):
        return contact("Jane", self.last_name, **fields)


@pytest.fixture(scope="module")
def suppression(directory):
    return make_suppression(directory.database, KEYRING, directory.clock)


@pytest.fixture
def jane(directory):
    jane = Jane(next(LAST_NAMES))
    record = jane.contact(
        emails=[jane.email], linkedin=jane.url, company=ACME, title="Chief Executive Officer"
    )
    load_contacts(directory.database, "test", [(jane.source_id, record)])
    return jane


def code(people, **item):
    (result,) = people.post("/v3/contacts/search", {"contacts": [item]}).json()["results"]
    return result.get("error", {}).get("code", "found")


def token_of(people, jane):
    body = people.post("/v3/contacts/search", {"contacts": [{"linkedinUrl": jane.url}]}).json()
    return body["results"][0]["id"]


@pytest.mark.parametrize("by", ["email", "linkedin", "id"])
def test_a_person_suppressed_by_any_identifier_is_missing_at_the_next_request(people, suppression, jane, by):
    token = token_of(people, jane)
    named = {"firstName": "Jane", "lastName": jane.last_name, "companyName": "Acme"}
    assert code(people, **named) == "found"
    given = {"email": jane.email, "linkedin": jane.url, "id": token}
    assert suppression.suppress(suppression.person(**{by: given[by]})) == 1
    assert code(people, email=jane.email) == "COMPLIANCE_RESTRICTED"
    assert code(people, linkedinUrl=jane.url) == "COMPLIANCE_RESTRICTED"
    assert code(people, id=token) == "COMPLIANCE_RESTRICTED"
    assert code(people, **named) == "NOT_FOUND"


def test_look_ups_by_any_address_of_a_suppressed_mailbox_are_restricted(people, suppression, jane):
    suppression.suppress(suppression.person(email=jane.email))
    variants = [jane.email.replace("@", tag) for tag in ("+news@", "+a+b@", "+1@")]
    assert {code(people, email=each) for each in variants} == {"COMPLIANCE_RESTRICTED"}
    assert code(people, email=jane.email.replace("jane", "janet")) == "NOT_FOUND"


def test_a_mailbox_at_gmail_is_restricted_whatever_its_dots(people, suppression):
    suppression.suppress(suppression.person(email="rita.moe@gmail.com"))
    for variant in ("ritamoe@gmail.com", "r.i.t.a.m.o.e+x@googlemail.com", "Rita.Moe@GoogleMail.com"):
        assert code(people, email=variant) == "COMPLIANCE_RESTRICTED"
    assert code(people, email="rita.moe@gmail.example") == "NOT_FOUND"


def test_a_mailbox_answers_no_look_up(people, jane):
    assert code(people, email=jane.email.replace("@", "+news@")) == "NOT_FOUND"


def test_a_holder_of_a_variant_whose_names_contradict_answers(people, suppression, jane):
    variant = jane.email.replace("@", "+bob@")
    load_contacts(people.database, "test", [contact("Bob", "Quist", emails=[variant])])
    suppression.suppress(suppression.person(email=jane.email))
    assert code(people, email=variant) == "found"
    assert code(people, email=jane.email) == "COMPLIANCE_RESTRICTED"
    again = load_contacts(people.database, "test", [contact("Bob", "Quist", emails=[variant], title="Clerk")])
    assert (again.suppressed, again.updated) == (0, 1)


def test_no_trace_of_the_person_remains_in_the_records(people, suppression, jane):
    number = RecordIds(KEYRING).open(Entity.CONTACT, token_of(people, jane))
    suppression.suppress(suppression.person(email=jane.email))
    session = people.database.session()
    for table in ("contacts", "contact_rows"):
        for row in session.raw.execute(f"SELECT * FROM {table}"):
            content = b"".join(value for value in row if isinstance(value, bytes))
            assert jane.email.encode() not in content
            assert jane.last_name.encode() not in content
    count = session.raw.execute(f"SELECT count(*) FROM contact_keys WHERE contact_id = {number}").fetchone()
    assert count == (0,)


@pytest.mark.parametrize(
    "row_of",
    [
        lambda jane: contact("J", "D", emails=[jane.email]),
        lambda jane: contact("J", "D", linkedin=jane.url),
        lambda jane: jane.contact(company="ACME, Inc."),
    ],
    ids=["email", "linkedin", "name and company"],
)
def test_no_later_import_restores_the_person(people, suppression, jane, row_of):
    suppression.suppress(suppression.person(linkedin=jane.url))
    summary = load_contacts(people.database, "later", [row_of(jane)])
    assert (summary.suppressed, summary.created) == (1, 0)


def test_the_same_source_id_is_suppressed_too(people, suppression, jane):
    suppression.suppress(suppression.person(linkedin=jane.url))
    row = (jane.source_id, contact("Other", "Name"))
    assert load_contacts(people.database, "test", [row]).suppressed == 1


def test_name_and_company_alone_do_not_block_a_row_with_a_key_of_its_own(people, suppression, jane):
    suppression.suppress(suppression.person(linkedin=jane.url))
    namesake = jane.contact(company="Acme Inc", emails=["other.jane@acme.example"])
    assert load_contacts(people.database, "later", [namesake]).created == 1


def test_a_second_record_of_the_person_is_erased_too(people, suppression):
    url = "https://www.linkedin.com/in/sam-two"
    load_contacts(people.database, "a", [contact("Sam", "Two", linkedin=url)])
    load_contacts(people.database, "a", [contact("Sam", "Two", emails=["sam@acme.example"])])
    load_contacts(people.database, "b", [contact("Sam", "Two", linkedin=url, emails=["sam@acme.example"])])
    assert suppression.suppress(suppression.person(linkedin=url)) == 2
    assert code(people, email="sam@acme.example") == "COMPLIANCE_RESTRICTED"


def test_someone_else_with_the_same_address_stays(people, suppression):
    address, url = "desk@acme.example", "linkedin.com/in/eve-desk"
    for first in ("Eve", "Max"):
        load_contacts(
            people.database, "test", [(first, contact(first, "Desk", emails=[address], company=ACME))]
        )
    load_contacts(people.database, "test", [("Eve", contact("Eve", "Desk", linkedin=url))])
    load_contacts(people.database, "more", [contact("Eve", "Desk", linkedin=url, emails=[address])])
    assert suppression.suppress(suppression.person(linkedin=url)) == 1
    assert code(people, firstName="Max", lastName="Desk", companyName="Acme") == "found"


def test_the_name_and_company_of_every_row_is_suppressed(people, suppression):
    url = "https://www.linkedin.com/in/bill-roe"
    load_contacts(
        people.database, "a", [contact("Bill", "Roe", linkedin=url, company="First", day="2025-01-01")]
    )
    load_contacts(
        people.database, "b", [contact("William", "Roe", linkedin=url, company="Second", day="2025-02-01")]
    )
    suppression.suppress(suppression.person(linkedin=url))
    rows = [contact("Bill", "Roe", company="First"), contact("William", "Roe", company="Second")]
    assert load_contacts(people.database, "later", rows).suppressed == 2


def test_a_former_address_is_suppressed(people, suppression):
    url = "https://www.linkedin.com/in/jan-old"
    load_contacts(
        people.database, "a", [contact("Jan", "Old", linkedin=url, previous_emails=["jan@old.example"])]
    )
    suppression.suppress(suppression.person(linkedin=url))
    row = contact("Jan", "Old", emails=["jan@old.example"])
    assert load_contacts(people.database, "later", [row]).suppressed == 1


def test_a_person_not_yet_stored_is_suppressed(people, suppression):
    suppression.suppress(suppression.person(email="new@acme.example"))
    assert load_contacts(people.database, "later", [contact(emails=["new@acme.example"])]).suppressed == 1
    assert code(people, email="new@acme.example") == "COMPLIANCE_RESTRICTED"


def test_lifting_a_suppression_by_any_key_lets_the_next_import_restore_the_data(people, suppression, jane):
    suppression.suppress(suppression.person(linkedin=jane.url))
    assert suppression.unsuppress(suppression.person(email=jane.email))
    assert code(people, linkedinUrl=jane.url) == "NOT_FOUND"
    load_contacts(people.database, "later", [jane.contact(linkedin=jane.url)])
    assert code(people, linkedinUrl=jane.url) == "found"


def test_lifting_one_persons_suppression_keeps_another_of_the_same_address(people, suppression):
    url = "https://www.linkedin.com/in/ann-office"
    row = contact("Ann", "Office", linkedin=url, emails=["office@acme.example"])
    load_contacts(people.database, "test", [("ann", row)])
    suppression.suppress(suppression.person(linkedin=url))
    suppression.suppress(suppression.person(email="office@acme.example"))
    suppression.unsuppress(suppression.person(linkedin=url))
    tim = contact("Tim", "Desk", emails=["office@acme.example"])
    assert load_contacts(people.database, "later", [tim]).suppressed == 1


def test_the_record_number_of_a_suppressed_person_is_never_reused(people, suppression, jane):
    token = token_of(people, jane)
    suppression.suppress(suppression.person(linkedin=jane.url))
    load_contacts(
        people.database, "later", [contact("New", f"Person{n}", emails=[f"n{n}@x.example"]) for n in range(9)]
    )
    assert code(people, id=token) == "COMPLIANCE_RESTRICTED"
