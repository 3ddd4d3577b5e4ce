"""PostgreSQL and Redis, started as by the tests: from the system's binaries, in folders of their own.

If a binary is missing, the parts that need it are left out of the run and named in one line.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from bench.workspace import ROOT

# the only place that imports from the tests
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
    """Run a server with durable commits, as one in use has: fsync and synchronous commits stay on."""
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
    """Return the versions of running services and of their client packages."""
    versions = {name: version(name) for name in ("psycopg", "redis")}
    if server:
        with server.connect("postgres") as connection:
            found = connection.execute("SHOW server_version").fetchall()
        versions["PostgreSQL"] = str(found[0][0]).split()[0]
    if limits:
        with limits.client() as client:
            versions["Redis"] = client.info("server")["redis_version"]
    return versions
