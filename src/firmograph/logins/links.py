"""One-time links: the first run, invitations into an account, and new passwords.

No mail is sent: who makes a link hands it over. A link for an address that has a login offers the membership alone;
only an operator's link sets the password of a login that exists.
"""

import secrets
from typing import Final, NamedTuple

from firmograph.accounts.lookup import find_account, list_accounts
from firmograph.accounts.memberships import check_email, list_memberships
from firmograph.accounts.service import Accounts
from firmograph.accounts.users import check_role
from firmograph.database.connection import ACCOUNTS, Database, Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import BadRequest, Expired, Refused, RefusedByState
from firmograph.logins import store
from firmograph.logins.passwords import Passwords, check_password
from firmograph.logins.service import Sessions, hash_token, start_session
from firmograph.logins.types import Link, Login, NewLink, NewSession
from firmograph.operator_audit.service import OperatorAudit

_HOUR: Final = 3_600.0
_INVITED_SECONDS: Final = 7 * 86_400.0
ENDED: Final = "This link has been used or has expired; ask for another one"


class Invitation(NamedTuple):
    """Open invitation into an account."""

    email: str
    role: str
    expires_at: float


def list_invitations(session: Session, account_id: int, now: float) -> list[Invitation]:
    """Return the open invitations into an account, oldest first. One statement."""
    return [Invitation(*row) for row in store.select_invitations(session, account_id, now)]


class Links:
    """One-time links, made and used."""

    def __init__(
        self, database: Database, clock: Clock, accounts: Accounts, passwords: Passwords, sessions: Sessions
    ) -> None:
        self._database = database
        self._clock = clock
        self._accounts = accounts
        self._passwords = passwords
        self._sessions = sessions

    # --- making ---

    def make_first_run(self) -> NewLink | None:
        """Make the link by which the first operator comes in; earlier ones end. None once there is a login."""
        with self._database.write(ACCOUNTS) as session:
            if store.has_logins(session):
                return None
            return self._make(session, Link("first-run", "", None, "", "", self._now() + _HOUR))

    def invite(self, session: Session, account_id: int, email: str, role: str, made_by: str) -> NewLink:
        """Make an invitation into an account, in an open transaction of ACCOUNTS; an earlier one ends.

        Raises Refused for an address or role that is none, and for a user of the account.
        """
        email = check_email(email)
        check_role(role)
        if any(one.account_id == account_id for one in list_memberships(session, email)):
            raise RefusedByState(f"{email} is already a user of this account")
        return self._make(
            session, Link("invitation", email, account_id, role, made_by, self._now() + _INVITED_SECONDS)
        )

    def make_password_link(self, email: str, audit: OperatorAudit) -> NewLink:
        """Make the operator's link by which a user chooses a password; an earlier one ends.

        Raises Refused for an address that has neither a login nor a membership.
        """
        email = check_email(email)
        with self._database.write(ACCOUNTS) as session:
            if store.select_named(session, email) is None and not list_memberships(session, email):
                raise Refused(f"{email} is no user; add them with `firmograph user add`")
            audit.record(session, self._now(), "user link")
            return self._make(session, Link("password", email, None, "", "operator", self._now() + _HOUR))

    def withdraw_invitation(self, session: Session, account_id: int, email: str) -> None:
        """End the invitation of an address into an account."""
        store.delete_same_links(session, "invitation", email, account_id)

    def _make(self, session: Session, link: Link) -> NewLink:
        token = secrets.token_urlsafe(32)
        store.insert_link(session, hash_token(token), link, self._now())
        return NewLink(token, link.kind, link.email, link.expires_at)

    # --- using ---

    def find(self, token: str) -> tuple[Link, bool]:
        """Return a link that is valid, and whether its address has a login. Raises Expired."""
        with self._database.read() as session:
            link = self._valid(session, token)
            return link, store.select_named(session, link.email) is not None

    def account_name(self, account_id: int) -> str:
        """Return the name of the account that an invitation leads into. Raises Refused if it is gone."""
        with self._database.read() as session:
            return find_account(session, str(account_id)).name

    def needs_account(self) -> bool:
        """Return whether the first run also makes the first account."""
        with self._database.read() as session:
            return not list_accounts(session, 0, 1)[1]

    def start(self, token: str, email: str, password: str, account: str) -> NewSession:
        """Make operator, first account and its admin by a first-run link; where accounts exist the operator alone.

        Raises Expired, and Refused or BadRequest for what was given.
        """
        email = check_email(email)
        check_password(password, email)
        encoded = self._passwords.hash(password)
        with self._database.write(ACCOUNTS) as session:
            link = self._valid(session, token, "first-run")
            if store.has_logins(session):
                raise Expired(ENDED)
            login = store.insert_login(session, email, encoded, True, self._now())
            audit = OperatorAudit(f"login {login.id}")
            audit.record(session, self._now(), "operator add", subject=f"login {login.id}")
            if not list_accounts(session, 0, 1)[1]:
                accounts = self._accounts.joined(session, audit)
                made = accounts.create(account)
                accounts.add_user(str(made.id), email, "admin")
            store.delete_same_links(session, link.kind, link.email, None)
            return start_session(session, login, self._now())

    def accept(self, token: str, password: str, network: bytes) -> NewSession:
        """Use an invitation: an address without login chooses its password, one with a login proves who it is.

        Raises Expired, BadRequest for a password that nobody should choose, Unauthorized for a wrong one and
        TooManyRequests.
        """
        link, has_login = self.find(token)
        if has_login:
            login: Login | None = self._sessions.check(link.email, password, network)
            encoded = ""
        else:
            check_password(password, link.email)
            login, encoded = None, self._passwords.hash(password)
        with self._database.write(ACCOUNTS) as session:
            link = self._valid(session, token, "invitation")
            login = login or self._add_login(session, link.email, encoded)
            if not any(one.account_id == link.account_id for one in list_memberships(session, link.email)):
                accounts = self._accounts.joined(session, OperatorAudit(link.made_by))
                accounts.add_user(str(link.account_id), link.email, link.role)
            store.delete_link(session, hash_token(token))
            return start_session(session, login, self._now())

    def set_password(self, token: str, password: str) -> NewSession:
        """Set the password of a login by a link, and end its sessions. Raises Expired and BadRequest."""
        link, _ = self.find(token)
        check_password(password, link.email)
        encoded = self._passwords.hash(password)
        with self._database.write(ACCOUNTS) as session:
            link = self._valid(session, token, "password")
            found = store.select_named(session, link.email)
            if found is None:
                login = self._add_login(session, link.email, encoded)
            else:
                login = found[0]
                store.update_password(session, login.id, encoded, self._now())
                store.delete_sessions(session, login.id)
            store.delete_link(session, hash_token(token))
            return start_session(session, login, self._now())

    def _add_login(self, session: Session, email: str, encoded: str) -> Login:
        if store.select_named(session, email) is not None:
            raise BadRequest("This address has got a login since then; open the link again")
        return store.insert_login(session, email, encoded, False, self._now())

    def _valid(self, session: Session, token: str, kind: str | None = None) -> Link:
        link = store.select_link(session, hash_token(token), self._now())
        if link is None or kind not in (None, link.kind):
            raise Expired(ENDED)
        return link

    def _now(self) -> float:
        return self._clock.seconds()
