"""Look-ups of people under another spelling, and their explanation."""

import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.lookup.explanation import explain_people
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.records import Company, CompanyRef
from firmograph.security.record_ids import Entity, RecordIds
from installation_factory import make_suppression
from record_factory import KEYRING, contact, load_companies, load_contacts
from statement_counts import record_statements

pytestmark = pytest.mark.any_database

ACME = CompanyRef(name="Acme", domain="acme.example")
PEOPLE = [
    ("Mike", "Peterson"),
    ("Robert", "Behning"),
    ("Владимир", "Иванов"),
    ("Anna", "Katzenberg"),
    ("Anna", "Katzenburg"),
    ("Clara", "Vandermeer"),
]
MIKE, ROBERT, VLADIMIR = 1, 2, 3


@pytest.fixture(scope="module")
def stored(shared_database):
    load_companies(shared_database, "a", [Company(name="Acme", domain="acme.example")])
    load_contacts(shared_database, "a", [contact(*name, company=ACME) for name in PEOPLE])
    return shared_database


@pytest.fixture(scope="module")
def lookup():
    return RecordLookup(RecordIds(KEYRING), Digests(KEYRING), 0.9, 0.05)


def asked(lookup, first, last, **item):
    company = item or {"company_domain": "acme.example"}
    return lookup.queries.contact(("contacts", 0), first_name=first, last_name=last, **company)


def found(stored, lookup, first, last):
    with stored.read() as session:
        (hit,) = lookup.contacts(session, [asked(lookup, first, last)])
    return hit.contact and hit.contact.number


def explained(stored, lookup, first, last, **item):
    with stored.read() as session:
        return explain_people(session, lookup, asked(lookup, first, last, **item))


@pytest.mark.parametrize(
    ("first", "last", "number"),
    [
        ("Mike", "Oeterson", MIKE),
        ("Mike", "Petersson", MIKE),
        ("Bob", "Behming", ROBERT),
        ("Vladimir", "Ivanov", VLADIMIR),
        ("Wladimir", "Iwanow", VLADIMIR),
        ("Владимир", "Іванов", VLADIMIR),
    ],
)
def test_a_person_is_found_under_another_spelling(stored, lookup, first, last, number):
    assert found(stored, lookup, first, last) == number


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("Anna", "Katzenborg"),
        ("Mikr", "Oeterson"),
        ("M.", "Oeterson"),
        ("Ivan", "Oeterson"),
        ("Roy", "Behming"),
    ],
)
def test_a_name_that_may_be_of_two_people_or_has_two_errors_finds_nobody(stored, lookup, first, last):
    assert found(stored, lookup, first, last) is None


def test_an_exact_name_wins_against_one_a_letter_apart(stored, lookup):
    assert found(stored, lookup, "Anna", "Katzenburg") == 5


def test_a_suppressed_person_is_not_found_under_another_spelling(stored, lookup, clock):
    assert found(stored, lookup, "Clara", "Wandermeet") is None
    assert found(stored, lookup, "Clara", "Vandermeet") == 6
    suppression = make_suppression(stored, KEYRING, clock)
    suppression.suppress(suppression.person(id=RecordIds(KEYRING).seal(Entity.CONTACT, 6)))
    assert found(stored, lookup, "Clara", "Vandermeet") is None
    assert explained(stored, lookup, "Clara", "Vandermeet").candidates == []


def test_a_hundred_other_spellings_take_seven_statements(stored, lookup, monkeypatch):
    statements = record_statements(monkeypatch)
    with stored.read() as session:
        lookup.contacts(session, [asked(lookup, "Mike", f"Oeterson{n}") for n in range(100)])
    assert len(statements) <= 7


def test_an_explanation_tells_the_rule_that_decided(stored, lookup):
    explanation = explained(stored, lookup, "Mike", "Oeterson")
    assert (explanation.answer, explanation.found_by) == (MIKE, "other spelling")
    assert explanation.reason == "another letter in the last name"
    assert explanation.candidates[0].verdict == "answered"
    assert explanation.candidates[0].score == 0.905


def test_an_explanation_tells_why_the_others_were_refused(stored, lookup):
    explanation = explained(stored, lookup, "Anna", "Katzenborg")
    assert explanation.answer is None
    assert {each.verdict for each in explanation.candidates[:2]} == {
        "another person is within the margin of 0.05"
    }
    explanation = explained(stored, lookup, "Mikr", "Petersom")
    (mike,) = [each for each in explanation.candidates if each.number == MIKE]
    assert mike.verdict == "the score is below the threshold of 0.9"
    assert mike.rule == "an error in the last name, and another first name"
    assert mike.similarity > 0.5


def test_an_explanation_tells_that_an_identifier_decided(stored, lookup):
    number = RecordIds(KEYRING).seal(Entity.CONTACT, ROBERT)
    explanation = explained(stored, lookup, "Mike", "Peterson", id=number, company_domain="acme.example")
    assert (explanation.answer, explanation.found_by) == (ROBERT, "identifier")


def test_an_explanation_tells_that_no_company_is_found(stored, lookup):
    explanation = explained(stored, lookup, "Mike", "Peterson", company_name="Nowhere")
    assert explanation.reason == "no company is found, or too many have this name"
