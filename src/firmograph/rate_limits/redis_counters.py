"""Counters of accounts in Redis, checked and incremented atomically by a Lua script."""

import hashlib
from importlib.resources import files
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError
from redis.retry import Retry

from firmograph.caller import Plan
from firmograph.rate_limits.windows import CELLS, OFFSETS, PATH_LIMITS, LimitHit, WindowUsage

TIMEOUT_SECONDS = 0.25
"""Timeout of a call to an unresponsive Redis."""

_FIRST_CELLS = ", ".join(f"{name} = {offset + 1}" for name, offset in OFFSETS.items())
_CONSTANTS = f"local CELLS, WINDOWS = {CELLS}, {{{_FIRST_CELLS}}}\n"
_SCRIPT = _CONSTANTS + files(__package__).joinpath("redis_limits.lua").read_text()
_DIGEST = hashlib.sha1(_SCRIPT.encode()).hexdigest()
_LAYOUT = 1
"""Version of the script's data layout; servers of different versions use separate keys."""
_PROBE_SECONDS = 60

ScriptArguments = tuple[int | str, ...]
"""Arguments of the script, except for the clock and the restored counts."""

READ_ONLY: ScriptArguments = (0, "", "", "", "", "", "")
"""Arguments that read the counters without counting a request."""


def script_arguments(plan: Plan, path: str | None) -> ScriptArguments:
    """Return arguments that count one request unless a window is full."""
    path_limit = PATH_LIMITS[path] if path else ""
    return 1, path or "", path_limit, plan.second or "", plan.minute, plan.hour or "", plan.day


def connect(url: str) -> "Redis":
    """Create a client with short timeouts and no retries; it connects on first use.

    Raises ValueError for a malformed URL; the error text may contain the password.
    """
    return Redis.from_url(
        url,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


class ScriptMissing(Exception):
    """Absence of the script in Redis after a restart, perhaps from an older snapshot."""


class RedisCounters:
    """Counters of one installation, under its own `namespace` of the Redis keys.

    All methods raise `redis.RedisError`.
    """

    def __init__(self, client: "Redis", namespace: str) -> None:
        self._client = client
        self._prefix = f"firmograph:{namespace}:limits:{_LAYOUT}:"

    def prepare(self) -> None:
        """Check that Redis accepts writes, and load the script."""
        self._client.set(f"{self._prefix}probe", 1, ex=_PROBE_SECONDS)
        self.load_script()

    def load_script(self) -> None:
        self._client.script_load(_SCRIPT)

    def run_script(
        self, account_id: int, arguments: ScriptArguments, clock: float, restored: bytes
    ) -> tuple[WindowUsage, LimitHit | None] | None:
        """Run the script; return None if it needs the saved counts first (`redis_limits.lua`).

        Raises ScriptMissing.
        """
        counting, *limits = arguments
        key = f"{self._prefix}{account_id}"
        try:
            result: Any = self._client.evalsha(_DIGEST, 1, key, counting, repr(clock), *limits, restored)
        except NoScriptError as error:
            raise ScriptMissing from error
        return None if result is None else _decode_result(result)

    def ping(self) -> None:
        self._client.ping()

    def disconnect(self) -> None:
        """Close the connections; the next use connects again."""
        self._client.connection_pool.disconnect()


def _decode_result(result: list[Any]) -> tuple[WindowUsage, LimitHit | None]:
    usage = WindowUsage(result[0], result[1], result[2], float(result[3]))
    if len(result) == 4:
        return usage, None
    return usage, LimitHit(result[4].decode(), result[5], float(result[6]))
