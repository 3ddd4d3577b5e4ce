"""Personal data of records and suppression, in the tables of `directory`, which lies below this package.

A restore works as follows on them:

- Every suppression that the copy lacks is added; none is lifted.
- A record of the copy is erased if it has a strong key that is newly suppressed, unless the same record had that key in
  the replaced database too: then the suppression was for somebody else with the same address, and this record was kept.
- A record is also erased if its number was removed there and both databases have the same origin.
- Record numbers continue after the highest one of both databases, so that no issued id changes its meaning.

Rules of other packages may join `new_suppressed` (the keys that the copy lacks) and `new_erased` (the erased records).
"""

from typing import Final

from firmograph.directory.tables import (
    changes,
    companies,
    company_keys,
    company_parents,
    company_rows,
    contact_keys,
    contact_rows,
    contacts,
    counters,
    installation,
    record_splits,
    sources,
    suppressions,
)
from firmograph.privacy import store
from firmograph.privacy.declarations import (
    Erasure,
    FileData,
    Impersonal,
    PersonalData,
    TableData,
    rows_by_key,
    rows_by_number,
)
from firmograph.privacy.restore_rules import SAME_ORIGIN, FoundTable, RestoreRule, StagedTable
from firmograph.security.record_ids import Entity

_CONTACT: Final = int(Entity.CONTACT)
_CODE, _HASH, _COMPANY = Impersonal.CODE, Impersonal.KEYED_HASH, Impersonal.COMPANY


def erase_records(erasure: Erasure) -> None:
    """Delete the records with their rows, keys and splits, and add their removal to the change sequence."""
    for number, person in erasure.people.records.items():
        store.delete_contact(erasure.session, number, person.stored_keys)


_TABLES = (
    TableData(
        contacts,
        erased=("id", "preview", "profile", "emails", "phones", "extras"),
        find=rows_by_number(contacts.c.id),
    ),
    TableData(
        contact_rows,
        erased=("contact_id", "source_id", "row", "history"),
        impersonal={"version": _CODE, "day": _CODE},
        find=rows_by_number(contact_rows.c.contact_id),
    ),
    TableData(contact_keys, erased=("digest", "contact_id"), find=rows_by_number(contact_keys.c.contact_id)),
    TableData(
        record_splits,
        erased=("digest", "record_id"),
        find=rows_by_number(record_splits.c.record_id, record_splits.c.entity == _CONTACT),
    ),
    TableData(
        suppressions,
        retained={
            "digest": "keyed hash that keeps the person out, until the suppression is lifted",
            "person": "keyed hash by which the suppression is lifted",
        },
        find=rows_by_key(suppressions.c.digest),
    ),
    TableData(
        changes,
        retained={"entity_id": "number by which indexes and restores drop the removed record"},
        find=rows_by_number(changes.c.entity_id, changes.c.entity == _CONTACT),
    ),
    TableData(
        companies,
        impersonal=dict.fromkeys(("card", "preview", "profile", "premium", "extras"), _COMPANY),
    ),
    TableData(company_parents),
    TableData(company_keys, impersonal={"digest": _HASH}),
    TableData(
        company_rows,
        impersonal={
            **dict.fromkeys(("source_id", "row", "history"), _COMPANY),
            "version": _CODE,
            "day": _CODE,
        },
    ),
    TableData(sources, impersonal={"name": Impersonal.OWN_WORDS}),
    TableData(counters, impersonal={"name": _CODE}),
    TableData(installation, impersonal={"name": _CODE, "value": _CODE}),
)

_FILES = (
    FileData(
        "privacy.suppression_file",
        "keyed hashes of suppressed people, for another installation",
        "stays: it keeps them out there and says nothing without the keyring",
    ),
    FileData(
        "database.sqlite",
        "the embedded database with its log",
        "deleted content is overwritten in both before the command ends (database/sqlite_remnants.py)",
    ),
    FileData("database.sqlite_remnants", "the embedded database, where it overwrites what was deleted"),
    FileData(
        "database.dry_run",
        "a copy of the embedded database while a dry run lasts",
        "removed at its end, or by the next command that opens the database",
    ),
    FileData("database.migrations.__main__", "an empty database, for developers"),
    FileData("kit.atomic_files", "files of the modules that call it, each declared by itself"),
    FileData("security.keyring", "the key file"),
)

_RECORDS = RestoreRule(
    staged=(
        StagedTable("was_suppressed", "SELECT digest, person, strong, at FROM {source}suppressions"),
        StagedTable(
            "was_holder",
            "SELECT digest, contact_id AS number FROM {source}contact_keys"
            " WHERE digest IN (SELECT digest FROM {source}suppressions WHERE strong = 1)"
            " AND contact_id IN (SELECT id FROM {source}contacts)",
            is_checked=False,
        ),
        StagedTable(
            "was_removed",
            f"SELECT DISTINCT entity_id AS number FROM {{source}}changes WHERE removed = 1 AND entity = {_CONTACT}",
        ),
        StagedTable("was_counted", "SELECT name, value FROM {source}counters", is_checked=False),
        StagedTable(
            "was_installed",
            "SELECT name, value FROM {source}installation WHERE name = 'origin'",
            is_checked=False,
        ),
    ),
    found=(
        FoundTable(
            "new_suppressed",
            "SELECT w.digest, w.person, w.strong, w.at FROM was_suppressed w"
            " WHERE NOT EXISTS (SELECT 1 FROM suppressions s WHERE s.digest = w.digest AND s.person = w.person)",
            counts="suppressions",
        ),
        FoundTable(
            "new_erased",
            f"SELECT w.number FROM was_removed w JOIN contacts c ON c.id = w.number WHERE {SAME_ORIGIN}"
            " UNION SELECT k.contact_id FROM contact_keys k JOIN new_suppressed n ON n.digest = k.digest"
            " WHERE n.strong = 1 AND NOT EXISTS"
            " (SELECT 1 FROM was_holder w WHERE w.digest = k.digest AND w.number = k.contact_id)",
            counts="erased",
        ),
    ),
    changes=(
        "INSERT INTO suppressions (digest, person, strong, at)"
        " SELECT digest, person, strong, at FROM new_suppressed",
        "DELETE FROM contact_keys WHERE contact_id IN (SELECT number FROM new_erased)",
        "DELETE FROM contact_rows WHERE contact_id IN (SELECT number FROM new_erased)",
        "DELETE FROM contacts WHERE id IN (SELECT number FROM new_erased)",
        f"INSERT INTO changes (entity, entity_id, removed) SELECT {_CONTACT}, number, 1 FROM new_erased",
        "UPDATE counters SET value = (SELECT w.value FROM was_counted w WHERE w.name = counters.name)"
        f" WHERE {SAME_ORIGIN} AND value < (SELECT w.value FROM was_counted w WHERE w.name = counters.name)",
        f"INSERT INTO counters (name, value) SELECT w.name, w.value FROM was_counted w WHERE {SAME_ORIGIN}"
        " AND NOT EXISTS (SELECT 1 FROM counters c WHERE c.name = w.name)",
    ),
)
_SPLITS = RestoreRule(
    changes=(
        f"DELETE FROM record_splits WHERE entity = {_CONTACT} AND record_id IN (SELECT number FROM new_erased)",
    ),
)

PERSONAL_DATA: Final = PersonalData(
    "records",
    tables=_TABLES,
    files=_FILES,
    record_erasers=(erase_records,),
    restore=(_RECORDS, _SPLITS),
)
