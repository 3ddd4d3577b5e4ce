"""Ports of the loopback for servers of tests, which take them a moment after they were chosen."""

import os
import socket
from itertools import count
from typing import Final

_LOWEST: Final = 10_000
_COUNT: Final = 20_000
"""Below those that the system gives to connections, of which there are many at any moment."""

# processes that run side by side have numbers of processes near each other, and so begin far from each other
_numbers = count(os.getpid() * 997)


def free_port() -> int:
    """One at which nobody listens, and that is chosen by no other test meanwhile."""
    while True:
        port = _LOWEST + next(_numbers) % _COUNT
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
