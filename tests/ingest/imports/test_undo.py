"""Imports taken back: what goes, what comes back, what stays."""

import pytest
import sqlalchemy as sa
from undo_world import Killed, check

from firmograph.database.connection import RECORDS
from firmograph.ingest.imports.runs import ALIVE_SECONDS, forget_old
from firmograph.ingest.imports.store import select_opt_out_marks
from firmograph.ingest.merging.split import RecordSplitter
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from stored_records import employers, head, stored_companies, stored_contacts

CONTACT, COMPANY = Entity.CONTACT, Entity.COMPANY
DAY = 86_400.0


def jane(**fields):
    return {
        "sourceId": "1",
        "fullName": "Jane Doe",
        "emails": ["jane@acme.example"],
        "company": "Acme",
    } | fields


def john(**fields):
    return {"sourceId": "2", "fullName": "John Roe", "emails": ["john@globex.example"], **fields}


def titles(world):
    return {
        number: record.job_title and record.job_title.title
        for number, (record, _) in stored_contacts(world.database).items()
    }


def states(world):
    return [each.state_at(world.clock.seconds()) for each in world.runs.all()]


def count(world, table):
    with world.database.read() as session:
        return session.all(sa.text(f"SELECT count(*) FROM {table}"))[0][0]


def removed(world):
    with world.database.read() as session:
        rows = session.all(sa.text("SELECT entity, entity_id FROM changes WHERE removed = 1 ORDER BY 1, 2"))
        return [tuple(row) for row in rows]


def test_a_changed_record_gets_its_former_row_back_and_a_new_one_goes(world):
    world.import_rows("crm", CONTACT, [jane(jobTitle="CEO")])
    number = world.import_rows("crm", CONTACT, [jane(jobTitle="Chair"), john()])
    (undone,) = world.undo(number)
    assert titles(world) == {1: "CEO"}
    assert (undone.counts.contacts_removed, undone.counts.changed) == (1, 1)
    assert (1, 2) in removed(world)
    assert states(world) == ["done", "undone"]
    assert count(world, "import_former_rows") == 0
    check(world.database)


def test_the_number_of_a_removed_record_is_not_used_again(world):
    number = world.import_rows("crm", CONTACT, [jane()])
    world.undo(number)
    world.import_rows("crm", CONTACT, [jane()])
    assert list(stored_contacts(world.database)) == [2]


def test_rows_of_other_sources_stay_where_they_joined(world):
    world.import_rows("crm", CONTACT, [jane(phones=["+12025550100"])])
    number = world.import_rows("fair", CONTACT, [jane(sourceId="f1", jobTitle="CEO")])
    world.import_rows(
        "web", CONTACT, [jane(sourceId="w1", emails=["jane@acme.example", "jane@home.example"])]
    )
    world.undo(number)
    ((contact, _),) = stored_contacts(world.database).values()
    assert contact.job_title is None
    assert [phone.number for phone in contact.phones] == ["+12025550100"]
    assert {email.email for email in contact.emails} == {"jane@acme.example", "jane@home.example"}


def test_of_two_rows_of_one_day_the_remaining_one_counts_again(world):
    day = "2026-01-01"
    world.import_rows("crm", CONTACT, [jane(jobTitle="CEO", updateDate=day)])
    number = world.import_rows("crm", CONTACT, [jane(jobTitle="Chair", updateDate=day)])
    assert titles(world) == {1: "Chair"}
    world.undo(number)
    assert titles(world) == {1: "CEO"}


def test_rows_of_an_import_that_changed_nothing_are_not_undone(world):
    world.import_rows("crm", CONTACT, [jane()])
    number = world.import_rows("crm", CONTACT, [jane()])
    before = head(world.database)
    world.undo(number)
    assert head(world.database) == before
    assert len(stored_contacts(world.database)) == 1


def test_do_not_call_marks_of_undone_versions_go_and_are_counted(world):
    phone = {"number": "+12025550100"}
    world.import_rows("crm", CONTACT, [jane(phones=[phone])])
    number = world.import_rows("crm", CONTACT, [jane(phones=[phone | {"doNotCall": True}])])
    ((contact, _),) = stored_contacts(world.database).values()
    assert contact.phones[0].do_not_call
    assert world.undo(number)[0].counts.marks == 1
    ((contact, _),) = stored_contacts(world.database).values()
    assert not contact.phones[0].do_not_call
    check(world.database)


def test_employers_that_nothing_names_go_with_what_contacts_said_of_them(world):
    world.import_rows("crm", CONTACT, [john(company="Globex", employer={"description": "Makes things"})])
    number = world.import_rows(
        "crm", CONTACT, [jane(employer={"description": "Anvils"}), john(company="Globex", jobTitle="CTO")]
    )
    assert world.undo(number)[0].counts.companies_removed == 1
    assert employers(world.database) == [("Roe", "Globex")]
    assert [one.description for one in stored_companies(world.database).values()] == ["Makes things"]
    check(world.database)


def test_a_company_that_contacts_still_name_stays_as_a_stub(world):
    company = {"name": "Acme", "domain": "acme.example", "description": "Anvils"}
    number = world.import_rows("firms", COMPANY, [company])
    world.import_rows("crm", CONTACT, [jane(company={"domain": "acme.example"})])
    world.undo(number)
    (acme,) = stored_companies(world.database).values()
    assert (acme.stub, acme.domain, acme.name, acme.description) == (True, "acme.example", None, None)
    check(world.database)


def test_a_former_employer_that_is_gone_comes_back_with_the_former_row(world):
    world.import_rows("crm", CONTACT, [jane()])
    number = world.import_rows("crm", CONTACT, [jane(company="Initech")])
    with world.database.write(RECORDS) as session:
        for table, column in (
            ("companies", "id"),
            ("company_rows", "company_id"),
            ("company_keys", "company_id"),
        ):
            session.raw.execute(f"DELETE FROM {table} WHERE {column} = 1")
    world.undo(number)
    assert employers(world.database) == [("Doe", "Acme")]


# --- refusals ---


def test_an_import_is_refused_alone_when_a_later_one_of_its_source_met_its_records(world):
    number = world.import_rows("crm", CONTACT, [jane(), john()])
    world.import_rows("fair", CONTACT, [jane(sourceId="f1")])
    world.import_rows("crm", CONTACT, [{"sourceId": "3", "fullName": "Max Moe", "emails": ["max@x.example"]}])
    later = world.import_rows("crm", CONTACT, [jane()])
    with pytest.raises(
        Refused, match=rf"later imports of 'crm' met the same records \({later}\).*--and-later"
    ):
        world.undo(number)
    undone = world.undo(number, and_later=True)
    assert [each.id for each in undone] == [later, number]
    assert [record.last_name for record, _ in stored_contacts(world.database).values()] == ["Doe", "Moe"]
    check(world.database)


def test_an_undone_import_and_an_unknown_one_are_refused(world):
    number = world.import_rows("crm", CONTACT, [jane()])
    world.undo(number)
    with pytest.raises(Refused, match="has been taken back already"):
        world.undo(number)
    with pytest.raises(Refused, match="There is no import 9"):
        world.undo(9)


def test_a_running_import_is_refused_until_it_gives_no_sign_of_life(world, monkeypatch):
    path = world.write([jane(), john()])
    with pytest.raises(Killed):
        world.kill(lambda: world.import_file("crm", CONTACT, path), 2, monkeypatch)
    assert states(world) == ["running"]
    with pytest.raises(Refused, match="is running"):
        world.undo(1)
    world.clock.advance(ALIVE_SECONDS)
    assert states(world) == ["interrupted"]
    world.undo(1)
    assert stored_contacts(world.database) == {}


def test_imports_of_a_source_are_refused_while_its_undo_is_not_finished(world, monkeypatch):
    number = world.import_rows("crm", CONTACT, [jane(), john()])
    with pytest.raises(Killed):
        world.kill(lambda: world.undo(number), 2, monkeypatch)
    with pytest.raises(
        Refused, match=f"is being taken back; finish that first: firmograph import undo {number}"
    ):
        world.import_rows("crm", CONTACT, [jane()])
    world.import_rows("fair", CONTACT, [john(sourceId="f2", emails=["roe@home.example"])])
    world.undo(number)
    world.import_rows("crm", CONTACT, [jane()])
    check(world.database)


def test_what_imports_replaced_is_removed_after_some_days_and_no_undo_follows(world):
    world.import_rows("crm", CONTACT, [jane(jobTitle="CEO")])
    number = world.import_rows("crm", CONTACT, [jane(jobTitle="Chair", optedOut=True)])
    world.clock.advance(31 * DAY)
    recent = world.import_rows("crm", CONTACT, [jane(jobTitle="Clerk")])
    while True:
        with world.database.write(None) as session:
            if not forget_old(session, world.clock.seconds(), 30, 1):
                break
    assert count(world, "import_former_rows") == 1
    with world.database.read() as session:
        assert {key: list(people) for key, people in select_opt_out_marks(session).items()} == {number: [1]}
    with pytest.raises(Refused, match="FIRMOGRAPH_IMPORT_UNDO_DAYS"):
        world.undo(number, and_later=True)
    world.undo(recent)
    assert titles(world) == {1: "Chair"}


# --- runs ---


def test_an_interrupted_import_goes_on_as_the_same_one_when_it_runs_again(world, monkeypatch):
    world.import_rows("crm", CONTACT, [jane(jobTitle="CEO")])
    path = world.write([jane(jobTitle="Chair"), john()])
    world.run_killed(lambda: world.import_file("crm", CONTACT, path), 2, monkeypatch)
    assert states(world) == ["done", "done"]
    world.import_file("crm", CONTACT, path)
    assert len(states(world)) == 3
    world.undo(3)
    world.undo(2)
    assert titles(world) == {1: "CEO"}


# --- people ---


def test_a_suppression_removes_what_imports_keep_of_the_person(world):
    world.import_rows("crm", CONTACT, [jane(jobTitle="CEO"), john(jobTitle="CTO")])
    number = world.import_rows("crm", CONTACT, [jane(jobTitle="Chair"), john(jobTitle="Clerk")])
    world.suppression.suppress(world.suppression.person(email="jane@acme.example"))
    assert count(world, "import_former_rows") == 1
    world.undo(number)
    assert titles(world) == {2: "CTO"}


def test_a_former_row_of_a_person_suppressed_since_does_not_come_back(world):
    world.import_rows("crm", CONTACT, [jane(emails=["jane@old.example"])])
    number = world.import_rows("crm", CONTACT, [jane()])
    world.suppression.suppress(world.suppression.person(email="jane@old.example"))
    world.undo(number)
    assert stored_contacts(world.database) == {}
    assert (1, 1) in removed(world)


def test_rows_that_were_split_off_are_undone_in_their_new_record(world):
    number = world.import_rows("crm", CONTACT, [jane(), jane(sourceId="9")])
    id = world.installation.record_ids.seal(CONTACT, 1)
    world.installation.get(RecordSplitter).split(id, ["crm/9"])
    assert len(stored_contacts(world.database)) == 2
    world.undo(number)
    assert stored_contacts(world.database) == {}


# --- preview ---


def test_a_preview_counts_what_the_undo_then_does(world):
    world.import_rows("crm", CONTACT, [jane(jobTitle="CEO")])
    number = world.import_rows("crm", CONTACT, [jane(jobTitle="Chair"), john()])
    later = world.import_rows("crm", CONTACT, [john(jobTitle="CTO")])
    before = head(world.database)
    preview = world.previews.preview(number, and_later=True)
    assert (preview.imports, preview.removed[CONTACT], preview.changed) == ([later, number], 1, 1)
    assert head(world.database) == before


def test_a_preview_counts_stubs_and_signals_as_the_undo_then_does(world):
    world.import_rows("crm", CONTACT, [jane(updateDate="2026-01-01", jobTitle="CEO")])
    rows = [
        jane(updateDate="2026-06-01", jobTitle="CEO", company="Globex"),
        john(company="Initech"),
        john(company="Acme", updateDate="2026-01-01"),
    ]
    number = world.import_rows("crm", CONTACT, rows)
    preview = world.previews.preview(number, and_later=False)
    (undone,) = world.undo(number)
    counts = undone.counts
    assert (counts.contacts_removed, counts.companies_removed, counts.changed, counts.signals) == (1, 2, 1, 2)
    assert (preview.removed[CONTACT], preview.removed[COMPANY]) == (1, 2)
    assert (preview.changed, preview.signals) == (1, 2)


def test_a_row_of_a_suppressed_person_makes_no_stub(world):
    world.suppression.suppress(world.suppression.person(email="jane@acme.example"))
    world.import_rows("crm", CONTACT, [jane()])
    assert stored_companies(world.database) == {}


def test_a_company_of_a_source_loses_what_only_undone_contacts_said_of_it(world):
    number = world.import_rows(
        "crm", CONTACT, [jane(company={"name": "Secret Name", "domain": "acme.example"})]
    )
    world.import_rows("crm", CONTACT, [john(company={"name": "Acme Group", "domain": "acme.example"})])
    world.import_rows("firms", COMPANY, [{"domain": "acme.example", "description": "Anvils"}])
    assert [one.name for one in stored_companies(world.database).values()] == ["Secret Name"]
    world.undo(number)
    assert [one.name for one in stored_companies(world.database).values()] == ["Acme Group"]
    check(world.database)


def test_a_stub_takes_the_words_of_a_contact_that_remains(world):
    number = world.import_rows(
        "crm", CONTACT, [jane(company={"name": "Secret Name", "domain": "acme.example"})]
    )
    world.import_rows("crm", CONTACT, [john(company={"name": "Acme Group", "domain": "acme.example"})])
    world.undo(number)
    assert [one.name for one in stored_companies(world.database).values()] == ["Acme Group"]
    check(world.database)


# --- traces ---

MARK = "zqxv"


def traces(database):
    """Return where the mark stands: tables, and files of an embedded database."""
    with database.read() as session:
        values = [
            (table, value if isinstance(value, bytes) else str(value).encode())
            for table in session.tables()
            for row in session.raw.execute(f'SELECT * FROM "{table}"').fetchall()
            for value in row
        ]
    found = [table for table, value in values if MARK.encode() in value]
    if database.embedded:
        database.clear_remains()
        files = database.companion.parent.glob(f"{database.companion.name}*")
        found += [file.name for file in files if MARK.encode() in file.read_bytes()]
    return found


def test_nothing_holds_a_value_that_only_undone_rows_held(world):
    company = {"domain": "acme.example", "name": "Acme"}
    world.import_rows("firms", COMPANY, [company | {"sourceId": "1", "description": "Anvils"}])
    world.import_rows("crm", CONTACT, [jane(company=company, jobTitle="CEO"), john(company="Globex")])
    numbers = [
        world.import_rows(
            "firms", COMPANY, [company | {"sourceId": "1", "description": MARK, "keywords": [MARK]}]
        ),
        world.import_rows(
            "crm",
            CONTACT,
            [
                jane(
                    company={"name": f"Acme {MARK}", "domain": f"{MARK}.example"}, jobTitle=f"Head of {MARK}"
                ),
                john(company=company | {"name": f"{MARK} Acme"}, emails=[f"{MARK}@globex.example"]),
                {
                    "sourceId": "3",
                    "fullName": f"Max {MARK}",
                    "emails": ["max@x.example"],
                    "company": f"{MARK} Ltd",
                },
            ],
        ),
    ]
    assert traces(world.database)
    for number in numbers:
        world.undo(number)
    assert traces(world.database) == []
    check(world.database)


def test_signals_that_only_the_import_detected_are_deleted(world):
    world.import_rows("crm", CONTACT, [jane(updateDate="2026-01-01", jobTitle="CEO")])
    moved = jane(updateDate="2026-06-01", jobTitle="CEO", company="Globex")
    number = world.import_rows("crm", CONTACT, [moved])
    assert count(world, "signals") == 1
    assert world.undo(number)[0].counts.signals == 1
    assert count(world, "signals") == 0


def test_an_undo_that_is_killed_at_any_commit_ends_as_one_that_was_not(world, monkeypatch):
    for commits in range(1, 7):
        world.import_rows("crm", CONTACT, [jane(jobTitle="CEO")])
        number = world.import_rows(
            "crm", CONTACT, [jane(jobTitle="Chair", company="Globex"), john(company="Initech")]
        )
        world.run_killed(lambda: world.undo(number), commits, monkeypatch)  # noqa: B023
        assert [record.last_name for record, _ in stored_contacts(world.database).values()] == ["Doe"]
        assert [one.name for one in stored_companies(world.database).values()] == ["Acme"]
        check(world.database)
