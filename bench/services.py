"""PostgreSQL and Redis, started as the tests start theirs: from the system's binaries, in folders of their own.

Where a binary is missing, what needs it is left out of the run, with one line that says so.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from bench.workspace import ROOT

# the only place that reaches into the tests
sys.path.append(str(ROOT / "tests"))
from services import postgresql, redis_server

if TYPE_CHECKING:
    from services.postgresql import PostgreSQL
    from services.redis_server import RedisServer

POSTGRESQL_MISSING = "PostgreSQL is not installed: apt-get install postgresql"
REDIS_MISSING = redis_server.MISSING

_SETTINGS = {
    "shared_buffers": "1GB",
    "effective_cache_size": "4GB",
    "random_page_cost": "1.1",
    "max_wal_size": "4GB",
    "autovacuum": "on",
}


def has_postgresql() -> bool:
    return postgresql.binaries() is not None


def has_redis() -> bool:
    return redis_server.installed()


@contextmanager
def running_postgresql() -> Iterator["PostgreSQL"]:
    """A server that keeps what it commits, as one in use does: fsync and synchronous commits stay on."""
    server = postgresql.PostgreSQL(durable=True, **_SETTINGS)
    try:
        yield server.start()
    finally:
        server.remove()


@contextmanager
def running_redis() -> Iterator["RedisServer"]:
    server = redis_server.RedisServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


def releases(server: "PostgreSQL | None", limits: "RedisServer | None") -> dict[str, str]:
    """Of the services that run, and of the packages that speak to them."""
    held = {name: version(name) for name in ("psycopg", "redis")}
    if server:
        with server.connect("postgres") as connection:
            found = connection.execute("SHOW server_version").fetchall()
        held["PostgreSQL"] = str(found[0][0]).split()[0]
    if limits:
        with limits.client() as client:
            held["Redis"] = client.info("server")["redis_version"]
    return held
