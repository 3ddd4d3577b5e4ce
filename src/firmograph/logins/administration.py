"""Logins and operators as commands manage them. Errors are Refused, in one line."""

from firmograph.accounts.memberships import check_email
from firmograph.accounts.service import Accounts
from firmograph.accounts.types import User
from firmograph.database.connection import ACCOUNTS, Database
from firmograph.kit.clock import Clock
from firmograph.kit.errors import BadRequest, Refused
from firmograph.logins import store
from firmograph.logins.passwords import Passwords, check_password
from firmograph.logins.types import Login
from firmograph.operator_audit.service import OperatorAudit


class LoginAdministration:
    """Marks of operators, and passwords that the operator sets."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        passwords: Passwords,
        accounts: Accounts,
        audit: OperatorAudit | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords
        self._accounts = accounts
        self._audit = audit or OperatorAudit()

    def operators(self) -> list[Login]:
        """Return the logins of operators, oldest first."""
        with self._database.read() as session:
            return store.select_operators(session)

    def add_operator(self, email: str, password: str | None = None) -> Login:
        """Mark a login as an operator's; without a login a password makes one. Raises Refused."""
        email, now = check_email(email), self._clock.seconds()
        encoded = None if password is None else self._hash(password, email)
        with self._database.write(ACCOUNTS) as session:
            found = store.select_named(session, email)
            if found is None and encoded is None:
                raise Refused(f"{email} has no login yet; give one a password with --password-stdin")
            if found is not None and encoded is not None:
                raise Refused(f"{email} has a login; leave --password-stdin out, their password stays")
            if found is None:
                login = store.insert_login(session, email, encoded or "", True, now)
            else:
                login = found[0]._replace(is_operator=True)
                store.update_operator(session, login.id, True)
            self._audit.record(session, now, "operator add", subject=f"login {login.id}")
            return login

    def remove_operator(self, email: str) -> Login:
        """Withdraw the mark, from the next request on. Raises Refused for who has none."""
        email, now = check_email(email), self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            found = store.select_named(session, email)
            if found is None or not found[0].is_operator:
                raise Refused(f"{email} is no operator; list them with `firmograph operator list`")
            store.update_operator(session, found[0].id, False)
            self._audit.record(session, now, "operator remove", subject=f"login {found[0].id}")
            return found[0]._replace(is_operator=False)

    def add_user(self, account: str, email: str, role: str, password: str) -> User:
        """Add a user with a login in one transaction. Raises Refused if the address has a login already."""
        email = check_email(email)
        encoded = self._hash(password, email)
        with self._database.write(ACCOUNTS) as session:
            user = self._accounts.joined(session, self._audit).add_user(account, email, role)
            if store.select_named(session, email) is not None:
                raise Refused(f"{email} has a login; leave --password-stdin out, their password stays")
            store.insert_login(session, email, encoded, False, self._clock.seconds())
            return user

    def _hash(self, password: str, email: str) -> str:
        try:
            check_password(password, email)
        except BadRequest as error:
            raise Refused(error.message) from None
        return self._passwords.hash(password)
