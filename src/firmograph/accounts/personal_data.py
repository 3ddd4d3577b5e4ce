"""Personal data of accounts: the e-mail addresses of their users."""

from collections.abc import Iterator
from typing import Any, Final

from firmograph.accounts import activity_store, store
from firmograph.accounts.preservation import keep_disabled, keep_revocations, keep_users_removed
from firmograph.accounts.tables import (
    account_activities,
    accounts,
    api_keys,
    usage_days,
    usage_push_positions,
    usage_pushes,
    users,
)
from firmograph.database.connection import Session
from firmograph.privacy.declarations import Impersonal, People, PersonalData, TableData

_CODE, _SECRET = Impersonal.CODE, Impersonal.CREDENTIALS


def find_users(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the users with an e-mail address of the people."""
    for user in store.select_all_users(session):
        if people.have_email(user["email"]):
            yield user


def find_activity(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield what users with an e-mail address of the people did."""
    for row in activity_store.select_all_activity(session):
        if people.have_email(row["actor"]):
            yield row


_TABLES = (
    TableData(accounts, impersonal={"name": Impersonal.OWN_WORDS, "plan": _CODE, "can_reveal": _CODE}),
    TableData(
        users,
        retained={"email": "member of an account, which the account itself adds and removes"},
        impersonal={"role": _CODE},
        find=find_users,
        place="users of accounts",
    ),
    TableData(
        account_activities,
        retained={"actor": "member of an account, at what they did in it"},
        impersonal={"action": _CODE, "subject": _CODE, "details": Impersonal.OWN_WORDS},
        find=find_activity,
        place="activity in accounts",
    ),
    TableData(api_keys, impersonal={"digest": _SECRET, "prefix": _SECRET, "name": Impersonal.OWN_WORDS}),
    TableData(usage_days, impersonal={"actor": _CODE, "operation": _CODE}),
    TableData(usage_pushes, impersonal={"name": Impersonal.OWN_WORDS}),
    TableData(usage_push_positions, impersonal={"name": Impersonal.OWN_WORDS}),
)

PERSONAL_DATA: Final = PersonalData(
    "accounts", tables=_TABLES, preservers=(keep_revocations, keep_disabled, keep_users_removed)
)
