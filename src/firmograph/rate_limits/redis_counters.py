"""The counters of accounts in Redis, and the script that judges and counts a request in one step there."""

import hashlib
from importlib.resources import files
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError
from redis.retry import Retry

from firmograph.billing.plans import Plan
from firmograph.rate_limits.windows import PATH_LIMITS, Hit, Used

TIMEOUT_SECONDS = 0.25
"""How long a call waits for a Redis that is silent."""

_SCRIPT = files(__package__).joinpath("redis_limits.lua").read_text()
_DIGEST = hashlib.sha1(_SCRIPT.encode()).hexdigest()
_LAYOUT = 1
"""To be raised when the script keeps its numbers in another way: servers of both kinds then do not meet."""
_PROBE_SECONDS = 60

Question = tuple[int | str, ...]
"""What the script is asked: its arguments but for the clock and what is brought along."""

LOOK: Question = (0, "", 0, 0, 0, 0, 0)
"""Counts nothing."""


def request(plan: Plan, path: str | None) -> Question:
    """Counts one request, unless a window is full."""
    path_limit = PATH_LIMITS[path] if path else 0
    return 1, path or "", plan.second or 0, path_limit, plan.minute, plan.hour or 0, plan.day


def connect(url: str) -> "Redis":
    """A client that waits for nothing long and tries nothing twice; it connects when it is used.

    Raises ValueError when the URL is none of Redis; its text may hold the password.
    """
    return Redis.from_url(
        url,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


class ScriptForgotten(Exception):
    """Redis was started anew, perhaps with an older state of its memory."""


class RedisCounters:
    """Counters of one installation, whose `namespace` keeps it apart from others in the same Redis.

    What goes wrong is raised as `redis.RedisError`.
    """

    def __init__(self, client: "Redis", namespace: str) -> None:
        self._client = client
        self._prefix = f"firmograph:{namespace}:limits:{_LAYOUT}:"

    def prepare(self) -> None:
        """Make sure that Redis can be used: one that answers but takes no writes cannot."""
        self._client.set(f"{self._prefix}probe", 1, ex=_PROBE_SECONDS)
        self.tell_script()

    def tell_script(self) -> None:
        self._client.script_load(_SCRIPT)

    def ask(
        self, account_id: int, question: Question, clock: float, brought: bytes
    ) -> tuple[Used, Hit | None] | None:
        """One run of the script; None where it has to be told what was saved (`redis_limits.lua`).

        Raises ScriptForgotten.
        """
        counting, *limits = question
        key = f"{self._prefix}{account_id}"
        try:
            answer: Any = self._client.evalsha(_DIGEST, 1, key, counting, repr(clock), *limits, brought)
        except NoScriptError as error:
            raise ScriptForgotten from error
        return None if answer is None else _read(answer)

    def ping(self) -> None:
        self._client.ping()

    def disconnect(self) -> None:
        """Close what is connected; it connects again when it is used."""
        self._client.connection_pool.disconnect()


def _read(answer: list[Any]) -> tuple[Used, Hit | None]:
    used = Used(answer[0], answer[1], answer[2], float(answer[3]))
    if len(answer) == 4:
        return used, None
    return used, Hit(answer[4].decode(), answer[5], float(answer[6]))
