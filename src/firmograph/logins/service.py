"""Sessions of logins: signing in and out, the choice of an account, and new passwords.

A session's token has 256 random bits, is kept by the browser alone and stored as its SHA-256. Each request reads the
session, so that a removal, another password or a sign-out counts at the next one, on every server.
"""

import secrets
from hashlib import sha256
from typing import Final

from firmograph.accounts.memberships import list_memberships
from firmograph.database.connection import Database, Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import BadRequest, Unauthorized
from firmograph.logins import store
from firmograph.logins.passwords import Passwords, check_password
from firmograph.logins.throttle import Throttle
from firmograph.logins.types import Login, NewSession, SessionState

IDLE_SECONDS: Final = 12 * 3_600.0
LONGEST_SECONDS: Final = 30 * 86_400.0
_SAVED_SECONDS: Final = 60.0
"""Time between two saved uses of a session."""
WRONG: Final = "E-mail address or password is wrong"


class Sessions:
    """Sessions of logins."""

    def __init__(self, database: Database, clock: Clock, passwords: Passwords, throttle: Throttle) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords
        self._throttle = throttle

    def sign_in(self, email: str, password: str, network: bytes) -> NewSession:
        """Start a session. Unknown addresses cost and answer the same as wrong passwords.

        Raises Unauthorized, and TooManyRequests after too many failures.
        """
        login = self.check(email, password, network)
        with self._database.write(None) as session:
            return start_session(session, login, self._clock.seconds())

    def check(self, email: str, password: str, network: bytes) -> Login:
        """Return the login of an address and its password; raises as `sign_in` does."""
        email = email.strip().lower()
        with self._throttle.attempt(email, network) as attempt:
            with self._database.read() as session:
                found = store.select_named(session, email)
            login, encoded = found or (None, None)
            attempt.has_succeeded = self._passwords.verify(encoded, password)
        if login is None or not attempt.has_succeeded:
            raise Unauthorized(WRONG)
        return login

    def read(self, token: str) -> SessionState | None:
        """Return the session of a token; None if it has ended. One statement, and once a minute its use is saved."""
        digest, now = hash_token(token), self._clock.seconds()
        state = store.select_session(self._database.session(), digest)
        if state is None or now >= min(state.used_at + IDLE_SECONDS, state.created_at + LONGEST_SECONDS):
            return None
        if now >= state.used_at + _SAVED_SECONDS:
            with self._database.write(None) as session:
                store.update_used(session, digest, now)
        return state

    def choose_account(self, token: str, account_id: int) -> None:
        """Remember the account that a session works in; the request checks the membership."""
        with self._database.write(None) as session:
            store.update_chosen_account(session, hash_token(token), account_id)

    def sign_out(self, token: str) -> None:
        with self._database.write(None) as session:
            store.delete_session(session, hash_token(token))

    def sign_out_others(self, token: str, login: Login) -> None:
        """End all sessions of a login but this one."""
        with self._database.write(None) as session:
            store.delete_sessions(session, login.id, but=hash_token(token))

    def list_sessions(self, token: str, login: Login) -> list[tuple[bool, float, float]]:
        """Return whether it is this one, start and last use of the open sessions of a login, the last used first."""
        own, now = hash_token(token), self._clock.seconds()
        with self._database.read() as session:
            return [
                (digest == own, start, used)
                for digest, start, used in store.select_sessions(session, login.id)
                if now < min(used + IDLE_SECONDS, start + LONGEST_SECONDS)
            ]

    def change_password(self, token: str, login: Login, current: str, new: str, network: bytes) -> None:
        """Change the password of a login and end its other sessions.

        Raises BadRequest for a wrong current password and for a new one that nobody should choose.
        """
        check_password(new, login.email)
        try:
            self.check(login.email, current, network)
        except Unauthorized:
            raise BadRequest("The current password is wrong") from None
        encoded = self._passwords.hash(new)
        with self._database.write(None) as session:
            store.update_password(session, login.id, encoded, self._clock.seconds())
            store.delete_sessions(session, login.id, but=hash_token(token))


def start_session(session: Session, login: Login, now: float) -> NewSession:
    """Start a session in an open transaction; who is a user of one account works in it."""
    memberships = list_memberships(session, login.email)
    token = secrets.token_urlsafe(32)
    account_id = memberships[0].account_id if len(memberships) == 1 else None
    store.insert_session(session, hash_token(token), login.id, account_id, now)
    return NewSession(token, login)


def hash_token(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
