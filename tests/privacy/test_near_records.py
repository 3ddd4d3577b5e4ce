"""Records that `suppress` names when it removed none."""

import msgspec
import pytest

from firmograph.directory.records import Company
from firmograph.security.record_ids import Entity, RecordIds
from installation_factory import make_suppression
from record_factory import KEYRING, contact, load_companies, load_contacts

TOKENS = RecordIds(KEYRING)


@pytest.fixture
def acme(database):
    """Fill a database with two companies and their people."""
    load_companies(
        database,
        "crm",
        [Company(name="Acme", domain="acme.example"), Company(name="Globex", domain="globex.example")],
    )
    people = [
        contact("Jane", "Doe", company="Acme", linkedin="linkedin.com/in/jd"),
        contact("Jane Marie", "Roe", company="Acme", emails=["jr@home.example"]),
        contact("Ann", "Lee", company="Acme", emails=["info@acme.example"]),
        contact("Jane", "Doe", company="Globex", emails=["jane@globex.example"]),
    ]
    load_contacts(database, "crm", people)
    return database


@pytest.fixture
def near(acme, clock):
    """Return a function that suppresses by an address and returns the numbers of the records near to it."""
    suppression = make_suppression(acme, KEYRING, clock)

    def run(email):
        person = suppression.person(email=email)
        assert suppression.suppress(person) == 0
        return [TOKENS.open(Entity.CONTACT, each) for each in suppression.near(person)]

    return run


@pytest.fixture
def command_line(in_process):
    in_process.environment["FIRMOGRAPH_KEYS"] = msgspec.json.encode(KEYRING).decode()
    return in_process


@pytest.mark.parametrize(
    ("email", "numbers"),
    [
        ("jane.doe@acme.example", [1]),
        ("doe.jane@acme.example", [1]),
        ("j.doe@acme.example", [1]),
        ("jane-doe+news@acme.example", [1]),
        ("jane_doe2@acme.example", [1]),
        ("jane.roe@acme.example", [2]),
        ("jane.m.roe@acme.example", [2]),
        ("jane.doe@globex.example", [4]),
        ("info+jane@acme.example", [3]),
    ],
)
def test_a_record_with_the_mailbox_or_the_name_of_an_address_is_near(near, email, numbers):
    assert near(email) == numbers


@pytest.mark.parametrize(
    "email",
    [
        "doe@acme.example",
        "jane.smith@acme.example",
        "john.doe@acme.example",
        "jane.doe@other.example",
        "jane.doe@gmail.com",
        "support+jane@acme.example",
    ],
)
def test_a_record_of_another_name_or_company_is_not_near(near, email):
    assert near(email) == []


def test_other_identifiers_have_no_near_records(acme, clock):
    suppression = make_suppression(acme, KEYRING, clock)
    assert suppression.near(suppression.person(linkedin="linkedin.com/in/jane-doe")) == []


def test_the_command_names_near_records_if_it_removed_none(acme, command_line):
    id = TOKENS.seal(Entity.CONTACT, 1)
    done = command_line.json("suppress", "--email", "jane.doe@acme.example")
    assert (done["recordsRemoved"], done["near"]) == (0, [id])
    assert command_line("suppress", "--email", "jane.doe@acme.example").stdout == (
        f"Suppressed; 0 records removed.\n{id}\n"
    )
    assert command_line.json("suppress", "--id", id)["recordsRemoved"] == 1


def test_the_command_names_no_record_if_it_removed_one(acme, command_line):
    done = command_line.json("suppress", "--email", "jane@globex.example")
    assert done["recordsRemoved"] == 1
    assert "near" not in done
