"""Operators' keys, as commands create and revoke them. Errors are Refused, in one line.

They are made and stored like API keys (`accounts/keys.py`), and open `/admin` alone.
"""

from typing import Final, NamedTuple

from firmograph.accounts.keys import hash_key, new_key, visible_prefix
from firmograph.admin import store
from firmograph.admin.types import OperatorKey
from firmograph.database.connection import ACCOUNTS, Database
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit

_MARK: Final = "fgo_"


class NewOperatorKey(NamedTuple):
    """New key of an operator; `operator_key` cannot be retrieved later."""

    operator_key: str
    key: OperatorKey


class OperatorKeys:
    def __init__(self, database: Database, clock: Clock, audit: OperatorAudit | None = None) -> None:
        self._database = database
        self._clock = clock
        self._audit = audit or OperatorAudit()

    def create(self, name: str = "") -> NewOperatorKey:
        """Create a key. Raises Refused for a name that is none."""
        name = name.strip()
        if len(name) > 100 or not name.isprintable():
            raise Refused("A key's name must be at most 100 printable characters")
        now, operator_key = self._clock.seconds(), new_key(_MARK)
        prefix = visible_prefix(operator_key)
        with self._database.write(ACCOUNTS) as session:
            number = store.insert_key(session, hash_key(operator_key), prefix, name, now)
            self._audit.record(session, now, "operator key create", subject=f"key {prefix}")
        return NewOperatorKey(operator_key, OperatorKey(number, prefix, name, now, None))

    def all(self) -> list[OperatorKey]:
        """Return all keys, including revoked ones, oldest first."""
        with self._database.read() as session:
            return store.select_keys(session)

    def revoke(self, key: str) -> OperatorKey:
        """Revoke a key, named in full or by its prefix; it is refused from the next request on."""
        now = self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            found = store.select_named(session, key, hash_key(key))
            active = [one for one in found if one.revoked_at is None]
            if not active:
                raise Refused(
                    f"The key {found[0].prefix} is revoked already"
                    if found
                    else "There is no such key; list the keys with `firmograph operator key list`"
                )
            store.update_revoked(session, active[0].id, now)
            self._audit.record(session, now, "operator key revoke", subject=f"key {active[0].prefix}")
            return active[0]._replace(revoked_at=now)
