"""PostgreSQL databases that hold more than this program's tables: backup and restore are of these alone."""

import pytest
import sqlalchemy as sa
from installation import unwatched

from firmograph.backup import archive, service
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from record_factory import contact, load_contacts

pytestmark = pytest.mark.postgresql

_ADDRESSES = sa.text("SELECT emails FROM contacts ORDER BY id")


def people(*names):
    return [(name, contact(name, "Doe", emails=[f"{name}@example.com"])) for name in names]


def test_functions_of_extensions_are_left_as_they_are(here, file):
    load_contacts(here.database, "test", people("ann"), here.clock)
    here.back_up(file)
    here.database.session().raw.execute("CREATE EXTENSION pgcrypto")
    load_contacts(here.database, "test", people("bob"), here.clock)
    here.restore(file)
    assert here.emails() == {"ann@example.com"}
    assert here.rows("SELECT length(gen_random_bytes(3))") == [(3,)]


def test_what_lies_in_a_schema_of_its_own_is_backed_up_and_restored_without_what_lies_elsewhere(here, file):
    load_contacts(here.database, "test", people("elsewhere"), here.clock)
    here.database.session().raw.execute('CREATE SCHEMA "Own"')
    own = Database(here.url + "?options=-csearch_path%3D%22Own%22")
    prepare(own)
    load_contacts(own, "test", people("ann"), here.clock)
    service.back_up(own, None, file, here.clock, replace=False, progress_of=unwatched)
    before = own.session().all(_ADDRESSES)
    for each in (own, here.database):
        load_contacts(each, "test", people("bob"), here.clock)
    with archive.open_archive(file) as backup:
        service.check(backup, own.url, unwatched("Checking"))
        service.restore(backup, own, force=True, progress_of=unwatched)
    assert own.session().all(_ADDRESSES) == before
    assert here.emails() == {"elsewhere@example.com", "bob@example.com"}
    own.close()
