"""Suppressions, erasures and revoked keys of the replaced database, preserved by a restore.

See docs/reference/backup.md#what-a-restore-keeps.
"""

import threading

import pytest
import sqlalchemy as sa
from installation import no_progress

from firmograph.admin.operator_keys import OperatorKeys
from firmograph.backup import archive, service
from firmograph.backup.protections import Preserved, Protections
from firmograph.database.connection import RECORDS
from firmograph.indexing import store as search_store
from firmograph.kit.errors import Refused
from firmograph.privacy import suppression_file
from firmograph.security.keyring import new_keyring
from installation_factory import make_protections
from record_factory import contact, load_contacts
from server_fixtures import eventually
from stored_records import stored_contacts

WAITING = sa.text("SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted")
ANN = "linkedin.com/in/ann-office"


def load(installation, *names, source="test"):
    people = [(name, contact(name.title(), "Example", emails=[f"{name}@example.com"])) for name in names]
    return load_contacts(installation.database, source, people, installation.clock)


def fill(installation):
    load(installation, "ann", "bob", "cid", "dee")


def test_people_suppressed_after_the_backup_stay_deleted(filled, backup_file):
    filled.suppress(email="ann@example.com")
    assert filled.restore(backup_file) == Preserved(suppressions=14, erased=1)
    assert filled.emails() == {"bob@example.com", "cid@example.com", "dee@example.com"}
    assert load(filled, "ann", source="later").suppressed == 1


def test_rows_and_keys_of_people_suppressed_after_the_backup_are_deleted(filled, backup_file):
    filled.suppress(email="ann@example.com")
    filled.restore(backup_file)
    assert filled.rows("SELECT count(*) FROM contact_rows WHERE contact_id = 1") == [(0,)]
    assert filled.rows("SELECT count(*) FROM contact_keys WHERE contact_id = 1") == [(0,)]
    assert search_store.removed_since(filled.database.session(), 0).contacts == {1}


def test_people_suppressed_before_the_backup_stay_suppressed(installation, file):
    load(installation, "ann", "bob")
    installation.suppress(email="ann@example.com")
    backup_file = installation.back_up(file)
    assert installation.restore(backup_file) == Preserved()
    assert load(installation, "ann", source="later").suppressed == 1


def test_a_suppression_lifted_after_the_backup_is_restored(installation, file):
    load(installation, "ann")
    installation.suppress(email="ann@example.com")
    backup_file = installation.back_up(file)
    installation.suppression.unsuppress(installation.suppression.person(email="ann@example.com"))
    installation.restore(backup_file)
    assert load(installation, "ann", source="later").suppressed == 1


def test_an_erased_person_stays_erased_even_after_the_suppression_was_lifted(filled, backup_file):
    filled.suppress(email="ann@example.com")
    filled.suppression.unsuppress(filled.suppression.person(email="ann@example.com"))
    assert filled.restore(backup_file) == Preserved(erased=1)
    assert "ann@example.com" not in filled.emails()


def test_a_person_without_identifiers_suppressed_by_id_stays_deleted(installation, file):
    load_contacts(
        installation.database, "test", [contact("Nobody", "Known", company="Acme")], installation.clock
    )
    backup_file = installation.back_up(file)
    token = installation.suppression._tokens.seal(1, 1)
    assert installation.suppress(id=token) == 1
    installation.restore(backup_file)
    assert stored_contacts(installation.database) == {}


def test_a_person_who_shares_an_address_with_a_suppressed_one_is_restored(installation, file):
    ann = contact("Ann", "Office", linkedin=ANN, emails=["office@example.com"])
    tim = contact("Tim", "Desk", emails=["office@example.com"])
    load_contacts(installation.database, "test", [ann, tim], installation.clock)
    backup_file = installation.back_up(file)
    assert installation.suppress(linkedin=ANN) == 1
    assert installation.restore(backup_file).erased == 1
    assert [record.first_name for record, _ in stored_contacts(installation.database).values()] == ["Tim"]


def test_a_record_under_another_address_of_a_suppressed_mailbox_is_deleted(
    make_installation, installation, file
):
    people = [contact(name.title(), "Example", emails=[f"{name}+crm@example.com"]) for name in ("ann", "bob")]
    load_contacts(installation.database, "test", people, installation.clock)
    backup_file = installation.back_up(file)
    other = make_installation("other")
    other.suppress(email="ann@example.com")
    assert other.restore(backup_file).erased == 1
    assert other.emails() == {"bob+crm@example.com"}
    row = contact("Ann", "Example", emails=["ann+new@example.com"])
    assert load_contacts(other.database, "later", [row], other.clock).suppressed == 1


def test_a_holder_of_the_mailbox_who_stayed_is_restored(installation, file):
    ann, tim = (
        contact("Ann", "Office", emails=["ann@example.com"]),
        contact("Tim", "Desk", emails=["ann+t@example.com"]),
    )
    load_contacts(installation.database, "test", [ann, tim], installation.clock)
    backup_file = installation.back_up(file)
    assert installation.suppress(email="ann@example.com") == 1
    assert installation.restore(backup_file).erased == 1
    assert installation.emails() == {"ann+t@example.com"}


def test_a_holder_of_the_mailbox_whose_names_contradict_is_restored(make_installation, installation, file):
    ann, tim = (
        contact("Ann", "Office", emails=["ann@example.com"]),
        contact("Tim", "Desk", emails=["ann+t@example.com"]),
    )
    load_contacts(installation.database, "test", [ann, tim], installation.clock)
    backup_file = installation.back_up(file)
    other = make_installation("other")
    load_contacts(other.database, "test", [ann], other.clock)
    other.suppress(email="ann@example.com")
    assert other.restore(backup_file).erased == 1
    assert other.emails() == {"ann+t@example.com"}


def test_another_database_is_matched_by_identity_keys_and_not_by_record_numbers(
    make_installation, backup_file
):
    other = make_installation("other")
    load(other, "zoe", "yan", "ann")
    other.suppress(email="zoe@example.com")
    other.suppress(email="ann@example.com")
    assert other.restore(backup_file) == Preserved(suppressions=24, erased=1)
    assert other.emails() == {"bob@example.com", "cid@example.com", "dee@example.com"}


def test_revoked_keys_and_disabled_accounts_stay_so(installation, file):
    installation.accounts.create("open", "unlimited", 0)
    installation.accounts.create("shut", "unlimited", 0)
    keys = [installation.accounts.create_key("open").api_key for _ in range(2)]
    backup_file = installation.back_up(file)
    installation.accounts.revoke_key("open", keys[0])
    installation.accounts.set_active("shut", False)
    assert installation.restore(backup_file) == Preserved(revoked=1, disabled=1)
    assert [account.active for account in installation.accounts.all()] == [True, False]
    assert installation.rows("SELECT count(*) FROM api_keys WHERE revoked_at IS NULL") == [(1,)]
    assert installation.restore(backup_file) == Preserved(revoked=1, disabled=1)


def test_a_revoked_key_of_an_operator_stays_so(installation, file):
    keys = OperatorKeys(installation.database, installation.clock)
    prefixes = [keys.create().key.prefix for _ in range(2)]
    backup_file = installation.back_up(file)
    keys.revoke(prefixes[0])
    assert installation.restore(backup_file) == Preserved(revoked=1)
    assert [key.prefix for key in keys.all() if key.revoked_at is None] == prefixes[1:]


def test_another_account_of_the_same_number_stays_active(installation, make_installation, file):
    installation.accounts.create("open", "unlimited", 0)
    other = make_installation("other")
    other.clock.advance(60)
    other.accounts.create("shut", "unlimited", 0)
    other.accounts.set_active("shut", False)
    assert other.restore(installation.back_up(file)).disabled == 0
    assert [(account.name, account.active) for account in other.accounts.all()] == [("open", True)]


def test_records_and_accounts_created_after_the_backup_are_gone(filled, backup_file):
    load(filled, "eve")
    filled.accounts.create("new", "unlimited", 0)
    filled.restore(backup_file)
    assert "eve@example.com" not in filled.emails()
    assert filled.accounts.all() == []


def test_a_record_number_is_never_used_for_another_person(filled, backup_file):
    load(filled, "eve")
    given = {number: record.first_name for number, (record, _) in stored_contacts(filled.database).items()}
    filled.restore(backup_file)
    load(filled, "fay")
    for number, (record, _) in stored_contacts(filled.database).items():
        assert given.get(number, record.first_name) == record.first_name


def test_a_restored_database_has_a_new_identity_and_the_same_origin(filled, backup_file):
    identities = [filled.identity()]
    origin = filled.rows("SELECT value FROM installation WHERE name = 'origin'")
    for _ in range(2):
        filled.restore(backup_file)
        identities.append(filled.identity())
    assert len(set(identities)) == 3
    assert filled.rows("SELECT value FROM installation WHERE name = 'origin'") == origin


def test_a_database_in_use_under_other_keys_is_not_replaced(make_installation, backup_file):
    other = make_installation("other", keyring=new_keyring())
    other.accounts.create("mine", "unlimited", 0)
    with pytest.raises(Refused, match="in use under other keys"):
        other.restore(backup_file)
    assert [account.name for account in other.accounts.all()] == ["mine"]


def test_a_restore_adds_no_suppression_that_the_database_lacks(installation, file):
    first = contact("Ann", "Office", linkedin=ANN, emails=["ann@example.com", "ann@old.example"])
    load_contacts(installation.database, "test", [("a", first)], installation.clock)
    backup_file = installation.back_up(file)
    installation.clock.advance(86_400)
    row = contact("Ann", "Office", linkedin=ANN, emails=["ann@example.com"])
    load_contacts(installation.database, "test", [("a", row)], installation.clock)
    installation.suppress(linkedin=ANN)
    before = installation.rows("SELECT digest, person FROM suppressions ORDER BY digest, person")
    assert installation.restore(backup_file).erased == 1
    assert installation.rows("SELECT digest, person FROM suppressions ORDER BY digest, person") == before


def test_preserved_suppressions_are_in_the_next_export(filled, backup_file, tmp_path):
    filled.suppress(email="ann@example.com")
    suppression_file.export_suppressions(filled.database, "f", tmp_path / "before", replace=False)
    filled.restore(backup_file)
    suppression_file.export_suppressions(filled.database, "f", tmp_path / "after", replace=False)
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


def test_a_suppression_during_the_restore_is_preserved(filled, backup_file, monkeypatch):
    erase, remaining = Protections.erase, ["bob", "ann"]

    def erase_then_suppress(*given):
        erased = erase(*given)
        if remaining:
            filled.suppress(email=f"{remaining.pop()}@example.com")
        return erased

    monkeypatch.setattr(Protections, "erase", erase_then_suppress)
    assert filled.restore(backup_file) == Preserved(suppressions=25, erased=2)
    assert filled.emails() == {"cid@example.com", "dee@example.com"}


def test_a_database_used_for_the_first_time_during_the_restore_is_not_replaced(
    new_machine, backup_file, monkeypatch
):
    erase = Protections.erase

    def use_then_erase(*given):
        new_machine.accounts.create("mine", "unlimited", 0)
        return erase(*given)

    monkeypatch.setattr(Protections, "erase", use_then_erase)
    with pytest.raises(Refused, match="in use"):
        restore_without_force(new_machine, backup_file)
    assert [account.name for account in new_machine.accounts.all()] == ["mine"]


def restore_without_force(installation, file):
    with archive.open_archive(file) as backup:
        service.restore(
            backup, installation.database, make_protections(), force=False, progress_of=no_progress
        )


@pytest.mark.postgresql
def test_a_restore_waits_for_open_transactions_without_deadlock(filled, backup_file):
    restoring = threading.Thread(target=filled.restore, args=(backup_file,))
    with filled.database.write(RECORDS) as session:
        session.execute(sa.text("UPDATE contacts SET emails = NULL WHERE id = 1"))
        restoring.start()
        eventually(lambda: session.all(WAITING), "the restore does not start")
        # the restore locks tables by name, and holds the lock of this one already
        session.execute(sa.text("UPDATE accounts SET active = 1"))
    restoring.join(120)
    assert not restoring.is_alive()
    assert "ann@example.com" in filled.emails()


def test_splits_of_a_person_suppressed_after_the_backup_are_deleted(installation, file):
    load(installation, "ann", "bob")
    with installation.database.write(RECORDS) as session:
        session.raw.execute(
            "INSERT INTO record_splits (digest, entity, record_id) SELECT digest, 1, contact_id"
            " FROM contact_keys WHERE contact_id IN (1, 2)"
        )
    backup_file = installation.back_up(file)
    installation.suppress(email="ann@example.com")
    installation.restore(backup_file)
    assert installation.rows("SELECT DISTINCT record_id FROM record_splits") == [(2,)]


def test_the_audit_keeps_what_was_done_since_the_backup_and_has_the_restore(filled, tmp_path):
    filled.accounts.create("Acme")
    backup = filled.back_up(tmp_path / "with-account.backup")
    filled.accounts.grant("Acme", 5, "order 12")
    filled.accounts.create_key("Acme")
    filled.restore(backup)
    actions = [action for (action,) in filled.rows("SELECT action FROM operator_actions ORDER BY id")]
    assert actions == ["account create", "credits grant", "key create", "restore"]
    filled.restore(backup)
    assert len(filled.rows("SELECT 1 FROM operator_actions")) == 5


def test_users_who_were_removed_since_the_backup_stay_removed(filled, tmp_path):
    filled.accounts.create("Acme")
    for email in ("ann@acme.example", "bob@acme.example"):
        filled.accounts.add_user("Acme", email)
    backup = filled.back_up(tmp_path / "with-users.backup")
    filled.accounts.remove_user("Acme", "bob@acme.example")
    filled.restore(backup)
    assert [user.email for user in filled.accounts.users("Acme")] == ["ann@acme.example"]
