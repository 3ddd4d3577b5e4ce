"""Personal data of logins: e-mail addresses of people who work with the service, and what a restore keeps."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from firmograph.database.connection import Session
from firmograph.logins import store
from firmograph.logins.tables import login_failures, login_links, login_sessions, logins
from firmograph.privacy.declarations import (
    Finder,
    Impersonal,
    People,
    PersonalData,
    Replacement,
    TableData,
)

_CODE, _SECRET = Impersonal.CODE, Impersonal.CREDENTIALS


def _by_email(read: Callable[[Session], Iterable[dict[str, Any]]]) -> Finder:
    """Return the finder of rows whose e-mail address is one of the people's."""

    def find(session: Session, people: People) -> Iterator[dict[str, Any]]:
        return (row for row in read(session) if people.have_email(row["email"]))

    return find


def keep_logins(replacement: Replacement) -> None:
    """End sessions and links of a copy; removed logins, newer passwords and withdrawn operators stay so."""
    replaced, copy = replacement.replaced, replacement.copy
    store.clear_sessions_and_links(copy)
    if not replacement.same_origin:
        return
    now, then = store.select_identities(replaced), store.select_identities(copy)
    store.delete_logins(copy, [login.id for identity, (login, _) in then.items() if identity not in now])
    for identity in now.keys() & then.keys():
        (newer, password), (older, _) = now[identity], then[identity]
        if newer.password_at > older.password_at:
            store.update_password(copy, older.id, password, newer.password_at)
        if older.is_operator and not newer.is_operator:
            store.update_operator(copy, older.id, False)


_TABLES = (
    TableData(
        logins,
        retained={"email": "works with the service; the operator or their account adds and removes them"},
        impersonal={"password": _SECRET},
        find=_by_email(store.select_logins),
        place="logins",
    ),
    TableData(
        login_sessions,
        impersonal={"digest": _SECRET},
        kept={"login_id": "number of a login, not of a record"},
    ),
    TableData(
        login_links,
        retained={"email": "invited by an account; the link ends after seven days"},
        impersonal={"digest": _SECRET, "kind": _CODE, "role": _CODE, "made_by": _CODE},
        find=_by_email(store.select_links),
        place="invitations and links",
    ),
    TableData(login_failures, impersonal={"email": Impersonal.KEYED_HASH, "network": Impersonal.KEYED_HASH}),
)

PERSONAL_DATA: Final = PersonalData("logins", tables=_TABLES, preservers=(keep_logins,))
