"""Records derived again from their rows, after a rule changed.

Tests change stored records as if a former rule had made them, and set the version of the rules back.
"""

import json
import signal
import subprocess

import msgspec
import pytest
import sqlalchemy as sa

from firmograph.database.connection import RECORDS
from firmograph.database.schema import RULES, held_rules
from firmograph.directory.company_json import encode_company
from firmograph.directory.contact_json import encode_contact
from firmograph.directory.normalise.domains import registrable_domain
from firmograph.directory.records import Company, JobTitle
from firmograph.directory.tables import companies, contacts
from firmograph.ingest.merging import derivation_store, store
from firmograph.ingest.merging.derivation import Derivation
from firmograph.security.record_ids import Entity
from firmograph.signals.tables import signals
from installation_factory import make_suppression
from process_server import LoadedProcess, run_loaded
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts
from server_fixtures import PATIENCE_SECONDS
from stored_records import change_count, head, stored_companies, stored_contacts

FORMER_RULES = "1"
PEOPLE = 6
TABLES = {Entity.CONTACT: contacts, Entity.COMPANY: companies}


def set_rules(database, value=FORMER_RULES):
    with database.write(RECORDS) as session:
        session.execute(
            sa.text("UPDATE installation SET value = :value WHERE name = 'rules'"), {"value": value}
        )


def overwrite(database, entity, number, parts):
    """Store other JSON parts of a record than its rows give."""
    with database.write(RECORDS) as session:
        before = (store.read_contact_parts if entity is Entity.CONTACT else store.read_company_parts)(
            session, [number]
        )[number]
        fixed = (number, before[0]) if entity is Entity.CONTACT else (number,)
        store.put_records(session, entity, [(*fixed, *parts)])


def derive(database):
    Derivation(database, KEYRING).run()


def two_sources(last, title="Clerk", **fields):
    """Return rows of one person from two sources, so that both keep their bodies."""
    person = {"emails": [f"{last.lower()}@acme.example"], "company": "Acme", **fields}
    return [contact(last=last, title=title, **person), contact(last=last, **person)]


@pytest.fixture
def people(database):
    """Return a database whose people lost their titles under former rules, and their numbers."""
    rows = [two_sources(f"Doe{index}") for index in range(PEOPLE)]
    for source, records in zip("ab", zip(*rows, strict=True), strict=True):
        load_contacts(database, source, records)
    stored = stored_contacts(database)
    assert len(stored) == PEOPLE
    for number, (record, _) in stored.items():
        record.job_title = None
        overwrite(database, Entity.CONTACT, number, encode_contact(record))
    set_rules(database)
    return database


def titles(database):
    return [record.job_title and record.job_title.title for record, _ in stored_contacts(database).values()]


def test_records_that_differ_are_rewritten_and_follow_the_change_sequence(people):
    before = head(people)
    derive(people)
    assert titles(people) == ["Clerk"] * PEOPLE
    assert head(people) - before == PEOPLE
    assert held_rules(people.session()) == RULES


def test_records_that_are_the_same_are_not_rewritten(people):
    derive(people)
    before = change_count(people), stored_contacts(people), stored_companies(people)
    set_rules(people)
    derive(people)
    assert (change_count(people), stored_contacts(people), stored_companies(people)) == before


def test_a_company_is_derived_with_its_owners(database):
    rows = [Company(name="Acme", domain="acme.example", description=text) for text in ("Anvils", None)]
    for source, row in zip("ab", rows, strict=True):
        load_companies(database, source, [row])
    (number,) = stored_companies(database)
    overwrite(database, Entity.COMPANY, number, encode_company(Company(name="Acme", domain="acme.example")))
    set_rules(database)
    derive(database)
    assert stored_companies(database)[number].description == "Anvils"


def test_the_only_row_of_a_record_stays_the_record(database):
    load_contacts(database, "a", [contact(title="Clerk", emails=["jane@acme.example"])])
    before = stored_contacts(database)
    set_rules(database)
    derive(database)
    assert stored_contacts(database) == before
    assert load_contacts(database, "a", [contact(title="Clerk", emails=["jane@acme.example"])]).unchanged == 1


def drop_keys(database, entity, *keys):
    with database.write(RECORDS) as session:
        found = store.find_by_keys(session, entity, keys)
        assert found.keys() == set(keys)
        store.drop_keys(session, entity, [(key, number) for key in keys for number in found[key]])


def holders(database, entity, key):
    return store.find_by_keys(database.session(), entity, [key])[key]


@pytest.mark.parametrize(
    ("entity", "key"),
    [
        (Entity.COMPANY, DIGESTS.company_name("acme")),
        (Entity.COMPANY, DIGESTS.company_host("acme.example")),
        (Entity.COMPANY, DIGESTS.company_domain(registrable_domain("acme.example"))),
        (Entity.CONTACT, DIGESTS.contact_source("a", "7")),
        (Entity.CONTACT, DIGESTS.contact_email("jane@acme.example")),
    ],
)
def test_keys_that_former_rules_did_not_give_are_added(database, entity, key):
    load_companies(database, "a", [Company(name="Acme", domain="acme.example")])
    load_contacts(database, "a", [("7", contact(emails=["jane@acme.example"]))])
    drop_keys(database, entity, key)
    set_rules(database)
    derive(database)
    assert holders(database, entity, key) == [1]


def test_a_host_that_another_company_holds_stays_with_that_one_alone(database):
    load_companies(database, "a", [("1", Company(name="Acme", domain="acme.example"))])
    load_companies(database, "b", [("2", Company(name="Beta", domain="beta.example"))])
    load_companies(
        database, "b", [("2", Company(name="Beta", domain="acme.example", update_date="2030-01-01"))]
    )
    key = DIGESTS.company_host("acme.example")
    assert holders(database, Entity.COMPANY, key) == [1]
    set_rules(database)
    derive(database)
    assert holders(database, Entity.COMPANY, key) == [1]


def test_every_holder_of_a_mailbox_gets_its_key(database, clock):
    rows = [contact("Jane", "Doe", emails=[f"jane{tag}@acme.example"]) for tag in ("", "+a", "+b")]
    load_contacts(database, "a", rows)
    mailbox = DIGESTS.contact_mailbox("jane@acme.example")
    with database.write(RECORDS) as session:
        store.drop_keys(session, Entity.CONTACT, [(mailbox, number) for number in (1, 2, 3)])
    set_rules(database)
    derive(database)
    suppression = make_suppression(database, KEYRING, clock)
    assert suppression.suppress(suppression.person(email="jane@acme.example")) == 3


def test_nobody_is_joined(people):
    numbers = stored_contacts(people).keys()
    derive(people)
    assert stored_contacts(people).keys() == numbers


PROGRAM = """
import os, signal, sys
from firmograph.database.connection import Database
from firmograph.ingest import commits
from firmograph.ingest.merging import derivation_store
from firmograph.ingest.merging.derivation import Derivation
from firmograph.security.keyring import Keyring

commits._START_ROWS = commits._MIN_ROWS = 2
write_position, kills_at = derivation_store.write_position, int(sys.argv[2])
calls = iter(range(kills_at) if kills_at >= 0 else iter(int, 1))

def put(session, reached):
    write_position(session, reached)
    if next(calls, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)

derivation_store.write_position = put
Derivation(Database(sys.argv[1]), Keyring(hash="ab" * 32, tokens={1: "cd" * 32})).run()
"""
"""A derivation in commits of two records, killed inside the commit after so many; never if negative."""


@pytest.mark.parametrize("commits", [0, 2])
def test_a_killed_derivation_continues_where_it_stopped(people, tmp_path, commits):
    done = run_loaded(["-c", PROGRAM, people.url, str(commits)], tmp_path, {})
    assert done.returncode == -signal.SIGKILL, done.stderr
    with people.read() as session:
        reached = derivation_store.read_position(session)
    assert (reached.number > 0) == (commits > 0)
    before = change_count(people)
    derive(people)
    assert titles(people) == ["Clerk"] * PEOPLE
    assert (change_count(people) - before < PEOPLE) == (commits > 0)


def test_processes_that_run_together_share_the_records(people):
    before = head(people)
    started = [
        LoadedProcess(["-c", PROGRAM, people.url, "-1"], stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [process.communicate(timeout=PATIENCE_SECONDS)[1] for process in started] == [""] * 3
    assert titles(people) == ["Clerk"] * PEOPLE
    written = people.session().raw.execute(
        f"SELECT count(*) FROM changes WHERE sequence > {before} GROUP BY entity, entity_id"
    )
    assert [times for (times,) in written] == [1] * PEOPLE


@pytest.fixture
def installed(in_process, database):
    """Return the command line with the keys of a database whose one person follows former rules."""
    in_process.environment["FIRMOGRAPH_KEYS"] = msgspec.json.encode(KEYRING).decode()
    assert in_process("account", "list").returncode == 0
    load_contacts(database, "a", [contact(emails=["jane@acme.example"])])
    set_rules(database)
    return in_process


def test_a_command_derives_the_records_first_and_shows_its_progress(installed):
    assert "Merging records by the rules of this release: 1 of 1\n" in installed("account", "list").stderr
    assert installed("account", "list").stderr == ""


def test_a_command_without_the_keyring_leaves_the_records(installed, database):
    del installed.environment["FIRMOGRAPH_KEYS"]
    assert installed("account", "list").stderr == ""
    assert held_rules(database.session()) == FORMER_RULES


def test_a_restored_backup_follows_the_rules_of_this_release(installed, database, tmp_path):
    backup = str(tmp_path / "a.backup")
    assert installed("backup", backup).returncode == 0
    assert held_rules(database.session()) == FORMER_RULES
    done = installed("restore", backup, "--force", "--unsigned")
    assert done.returncode == 0, done.stderr
    assert held_rules(database.session()) == RULES


def titled(title, department, seniority, **fields):
    """Return a contact whose title has values as a former release derived them, or a source gave them."""
    record = contact(emails=["jane@acme.example"], company="Acme", **fields)
    record.job_title = JobTitle(title=title, departments=[department], seniority=seniority)
    return record


def stored_titles(database):
    return [
        (record.job_title.departments, record.job_title.seniority)
        for record, _ in stored_contacts(database).values()
    ]


def test_titles_are_derived_again_and_make_no_signal(database):
    former = ("Vertriebsleiterin", "Other", "Non-Manager")
    load_contacts(database, "a", [titled(*former)])
    load_contacts(database, "b", [titled(*former, skills=["German"])])
    set_rules(database)
    before = head(database)
    derive(database)
    assert stored_titles(database) == [(["Sales"], "Director")]
    assert head(database) > before
    with database.read() as session:
        assert session.all(sa.select(signals.c.id)) == []


def test_what_a_source_said_of_a_title_stays(database):
    load_contacts(database, "a", [titled("Vertriebsleiterin", "Legal", "Partner")])
    set_rules(database)
    derive(database)
    assert stored_titles(database) == [(["Legal"], "Partner")]


def test_a_file_of_before_an_upgrade_is_recognised_after_it(installed, database, tmp_path):
    path = tmp_path / "people.jsonl"
    path.write_text('{"fullName": "Ann Lee", "email": "ann@acme.example", "jobTitle": "Vertriebsleiterin"}\n')
    load = ("import", "contacts", str(path), "--source", "file", "--json")
    assert installed(*load).returncode == 0
    (number,) = (n for n, (record, _) in stored_contacts(database).items() if record.first_name == "Ann")
    record = stored_contacts(database)[number][0]
    record.job_title = JobTitle(title="Vertriebsleiterin", departments=["Other"], seniority="Non-Manager")
    overwrite(database, Entity.CONTACT, number, encode_contact(record))
    set_rules(database)
    derive(database)
    assert stored_contacts(database)[number][0].job_title.seniority == "Director"
    assert json.loads(installed(*load).stdout)["unchanged"] == 1
