"""Rate limiter in Redis shared by all servers: one atomic script, one round trip a request.

See docs/reference/account.md#where-limits-are-counted.

While Redis is unavailable, each server applies its share of each limit with local counters that start at zero. No
request waits for Redis in that time: a thread retries about once a second, adds the local counts to Redis and only then
switches back. Redis holds nothing whose loss costs money. Lost counts of hours and days are restored from the database,
to which each server writes the last counts it saw every ten seconds.
"""

import threading
from collections.abc import Callable

import msgspec
import structlog
from redis.exceptions import RedisError

from firmograph.caller import Plan
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError
from firmograph.rate_limits import store
from firmograph.rate_limits.local import AdmittedCalls, LocalRateLimiter
from firmograph.rate_limits.redis_counters import (
    READ_ONLY,
    RedisCounters,
    ScriptArguments,
    ScriptMissing,
    script_arguments,
)
from firmograph.rate_limits.windows import DAY, HOUR, WINDOWS, LimitHit, WindowUsage

log = structlog.get_logger("firmograph.accounts")

_pack = msgspec.msgpack.Encoder().encode


class RedisRateLimiter:
    """Rate limiter shared by all servers of an installation.

    `local` applies while Redis is unavailable; `count_local_call` is called for each request it handles.
    """

    save_seconds = 10.0

    def __init__(
        self,
        counters: RedisCounters,
        database: Database,
        clock: Clock,
        local: LocalRateLimiter,
        *,
        count_local_call: Callable[[], object] = lambda: None,
        retry_seconds: float = 1.0,
    ) -> None:
        self.shared = False
        """Whether the servers count together at present."""
        self.count_local_call = count_local_call
        self._counters = counters
        self._database = database
        self._clock = clock
        self._local = local
        self._known_accounts: set[int] = set()
        self._seen: dict[int, WindowUsage] = {}
        self._lock = threading.Lock()
        self._seen_lock = threading.Lock()
        self._unavailability_logged = False
        self._retry_seconds = retry_seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="redis limits", daemon=True)

    def take(
        self, account_id: int, plan: Plan, path_window: str | None
    ) -> tuple[WindowUsage, LimitHit | None]:
        arguments = script_arguments(plan, path_window)
        while True:
            if self.shared:
                try:
                    used, hit = self._run_script(account_id, arguments)
                except RedisError as error:
                    self._switch_to_local(error)
                else:
                    self._remember(account_id, used)
                    return used, hit
            with self._lock:
                # if the limits are shared again, a local count would never be added to Redis
                if not self.shared:
                    self.count_local_call()
                    return self._local.take(account_id, plan, path_window)

    def used(self, account_id: int) -> WindowUsage:
        if self.shared:
            try:
                return self._run_script(account_id, READ_ONLY)[0]
            except RedisError as error:
                self._switch_to_local(error)
        return self._local.used(account_id)

    def _run_script(
        self, account_id: int, arguments: ScriptArguments, admitted: AdmittedCalls | None = None
    ) -> tuple[WindowUsage, LimitHit | None]:
        """Run the script in one round trip, in more only if the account is new to this process or to Redis."""
        for _ in range(3):
            restored = b""
            if admitted is not None or account_id not in self._known_accounts:
                restored = self._counts_to_restore(account_id, admitted)
            try:
                answer = self._counters.run_script(account_id, arguments, self._clock.seconds(), restored)
            except ScriptMissing:
                self._known_accounts.clear()
                self._counters.load_script()
                continue
            if answer is not None:
                self._known_accounts.add(account_id)
                return answer
            self._known_accounts.discard(account_id)
        raise RedisError("Redis loses restored counts immediately")

    def _counts_to_restore(self, account_id: int, admitted: AdmittedCalls | None) -> bytes:
        """Encode the counts that Redis may have lost, and the calls admitted locally."""
        now = self._clock.seconds()
        own = AccountSession(self._database.session(), account_id)
        saved = store.select_account_counters(own, now - DAY)
        with self._seen_lock:
            seen = self._seen.get(account_id)
        rows = saved + ([] if seen is None else _rows(account_id, seen))
        saved_windows = [row[1:] for row in rows if row[1] in WINDOWS and row[2] <= now + DAY]
        added, times = admitted or AdmittedCalls([], [])
        return _pack({"held": saved_windows, "added": added, "times": times})

    # --- loss and recovery of Redis ---

    def _switch_to_local(self, error: Exception) -> None:
        with self._lock:
            was_shared, self.shared = self.shared, False
        if was_shared:
            self._counters.disconnect()
            self._log_unavailable(error)

    def _log_unavailable(self, error: Exception) -> None:
        # only the type of the error, as its text may contain credentials
        log.warning(
            "Redis is unavailable: each server applies its own share of the rate limits",
            reason=type(error).__name__,
        )
        self._unavailability_logged = True

    def retry(self) -> bool:
        """Add the local counts to Redis and share limits again if it is available; return whether they are shared."""
        if self.shared:
            return True
        try:
            self._reconnect()
        except (RedisError, FirmographError) as error:
            if not self._unavailability_logged:
                self._log_unavailable(error)
            return False
        if self._unavailability_logged:
            log.info("Redis is available: all servers count rate limits together again")
            self._unavailability_logged = False
        return True

    def _reconnect(self) -> None:
        self._counters.prepare()
        self._known_accounts.clear()
        self._local.hand_over(self._transfer)
        with self._lock:
            self._local.hand_over(self._transfer)
            self.shared = True

    def _transfer(self, account_id: int, admitted: AdmittedCalls) -> None:
        self._run_script(account_id, READ_ONLY, admitted)

    def _watch(self) -> None:
        while not self._stopped.wait(self._retry_seconds):
            try:
                self._check_connection()
            except Exception:
                log.exception("checking the connection to Redis failed")

    def _check_connection(self) -> None:
        """Detect the loss of Redis, if possible before a request does, or retry it."""
        if not self.shared:
            self.retry()
            return
        try:
            self._counters.ping()
        except RedisError as error:
            self._switch_to_local(error)

    def start(self, session: Session) -> None:
        self.retry()
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self._counters.disconnect()
        self._local.stop()

    # --- copy of the counts in the database ---

    def _remember(self, account_id: int, used: WindowUsage) -> None:
        with self._seen_lock:
            self._seen[account_id] = used

    def unsaved(self) -> bool:
        return bool(self._seen)

    def save(self, session: Session) -> None:
        with self._seen_lock:
            seen, self._seen = self._seen, {}
        try:
            store.upsert_counters(
                session, [row for number, used in seen.items() for row in _rows(number, used)]
            )
        except BaseException:
            with self._seen_lock:
                self._seen = seen | self._seen
            raise


def _rows(account_id: int, used: WindowUsage) -> list[store.CounterRow]:
    """Return the rows of hour and day; a minute is too short to be worth saving."""
    counts = (("hour", HOUR, used.hour), ("day", DAY, used.day))
    return [(account_id, name, int(used.at // length) * length, count) for name, length, count in counts]
