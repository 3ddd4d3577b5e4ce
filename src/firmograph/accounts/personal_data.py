"""Personal data of accounts: the e-mail addresses of their users.

A restore does not undo that keys were revoked and accounts disabled; accounts are matched by number and time of
creation.
"""

from collections.abc import Iterator
from typing import Any, Final

from firmograph.accounts import store
from firmograph.accounts.tables import accounts, api_keys, users
from firmograph.database.connection import Session
from firmograph.directory.normalise.emails import normalise_email
from firmograph.privacy.declarations import Impersonal, People, PersonalData, TableData
from firmograph.privacy.restore_rules import FoundTable, RestoreRule, StagedTable

_CODE, _SECRET = Impersonal.CODE, Impersonal.CREDENTIALS


def find_users(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the users with an e-mail address of the people."""
    digests = people.digests
    for user in store.select_all_users(session):
        address = normalise_email(user["email"])
        if address is not None and digests.contact_email(address) in people.keys:
            yield user


_TABLES = (
    TableData(accounts, impersonal={"name": Impersonal.OWN_WORDS, "plan": _CODE, "can_reveal": _CODE}),
    TableData(
        users,
        retained={"email": "member of an account, which the account itself adds and removes"},
        impersonal={"role": _CODE},
        find=find_users,
    ),
    TableData(api_keys, impersonal={"digest": _SECRET, "prefix": _SECRET}),
)

_REVOCATIONS = RestoreRule(
    staged=(
        StagedTable(
            "was_revoked", "SELECT digest, revoked_at FROM {source}api_keys WHERE revoked_at IS NOT NULL"
        ),
        StagedTable("was_disabled", "SELECT id, created_at FROM {source}accounts WHERE active = 0"),
    ),
    found=(
        FoundTable(
            "new_revoked",
            "SELECT w.digest, w.revoked_at FROM was_revoked w"
            " JOIN api_keys k ON k.digest = w.digest WHERE k.revoked_at IS NULL",
            counts="revoked",
        ),
        FoundTable(
            "new_disabled",
            "SELECT a.id FROM was_disabled w"
            " JOIN accounts a ON a.id = w.id AND a.created_at = w.created_at WHERE a.active <> 0",
            counts="disabled",
        ),
    ),
    changes=(
        "UPDATE api_keys SET revoked_at ="
        " (SELECT n.revoked_at FROM new_revoked n WHERE n.digest = api_keys.digest)"
        " WHERE digest IN (SELECT digest FROM new_revoked)",
        "UPDATE accounts SET active = 0 WHERE id IN (SELECT id FROM new_disabled)",
    ),
)

PERSONAL_DATA: Final = PersonalData("accounts", tables=_TABLES, restore=(_REVOCATIONS,))
