"""Limits counted in Redis by all servers together, in one step and one round trip a request (decisions C, State).

While Redis cannot be used, requests go on under this server's share of each limit, in local counters that begin at that
time. No request waits for Redis then: a thread tries about once a second, adds to Redis what was counted locally, and
only then are limits shared again. Nothing whose loss costs money lives in Redis; and what it forgets of hours and days
is brought back from the database, where each server writes every ten seconds the counts that it saw last.
"""

import threading
from collections.abc import Callable

import msgspec
import structlog
from redis.exceptions import RedisError

from firmograph.billing import request_store as store
from firmograph.billing.plans import Plan
from firmograph.database.connection import Database, Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError
from firmograph.rate_limits.local import Admitted, LocalLimits
from firmograph.rate_limits.redis_counters import LOOK, Question, RedisCounters, ScriptForgotten, request
from firmograph.rate_limits.windows import DAY, HOUR, WINDOWS, Hit, Used

log = structlog.get_logger("firmograph.accounts")

_pack = msgspec.msgpack.Encoder().encode


class RedisLimits:
    """One process's view of the limits that all servers of an installation share.

    `local` judges while Redis is away; `judged_locally` is called for each request that it judges.
    """

    save_seconds = 10.0

    def __init__(
        self,
        counters: RedisCounters,
        database: Database,
        clock: Clock,
        local: LocalLimits,
        *,
        judged_locally: Callable[[], object] = lambda: None,
        retry_seconds: float = 1.0,
    ) -> None:
        self.shared = False
        """Whether all servers count together at present."""
        self.judged_locally = judged_locally
        self._counters = counters
        self._database = database
        self._clock = clock
        self._local = local
        self._met: set[int] = set()
        self._seen: dict[int, Used] = {}
        self._lock = threading.Lock()
        self._lock_seen = threading.Lock()
        self._told = False
        self._retry_seconds = retry_seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="redis limits", daemon=True)

    def take(self, account_id: int, plan: Plan, path_window: str | None) -> tuple[Used, Hit | None]:
        question = request(plan, path_window)
        while True:
            if self.shared:
                try:
                    used, hit = self._ask(account_id, question)
                except RedisError as error:
                    self._lose(error)
                else:
                    self._see(account_id, used)
                    return used, hit
            with self._lock:
                # shared again meanwhile: nobody would add to Redis what is counted here now
                if not self.shared:
                    self.judged_locally()
                    return self._local.take(account_id, plan, path_window)

    def used(self, account_id: int) -> Used:
        if self.shared:
            try:
                return self._ask(account_id, LOOK)[0]
            except RedisError as error:
                self._lose(error)
        return self._local.used(account_id)

    def _ask(
        self, account_id: int, question: Question, admitted: Admitted | None = None
    ) -> tuple[Used, Hit | None]:
        """One round trip; more only where this account is new to this process or to Redis."""
        for _ in range(3):
            brought = b""
            if admitted is not None or account_id not in self._met:
                brought = self._brought(account_id, admitted)
            try:
                answer = self._counters.ask(account_id, question, self._clock.seconds(), brought)
            except ScriptForgotten:
                self._met.clear()
                self._counters.tell_script()
                continue
            if answer is not None:
                self._met.add(account_id)
                return answer
            self._met.discard(account_id)
        raise RedisError("what it is told is forgotten at once")

    def _brought(self, account_id: int, admitted: Admitted | None) -> bytes:
        """What Redis may have forgotten, or has not been told yet."""
        now = self._clock.seconds()
        saved = store.account_counters(self._database.session(), account_id, now - DAY)
        with self._lock_seen:
            seen = self._seen.get(account_id)
        rows = saved + ([] if seen is None else _rows(account_id, seen))
        held = [row[1:] for row in rows if row[1] in WINDOWS and row[2] <= now + DAY]
        added, times = admitted or Admitted([], [])
        return _pack({"held": held, "added": added, "times": times})

    # --- away and back ---

    def _lose(self, error: Exception) -> None:
        with self._lock:
            was, self.shared = self.shared, False
        if was:
            self._counters.disconnect()
            self._warn(error)

    def _warn(self, error: Exception) -> None:
        # the kind of the error only: its text may name the server and more
        log.warning(
            "Redis cannot be used: each server admits its own share of the rate limits until it can",
            reason=type(error).__name__,
        )
        self._told = True

    def retry(self) -> bool:
        """Share limits again if Redis can be used, after adding what was counted locally; whether they are shared."""
        if self.shared:
            return True
        try:
            self._reconnect()
        except (RedisError, FirmographError) as error:
            if not self._told:
                self._warn(error)
            return False
        if self._told:
            log.info("Redis is back: all servers count rate limits together again")
            self._told = False
        return True

    def _reconnect(self) -> None:
        self._counters.prepare()
        self._met.clear()
        self._local.hand_over(self._give)
        with self._lock:
            self._local.hand_over(self._give)
            self.shared = True

    def _give(self, account_id: int, admitted: Admitted) -> None:
        self._ask(account_id, LOOK, admitted)

    def _watch(self) -> None:
        while not self._stopped.wait(self._retry_seconds):
            try:
                self._look()
            except Exception:
                log.exception("counting rate limits in Redis could not be tried")

    def _look(self) -> None:
        """Find out that Redis is away, if possible before a request does; or try it again."""
        if not self.shared:
            self.retry()
            return
        try:
            self._counters.ping()
        except RedisError as error:
            self._lose(error)

    def start(self, session: Session) -> None:
        self.retry()
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self._counters.disconnect()
        self._local.stop()

    # --- the mirror in the database ---

    def _see(self, account_id: int, used: Used) -> None:
        with self._lock_seen:
            self._seen[account_id] = used

    def unsaved(self) -> bool:
        return bool(self._seen)

    def save(self, session: Session) -> None:
        with self._lock_seen:
            seen, self._seen = self._seen, {}
        try:
            store.put_counters(session, [row for number, used in seen.items() for row in _rows(number, used)])
        except BaseException:
            with self._lock_seen:
                self._seen = seen | self._seen
            raise


def _rows(account_id: int, used: Used) -> list[store.CounterRow]:
    """Hour and day; a minute is over before anybody could miss it."""
    counts = (("hour", HOUR, used.hour), ("day", DAY, used.day))
    return [(account_id, name, int(used.at // length) * length, count) for name, length, count in counts]
