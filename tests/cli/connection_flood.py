"""Clients that say nothing, in thousands."""

import resource
import socket
from contextlib import contextmanager

_OTHER_FILES = 512


def most_connections(wanted: int) -> int:
    """How many connections this process may hold: as many as are wanted, if its limit can be raised so far."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return needed - _OTHER_FILES


@contextmanager
def silent(port: int, count: int):
    """This many connections on which nothing is sent."""
    opened: list[socket.socket] = []
    try:
        opened.extend(socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(count))
        yield opened
    finally:
        for connection in opened:
            connection.close()


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has ended a connection on which it never said anything."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(60)
