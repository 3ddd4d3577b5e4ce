"""Request to a page as its function sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firmograph.accounts.activity import UserActivity
from firmograph.accounts.memberships import Membership
from firmograph.caller import CallKey, Plan, Request, UserCaller
from firmograph.database.connection import AccountSession, Session
from firmograph.installation import Installation
from firmograph.kit.errors import Forbidden
from firmograph.logins.types import SessionState


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """Request to a page, with the session and the membership of who asks."""

    installation: Installation
    request_id: str
    at: float
    """Seconds since the epoch."""
    network: bytes
    """Client's network, by which failed attempts are counted."""
    parameters: Mapping[str, str]
    """Parameters of the path."""
    query: Mapping[str, str]
    query_lists: Mapping[str, Sequence[str]]
    """All values of each name of the query."""
    form: Mapping[str, Sequence[str]]
    token: str = ""
    """Token of the session; empty without one."""
    session: SessionState | None = None
    memberships: Sequence[Membership] = ()
    """Accounts that the login may choose."""
    chosen: Membership | None = None
    plan: Plan | None = None
    """Plan of the chosen account; None if it is not configured."""

    @property
    def state(self) -> SessionState:
        """Session of a visitor who is signed in."""
        assert self.session is not None, "the audience of the page is not signed in"
        return self.session

    @property
    def membership(self) -> Membership:
        """Membership of a user of the chosen account."""
        assert self.chosen is not None, "the audience of the page has chosen no account"
        return self.chosen

    @property
    def activity(self) -> UserActivity:
        """Log of what the user does."""
        one = self.membership
        return UserActivity(one.account_id, one.user_id, one.email)

    def own(self, session: Session) -> AccountSession:
        return AccountSession(session, self.membership.account_id)

    def request(self, key: CallKey | None = None) -> Request:
        """Return the request to a service, by the user of the account, with the key of a form that charges.

        Previews of its answers say what each data point costs.

        Raises Forbidden for an account that is disabled, or whose plan is not configured.
        """
        one = self.membership
        if not one.is_active:
            raise Forbidden("The account is inactive; ask the operator of this service to enable it")
        if self.plan is None:
            raise Forbidden("The account's plan is not configured on this service; ask its operator")
        caller = UserCaller(one.account_id, self.plan, "priced", one.user_id)
        return Request(self.request_id, caller, self.at, key)

    def typed(self, name: str) -> str:
        """Return the first value of a field of the form; empty if it was not sent."""
        values = self.form.get(name, ())
        return values[0] if values else ""
