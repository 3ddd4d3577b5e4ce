"""Memory for bodies of requests that have not arrived completely, by account.

A body gets all of its memory before the server reads on, or waits: bodies that each hold a part and wait for the rest
would never finish. A body that waits stays with its client, as its connection is not read.
"""

import asyncio
from collections import deque
from typing import Final

ACCOUNT_BYTES: Final = 64 * 2**20
"""Memory of the unfinished bodies of one account in one process."""

SHORT_BYTES: Final = 65_536
"""Maximum of a body that is short."""

_LONG_SHARE: Final = 0.75
"""Share of the memory that long bodies may take: those that never arrive do not delay short ones."""


class BodyBudget:
    """Memory of all accounts; one without unfinished bodies has no entry."""

    def __init__(self) -> None:
        self._account_bytes = ACCOUNT_BYTES
        self._accounts: dict[object, _AccountBodies] = {}

    async def take(self, account: object, size: int) -> None:
        """Take memory for a body until `give_back`, after waiting for it; bodies of a kind wait in their order.

        A body larger than all the memory is read when no other is.
        """
        bodies = self._accounts.get(account)
        if bodies is None:
            bodies = self._accounts[account] = _AccountBodies(self._account_bytes)
        await bodies.take(size)

    def give_back(self, account: object, size: int) -> None:
        bodies = self._accounts[account]
        bodies.give_back(size)
        if not bodies.held:
            del self._accounts[account]


class _Bodies:
    """Unfinished bodies of one kind, short or long."""

    def __init__(self, most: int) -> None:
        self.most = most
        """Memory in use above which none is added."""
        self.waiting: deque[tuple[int, asyncio.Future[None]]] = deque()


class _AccountBodies:
    """Unfinished bodies of one account."""

    def __init__(self, most: int) -> None:
        self.held = 0
        self._short = _Bodies(most)
        self._long = _Bodies(int(most * _LONG_SHARE))

    async def take(self, size: int) -> None:
        bodies = self._short if size <= SHORT_BYTES else self._long
        if not bodies.waiting and self._fits(bodies, size):
            self.held += size
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        bodies.waiting.append((size, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # its turn came at the same time
                self.held -= size
            self._admit()
            raise

    def give_back(self, size: int) -> None:
        self.held -= size
        self._admit()

    def _admit(self) -> None:
        for bodies in (self._short, self._long):
            while bodies.waiting:
                size, turn = bodies.waiting[0]
                if not turn.cancelled():
                    if not self._fits(bodies, size):
                        break
                    self.held += size
                    turn.set_result(None)
                bodies.waiting.popleft()

    def _fits(self, bodies: _Bodies, size: int) -> bool:
        return not self.held or self.held + size <= bodies.most
