"""Many silent clients."""

import resource
import socket
from contextlib import contextmanager

_OTHER_FILES = 512


def most_connections(requested: int) -> int:
    """Return how many connections this process may open: `requested`, if its limit can be raised so far."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = requested + _OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return needed - _OTHER_FILES


@contextmanager
def silent(port: int, count: int):
    """Open this many connections and send nothing on them."""
    opened: list[socket.socket] = []
    try:
        opened.extend(socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(count))
        yield opened
    finally:
        for connection in opened:
            connection.close()


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server has closed a silent connection."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(60)
