"""Free loopback ports for test servers."""

import os
import socket
from itertools import count
from typing import Final

_LOWEST: Final = 10_000
_COUNT: Final = 20_000
"""The range ends below the ephemeral ports, many of which are in use at any moment."""

# a server binds its port only after this function returned: parallel test processes, whose process ids are
# close together, must start at distant numbers
_numbers = count(os.getpid() * 997)


def free_port() -> int:
    """Return a port that is not in use and that no parallel test process chooses at the same time."""
    while True:
        port = _LOWEST + next(_numbers) % _COUNT
        with socket.socket() as candidate:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
