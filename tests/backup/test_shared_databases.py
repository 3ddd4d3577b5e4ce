"""Backup and restore of this program's tables in PostgreSQL databases with other objects."""

import pytest
import sqlalchemy as sa
from installation import no_progress

from firmograph.backup import archive, service
from firmograph.database.connection import EVERY_ACCOUNT, RECORDS, SUBSCRIPTIONS, Database
from firmograph.database.schema import build, prepare
from firmograph.database.staged_schema import staged_schema
from firmograph.kit.errors import Refused
from installation_factory import make_protections
from record_factory import contact, load_contacts

pytestmark = pytest.mark.postgresql

_ADDRESSES = sa.text("SELECT emails FROM contacts ORDER BY id")


def people(*names):
    return [(name, contact(name, "Doe", emails=[f"{name}@example.com"])) for name in names]


def test_functions_of_extensions_are_unchanged(installation, file):
    load_contacts(installation.database, "test", people("ann"), installation.clock)
    installation.back_up(file)
    installation.database.session().raw.execute("CREATE EXTENSION pgcrypto")
    load_contacts(installation.database, "test", people("bob"), installation.clock)
    installation.restore(file)
    assert installation.emails() == {"ann@example.com"}
    assert installation.rows("SELECT length(gen_random_bytes(3))") == [(3,)]


def test_only_the_schema_of_the_search_path_is_backed_up_and_restored(installation, file):
    load_contacts(installation.database, "test", people("elsewhere"), installation.clock)
    installation.database.session().raw.execute('CREATE SCHEMA "Own"')
    own = Database(installation.url + "?options=-csearch_path%3D%22Own%22")
    prepare(own)
    load_contacts(own, "test", people("ann"), installation.clock)
    service.back_up(own, None, file, installation.clock, replace=False, progress_of=no_progress)
    before = own.session().all(_ADDRESSES)
    for each in (own, installation.database):
        load_contacts(each, "test", people("bob"), installation.clock)
    with archive.open_archive(file) as backup:
        service.check(backup, own.url, no_progress("Checking"))
        service.restore(backup, own, make_protections(), force=True, progress_of=no_progress)
    assert own.session().all(_ADDRESSES) == before
    assert installation.emails() == {"elsewhere@example.com", "bob@example.com"}
    own.close()


def test_a_second_restore_at_the_same_time_is_refused(installation, monkeypatch):
    monkeypatch.setattr("firmograph.database.staged_schema._WAIT_SECONDS", 0)
    other = Database(installation.url)
    with staged_schema(other), pytest.raises(Refused, match="Another process is restoring"):
        staged_schema(installation.database).__enter__()
    other.close()


def test_a_role_that_may_create_no_schema_is_refused_with_what_it_needs(installation):
    role = f"limited_{installation.database.name}"
    installation.database.session().raw.execute(f"CREATE ROLE {role}")
    limited = Database(f"{installation.url}?options=-crole%3D{role}")
    with pytest.raises(Refused, match="needs GRANT CREATE ON DATABASE"), staged_schema(limited):
        pass
    limited.close()
    installation.database.session().raw.execute(f"DROP ROLE {role}")


def test_sessions_of_a_staged_schema_lock_no_scope_and_announce_no_change(installation):
    locks = sa.text(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    with staged_schema(installation.database) as staged:
        build(staged)
        with staged.write(RECORDS) as session:
            session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
            session.execute(sa.text("INSERT INTO changes (entity, entity_id) VALUES (1, 1)"))
            # the restore's own lock is of the asking session
            assert installation.database.session().all(locks) == [(0,)]
