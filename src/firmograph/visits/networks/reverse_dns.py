"""Reverse DNS: domains of companies by the names of addresses, asked in threads (rulings J 13, 14).

Addresses are in memory alone, for ten minutes at most.
"""

import socket
import threading
from collections import deque
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final, NamedTuple

from firmograph.kit.clock import Clock
from firmograph.visits.networks.host_names import company_domain

KEPT_SECONDS: Final = 600.0
"""Time for which an answer is kept."""
_THREADS: Final = 16
_MOST: Final = 16_384
"""Addresses that wait, and answers that are kept."""
_SILENCE_SECONDS: Final = 10.0
"""Time without any answer after which nobody waits any longer."""


class _Answer(NamedTuple):
    domain: str | None
    forget_at: float


class ReverseDns:
    """Domains of companies by address; one name at a time in each of a few threads, which end when none waits."""

    def __init__(self, clock: Clock, silence_seconds: float = _SILENCE_SECONDS) -> None:
        self._clock = clock
        self._silence_seconds = silence_seconds
        self._waiting: deque[str] = deque()
        self._pending: set[str] = set()
        """Addresses that wait or are asked about."""
        self._answers: dict[str, _Answer] = {}
        """The oldest first."""
        self._threads = 0
        self._answered = threading.Condition()

    def ask(self, addresses: Iterable[str]) -> None:
        """Begin to ask about addresses that are not known. Some are left out where too many wait."""
        with self._answered:
            for address in addresses:
                if len(self._pending) >= _MOST:
                    break
                if address not in self._pending and address not in self._answers:
                    self._pending.add(address)
                    self._waiting.append(address)
            while self._threads < min(_THREADS, len(self._pending)):
                self._threads += 1
                threading.Thread(target=self._work, name="reverse DNS", daemon=True).start()

    def wait(self) -> bool:
        """Wait until all is answered; without any answer for a while, forget the questions and return False."""
        with self._answered:
            while self._pending:
                if not self._answered.wait(self._silence_seconds):
                    self._waiting.clear()
                    self._pending.clear()
                    return False
        return True

    def is_pending(self, address: str) -> bool:
        return address in self._pending

    def domain(self, address: str) -> str | None:
        """Return the domain of the company of an address; None without one, or while it is not known."""
        answer = self._answers.get(address)
        return answer and answer.domain

    def forget_old(self) -> None:
        """Forget answers whose time is over."""
        now = self._clock.seconds()
        with self._answered:
            while self._answers and next(iter(self._answers.values())).forget_at <= now:
                del self._answers[next(iter(self._answers))]

    def _work(self) -> None:
        while True:
            with self._answered:
                if not self._waiting:
                    self._threads -= 1
                    return
                address = self._waiting.popleft()
            domain = _find_domain(address)
            with self._answered:
                self._pending.discard(address)
                if len(self._answers) >= _MOST:
                    del self._answers[next(iter(self._answers))]
                self._answers[address] = _Answer(domain, self._clock.seconds() + KEPT_SECONDS)
                self._answered.notify_all()


def _find_domain(text: str) -> str | None:
    """Return the company's domain by the name of an address, if that name has the address in turn."""
    try:
        name = socket.gethostbyaddr(text)[0]
        domain = company_domain(name, ip_address(text))
        # anybody can give an address of their own any name
        if domain is None or text not in _addresses_of(name):
            return None
    except (OSError, UnicodeError):
        return None
    return domain


def _addresses_of(name: str) -> set[str]:
    return {str(found[4][0]) for found in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}
