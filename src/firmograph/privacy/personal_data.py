"""Personal data of records and suppression, in the tables of `directory`, which lies below this package.

A restore erases people from its copy by `restored_people.py`. Record numbers continue after the highest one of both
databases, so that no issued id changes its meaning.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from firmograph.directory.contact_json import ContactParts, decode_contact
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
    Deletion,
    FileData,
    Impersonal,
    PersonalData,
    Replacement,
    TableData,
    rows_by_key,
    rows_by_number,
)
from firmograph.privacy.deletion_lists.tables import deletion_hashes
from firmograph.privacy.do_not_call.tables import do_not_call_numbers
from firmograph.security.record_ids import Entity

_CONTACT: Final = int(Entity.CONTACT)
_CODE, _HASH, _COMPANY = Impersonal.CODE, Impersonal.KEYED_HASH, Impersonal.COMPANY
_EMPLOYER: Final = "a company that contacts name stays as a stub (ingest/merging/record_deletion.py)"


def remove_records(deletion: Deletion) -> None:
    """Delete the records with their rows, keys, splits and owners, and add their removal to the change sequence."""
    store.delete_records(deletion.session, deletion.entity, deletion.keys)


def continue_numbers(replacement: Replacement) -> None:
    """Let a restored copy number new records after those of the replaced database too."""
    if replacement.same_origin:
        store.raise_counters(replacement.copy, store.select_counters(replacement.replaced))


def _read_record(row: Mapping[str, Any]) -> Mapping[str, object]:
    parts = ContactParts(*(row[name] for name in ContactParts._fields))
    record: Mapping[str, object] = msgspec.to_builtins(decode_contact(parts))
    return {"companyId": row["company_id"], "record": record}


_TABLES = (
    TableData(
        contacts,
        erased=("id", "preview", "profile", "emails", "phones", "extras"),
        removed=("id",),
        kept={"company_id": _EMPLOYER},
        find=rows_by_number(contacts.c.id),
        place="records",
        read=_read_record,
    ),
    TableData(
        contact_rows,
        erased=("contact_id", "source_id", "row", "history"),
        impersonal={"version": _CODE, "day": _CODE},
        removed=("contact_id",),
        kept={"employer_id": _EMPLOYER},
        find=rows_by_number(contact_rows.c.contact_id),
        place="rows of sources",
    ),
    TableData(
        contact_keys,
        erased=("digest", "contact_id"),
        removed=("contact_id",),
        find=rows_by_number(contact_keys.c.contact_id),
        place="matching keys",
    ),
    TableData(
        record_splits,
        erased=("digest", "record_id"),
        removed=("record_id",),
        find=rows_by_number(record_splits.c.record_id, record_splits.c.entity == _CONTACT),
        place="splits",
    ),
    TableData(
        suppressions,
        retained={
            "digest": "keyed hash that keeps the person out, until the suppression is lifted",
            "person": "keyed hash by which the suppression is lifted",
        },
        find=rows_by_key(suppressions.c.digest),
        place="suppressions",
    ),
    TableData(
        changes,
        retained={"entity_id": "number by which indexes and restores drop the removed record"},
        kept={"entity_id": "number by which indexes and restores drop the removed record"},
        find=rows_by_number(changes.c.entity_id, changes.c.entity == _CONTACT),
        place="change sequence",
    ),
    TableData(
        companies,
        impersonal=dict.fromkeys(("card", "preview", "profile", "premium", "extras"), _COMPANY),
        removed=("id",),
    ),
    TableData(company_parents, removed=("company_id", "parent_id")),
    TableData(company_keys, impersonal={"digest": _HASH}, removed=("company_id",)),
    TableData(
        company_rows,
        impersonal={
            **dict.fromkeys(("source_id", "row", "history"), _COMPANY),
            "version": _CODE,
            "day": _CODE,
        },
        removed=("company_id",),
        kept={"employer_id": "empty for companies"},
    ),
    TableData(
        do_not_call_numbers,
        retained={"digest": "keyed hash that marks the number in later imports, until it is removed"},
        find=rows_by_key(do_not_call_numbers.c.digest),
        place="do-not-call registry",
    ),
    TableData(
        deletion_hashes,
        retained={"digest": "keyed hash that keeps the person out, until the list is lifted"},
        find=rows_by_key(deletion_hashes.c.digest),
        place="deletion lists",
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
    FileData(
        "privacy.digest_spool",
        "keyed hashes of a list of numbers or identifiers while a command reads it",
        "has no name: it ends with the command, also when that is killed",
    ),
)

PERSONAL_DATA: Final = PersonalData(
    "records",
    tables=_TABLES,
    files=_FILES,
    record_removers=(remove_records,),
    preservers=(continue_numbers,),
)
