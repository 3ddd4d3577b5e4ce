"""Keys, users and their activity."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from firmograph.accounts.activity import list_activity
from firmograph.accounts.key_changes import list_keys
from firmograph.accounts.keys import read_expiry
from firmograph.accounts.service import Accounts
from firmograph.accounts.types import KeyTerms
from firmograph.accounts.users import ROLES, list_users
from firmograph.database.connection import ACCOUNTS, Session
from firmograph.kit.errors import BadRequest, FirmographError, Refused
from firmograph.logins.links import Links, list_invitations
from firmograph.workspace import AT
from firmograph.workspace.answers import Answer, HtmlPage, Redirect
from firmograph.workspace.visit import Visit

T = TypeVar("T")

_ACTIVITY_ROWS: Final = 50


def _change(visit: Visit, change: Callable[[Session, Accounts, str], T]) -> T:
    """Run a change of the account by its user, with its row in the activity, in one transaction."""
    installation = visit.installation
    with installation.database.write(ACCOUNTS) as session:
        accounts = installation.get(Accounts).joined(session, visit.activity)
        return change(session, accounts, str(visit.membership.account_id))


# --- keys ---


def show_keys(visit: Visit) -> Answer:
    return _keys_page(visit)


def create_key(visit: Visit) -> Answer:
    """Make a key; the page that follows shows it once."""
    try:
        terms = _read_terms(visit)
        new = _change(visit, lambda session, accounts, account: accounts.create_key(account, terms))
    except (Refused, BadRequest) as error:
        return _keys_page(visit, problem=error.message, status=error.status)
    return _keys_page(visit, new_key=new.api_key)


def revoke_key(visit: Visit) -> Answer:
    prefix = visit.parameters["prefix"]
    try:
        _change(visit, lambda session, accounts, account: accounts.revoke_key(account, prefix))
    except Refused as error:
        return _keys_page(visit, problem=error.message, status=error.status)
    return Redirect(f"{AT}/keys")


def _read_terms(visit: Visit) -> KeyTerms:
    expires, credits = visit.typed("expires").strip(), visit.typed("daily_credits").strip()
    if credits and not (credits.isascii() and credits.isdigit()):
        raise BadRequest("Credits a day: write a whole number, or nothing for no cap")
    return KeyTerms(
        visit.typed("name"), read_expiry(expires) if expires else None, int(credits) if credits else None
    )


def _keys_page(visit: Visit, *, problem: str = "", new_key: str = "", status: int = 200) -> HtmlPage:
    with visit.installation.database.read() as session:
        keys = list_keys(visit.own(session))
    values: dict[str, Any] = {
        "keys": keys,
        "now": visit.at,
        "problem": problem,
        "new_key": new_key,
        "url": visit.installation.settings.public_url,
        "typed": {
            name: visit.typed(name) if problem else "" for name in ("name", "expires", "daily_credits")
        },
    }
    return HtmlPage("keys.html", values, status)


# --- users ---


def show_users(visit: Visit) -> Answer:
    return _users_page(visit)


def invite_user(visit: Visit) -> Answer:
    """Make an invitation; the page that follows shows its link once."""
    email, role = visit.typed("email"), visit.typed("role")

    def invite(session: Session, accounts: Accounts, account: str) -> str:
        membership = visit.membership
        new = visit.installation.get(Links).invite(
            session, membership.account_id, email, role, f"user:{membership.user_id}"
        )
        visit.activity.record(session, visit.at, "user invite", details={"email": new.email, "role": role})
        return new.token

    try:
        token = _change(visit, invite)
    except Refused as error:
        return _users_page(visit, problem=error.message, status=error.status)
    return _users_page(visit, token=token)


def withdraw_invitation(visit: Visit) -> Answer:
    email = visit.typed("email")

    def withdraw(session: Session, accounts: Accounts, account: str) -> None:
        visit.installation.get(Links).withdraw_invitation(session, visit.membership.account_id, email)
        visit.activity.record(session, visit.at, "user invitation withdraw", details={"email": email})

    _change(visit, withdraw)
    return Redirect(f"{AT}/users")


def change_role(visit: Visit) -> Answer:
    email, role = visit.typed("email"), visit.typed("role")
    return _change_user(visit, lambda session, accounts, account: accounts.set_role(account, email, role))


def remove_user(visit: Visit) -> Answer:
    """Remove a user; what they own goes to the admin who removes them."""
    email, own = visit.typed("email"), visit.membership.email
    give_to = None if email.strip().lower() == own else own
    return _change_user(
        visit, lambda session, accounts, account: accounts.remove_user(account, email, give_to)
    )


def _change_user(visit: Visit, change: Callable[[Session, Accounts, str], object]) -> Answer:
    try:
        _change(visit, change)
    except FirmographError as error:
        if error.status >= 500:
            raise
        return _users_page(visit, problem=error.message, status=error.status)
    return Redirect(f"{AT}/users")


def _users_page(visit: Visit, *, problem: str = "", token: str = "", status: int = 200) -> HtmlPage:
    with visit.installation.database.read() as session:
        users = list_users(visit.own(session))
        invitations = list_invitations(session, visit.membership.account_id, visit.at)
    values: dict[str, Any] = {
        "users": users,
        "invitations": invitations,
        "roles": ROLES,
        "problem": problem,
        "link": f"{visit.installation.settings.public_url}{AT}/link/{token}" if token else "",
        "typed_email": visit.typed("email") if problem else "",
        "typed_role": visit.typed("role") if problem else "member",
    }
    return HtmlPage("users.html", values, status)


# --- activity ---


def show_activity(visit: Visit) -> Answer:
    before = visit.query.get("before", "")
    with visit.installation.database.read() as session:
        rows = list_activity(
            visit.own(session),
            int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None,
            _ACTIVITY_ROWS + 1,
        )
    has_more = len(rows) > _ACTIVITY_ROWS
    return HtmlPage("activity.html", {"rows": rows[:_ACTIVITY_ROWS], "has_more": has_more})
