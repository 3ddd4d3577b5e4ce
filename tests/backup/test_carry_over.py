"""What a restored copy takes over from the database that it replaces: nobody kept out comes back.

See docs/reference/backup.md#what-a-restore-keeps.
"""

import threading

import pytest
import sqlalchemy as sa
from installation import unwatched

from firmograph.backup import archive, service, sqlite
from firmograph.backup.preserved_erasures import Preserved
from firmograph.database.connection import RECORDS
from firmograph.kit.errors import Refused
from firmograph.privacy import suppression_file
from firmograph.prospecting.indexing import store as search_store
from firmograph.security.keyring import new_keyring
from record_factory import contact, load_contacts
from server_fixtures import eventually
from stored_records import stored_contacts

WAITING = sa.text("SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted")
ANN = "linkedin.com/in/ann-office"


def load(installation, *names, source="test"):
    people = [(name, contact(name.title(), "Example", emails=[f"{name}@example.com"])) for name in names]
    return load_contacts(installation.database, source, people, installation.clock)


@pytest.fixture
def kept(here, file):
    """A backup of four people, and the installation that goes on."""
    load(here, "ann", "bob", "cid", "dee")
    return here.back_up(file)


def test_whoever_was_suppressed_since_stays_away(here, kept):
    here.suppress(email="ann@example.com")
    assert here.restore(kept) == Preserved(suppressions=3, erased=1)
    assert here.emails() == {"bob@example.com", "cid@example.com", "dee@example.com"}
    assert load(here, "ann", source="later").suppressed == 1


def test_no_trace_of_them_stays_in_the_records(here, kept):
    here.suppress(email="ann@example.com")
    here.restore(kept)
    assert here.rows("SELECT count(*) FROM contact_rows WHERE contact_id = 1") == [(0,)]
    assert here.rows("SELECT count(*) FROM contact_keys WHERE contact_id = 1") == [(0,)]
    assert search_store.removed_since(here.database.session(), 0) == [1]


def test_whoever_was_suppressed_before_stays_suppressed(here, file):
    load(here, "ann", "bob")
    here.suppress(email="ann@example.com")
    kept = here.back_up(file)
    assert here.restore(kept) == Preserved()
    assert load(here, "ann", source="later").suppressed == 1


def test_a_suppression_that_was_lifted_since_is_back(here, file):
    load(here, "ann")
    here.suppress(email="ann@example.com")
    kept = here.back_up(file)
    here.suppression.unsuppress(here.suppression.person(email="ann@example.com"))
    here.restore(kept)
    assert load(here, "ann", source="later").suppressed == 1


def test_whoever_was_erased_stays_erased_even_if_the_suppression_was_lifted(here, kept):
    here.suppress(email="ann@example.com")
    here.suppression.unsuppress(here.suppression.person(email="ann@example.com"))
    assert here.restore(kept) == Preserved(erased=1)
    assert "ann@example.com" not in here.emails()


def test_someone_known_by_name_alone_who_was_suppressed_by_id_stays_away(here, file):
    load_contacts(here.database, "test", [contact("Nobody", "Known", company="Acme")], here.clock)
    kept = here.back_up(file)
    token = here.suppression._tokens.seal(1, 1)
    assert here.suppress(id=token) == 1
    here.restore(kept)
    assert stored_contacts(here.database) == {}


def test_who_shares_an_address_with_a_suppressed_person_stays(here, file):
    ann = contact("Ann", "Office", linkedin=ANN, emails=["office@example.com"])
    tim = contact("Tim", "Desk", emails=["office@example.com"])
    load_contacts(here.database, "test", [ann, tim], here.clock)
    kept = here.back_up(file)
    assert here.suppress(linkedin=ANN) == 1
    assert here.restore(kept).erased == 1
    assert [record.first_name for record, _ in stored_contacts(here.database).values()] == ["Tim"]


def test_on_another_database_numbers_mean_nothing_and_keys_everything(here, make_installation, kept):
    there = make_installation("there")
    load(there, "zoe", "yan", "ann")
    there.suppress(email="zoe@example.com")
    there.suppress(email="ann@example.com")
    assert there.restore(kept) == Preserved(suppressions=6, erased=1)
    assert there.emails() == {"bob@example.com", "cid@example.com", "dee@example.com"}


def test_revoked_keys_and_disabled_accounts_stay_shut(here, file):
    here.accounts.create("open", "unlimited", 0)
    here.accounts.create("shut", "unlimited", 0)
    keys = [here.accounts.create_key("open").api_key for _ in range(2)]
    kept = here.back_up(file)
    here.accounts.revoke_key("open", keys[0])
    here.accounts.set_active("shut", False)
    assert here.restore(kept) == Preserved(revoked=1, disabled=1)
    assert [account.active for account in here.accounts.all()] == [True, False]
    assert here.rows("SELECT count(*) FROM api_keys WHERE revoked_at IS NULL") == [(1,)]
    assert here.restore(kept) == Preserved(revoked=1, disabled=1)


def test_another_account_of_the_same_number_stays_open(here, make_installation, file):
    here.accounts.create("open", "unlimited", 0)
    there = make_installation("there")
    there.clock.advance(60)
    there.accounts.create("shut", "unlimited", 0)
    there.accounts.set_active("shut", False)
    assert there.restore(here.back_up(file)).disabled == 0
    assert [(account.name, account.active) for account in there.accounts.all()] == [("open", True)]


def test_what_came_after_the_backup_is_gone(here, kept):
    load(here, "eve")
    here.accounts.create("new", "unlimited", 0)
    here.restore(kept)
    assert "eve@example.com" not in here.emails()
    assert here.accounts.all() == []


def test_a_number_that_was_given_out_never_means_another_person(here, kept):
    load(here, "eve")
    given = {number: record.first_name for number, (record, _) in stored_contacts(here.database).items()}
    here.restore(kept)
    load(here, "fay")
    for number, (record, _) in stored_contacts(here.database).items():
        assert given.get(number, record.first_name) == record.first_name


def test_a_restored_database_has_an_identity_of_its_own_and_the_same_origin(here, kept):
    identities = [here.identity()]
    origin = here.rows("SELECT value FROM installation WHERE name = 'origin'")
    for _ in range(2):
        here.restore(kept)
        identities.append(here.identity())
    assert len(set(identities)) == 3
    assert here.rows("SELECT value FROM installation WHERE name = 'origin'") == origin


def test_under_other_keys_a_database_in_use_is_left_alone(here, make_installation, kept):
    there = make_installation("there", keyring=new_keyring())
    there.accounts.create("mine", "unlimited", 0)
    with pytest.raises(Refused, match="in use under other keys"):
        there.restore(kept)
    assert [account.name for account in there.accounts.all()] == ["mine"]


def test_what_was_carried_over_is_in_the_next_export_too(here, kept, tmp_path):
    here.suppress(email="ann@example.com")
    suppression_file.export_suppressions(here.database, "f", tmp_path / "before", replace=False)
    here.restore(kept)
    suppression_file.export_suppressions(here.database, "f", tmp_path / "after", replace=False)
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


@pytest.mark.sqlite
def test_who_is_suppressed_at_the_last_moment_stays_away_too(here, kept, monkeypatch):
    carry_over, left = sqlite._preserve, ["bob", "ann"]

    def and_then_suppress(source):
        carried = carry_over(source)
        if left:
            here.suppress(email=f"{left.pop()}@example.com")
        return carried

    monkeypatch.setattr(sqlite, "_preserve", and_then_suppress)
    assert here.restore(kept) == Preserved(suppressions=6, erased=2)
    assert here.emails() == {"cid@example.com", "dee@example.com"}


@pytest.mark.sqlite
def test_a_database_that_comes_into_use_at_the_last_moment_is_left_alone(here, there, kept, monkeypatch):
    carry_over = sqlite._preserve

    def and_then_use(source):
        there.accounts.create("mine", "unlimited", 0)
        return carry_over(source)

    monkeypatch.setattr(sqlite, "_preserve", and_then_use)
    with pytest.raises(Refused, match="in use"):
        restore_gently(there, kept)
    assert [account.name for account in there.accounts.all()] == ["mine"]


def restore_gently(installation, file):
    with archive.open_archive(file) as backup:
        service.restore(backup, installation.database, force=False, progress_of=unwatched)


@pytest.mark.postgresql
def test_who_is_at_work_when_a_restore_begins_ends_first_and_meets_no_deadlock(here, kept):
    restoring = threading.Thread(target=here.restore, args=(kept,))
    with here.database.write(RECORDS) as session:
        session.execute(sa.text("UPDATE contacts SET emails = NULL WHERE id = 1"))
        restoring.start()
        eventually(lambda: session.all(WAITING), "the restore does not begin")
        # a table that the restore holds by now, as it takes them in the order of their names
        session.execute(sa.text("UPDATE accounts SET active = 1"))
    restoring.join(120)
    assert not restoring.is_alive()
    assert "ann@example.com" in here.emails()


def test_what_a_split_keeps_of_somebody_suppressed_since_is_gone_too(here, file):
    load(here, "ann", "bob")
    with here.database.write(RECORDS) as session:
        session.raw.execute(
            "INSERT INTO record_splits (digest, entity, record_id) SELECT digest, 1, contact_id"
            " FROM contact_keys WHERE contact_id IN (1, 2)"
        )
    kept = here.back_up(file)
    here.suppress(email="ann@example.com")
    here.restore(kept)
    assert here.rows("SELECT DISTINCT record_id FROM record_splits") == [(2,)]
