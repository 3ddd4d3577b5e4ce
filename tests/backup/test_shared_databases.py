"""Backup and restore of this program's tables in PostgreSQL databases with other objects."""

import pytest
import sqlalchemy as sa
from installation import no_progress

from firmograph.backup import archive, service
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
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
