"""Push of usage to a billing program: at least once, in the order of each account's ledger.

A batch is sent first and its position saved after the receiver has taken it, so a push that is killed sends at most one
batch again, with the same ids. One push of a name sends at a time: it holds a lease (database/leases.py).
"""

import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from http.client import HTTPException
from itertools import islice
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from firmograph.accounts import push_store, store
from firmograph.accounts.usage_events import FORMATS, EventFormat, PushFormat, UsageEvent
from firmograph.billing import ledger
from firmograph.database.connection import AccountSession, Database
from firmograph.database.leases import Claim
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused

_TIMEOUT_SECONDS: Final = 20.0
"""Shorter than a lease, so that nobody else sends the batch at the same time."""
_MOST_ANSWER: Final = 100_000
_PAGE: Final = 500


class PushTarget(NamedTuple):
    """Receiver of events."""

    url: str
    format: PushFormat = "cloudevents"
    event: str = "firmograph_credits"
    """Type, code or name of the events, as the receiver's meter expects it."""
    authorization: str = ""
    """Header `Authorization`; none if empty."""

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


class _Answer(NamedTuple):
    status: int
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


class UsagePush:
    """Pushes of usage."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def push(self, target: PushTarget, name: str) -> int:
        """Send the rows since the last push of that name; return the number of events.

        Raises Refused for a receiver that does not take them, and while another push of the name sends; what was taken
        before stays so, and the next push goes on there.
        """
        _check_target(target, name)
        claim = self._claim(name)
        sent, events = 0, self._events(name)
        try:
            while batch := list(islice(events, FORMATS[target.format].most)):
                self._send(target, claim, batch, sent)
                self._save(claim, batch)
                sent += len(batch)
        finally:
            with self._database.write(None) as session:
                push_store.leases.release(session, claim)
        return sent

    def _claim(self, name: str) -> Claim[str]:
        with self._database.write(None) as session:
            push_store.insert_push(session, name)
        with self._database.write(None) as session:
            claims = push_store.leases.claim_among(session, [name], 1, self._clock.seconds())
        if not claims:
            seconds = round(push_store.leases.seconds)
            raise Refused(
                f"Another push named {name!r} is sending; if it was killed, try again in {seconds} seconds"
            )
        return claims[0]

    def _events(self, name: str) -> Iterator[UsageEvent]:
        """Yield the rows that a receiver has not taken yet, account by account."""
        with self._database.read() as session:
            positions, accounts = push_store.select_positions(session, name), store.select_accounts(session)
        for account in accounts:
            after = positions.get(account.id, 0)
            while True:
                # no reading state of the database is kept while events are sent
                with self._database.read() as session:
                    rows = ledger.charged_after(AccountSession(session, account.id), after, _PAGE)
                if not rows:
                    break
                for number, entry in rows:
                    yield UsageEvent(number, account.name, entry)
                after = rows[-1][0]

    def _send(self, target: PushTarget, claim: Claim[str], batch: Sequence[UsageEvent], sent: int) -> None:
        form = FORMATS[target.format]
        answer = _post(target, form, batch)
        if form.is_repeated(*answer) and len(batch) > 1:
            # a batch with one event that the receiver has is refused as a whole
            for event in batch:
                self._renew(claim)
                self._send(target, claim, [event], sent)
        elif not answer.is_success and not form.is_repeated(*answer):
            said = answer.body[:200].decode("utf-8", "replace")
            said = "".join(each if each.isprintable() else " " for each in said).strip()
            raise Refused(
                f"{target.host} refused the events with status {answer.status}{said and ': '}{said}. {sent} were sent;"
                " the next push goes on after these"
            )

    def _renew(self, claim: Claim[str]) -> None:
        with self._database.write(None) as session:
            _check_claim(push_store.leases.renew(session, claim, self._clock.seconds()), claim)

    def _save(self, claim: Claim[str], batch: Sequence[UsageEvent]) -> None:
        """Save the position after a batch, and renew the claim."""
        with self._database.write(None) as session:
            _check_claim(push_store.leases.renew(session, claim, self._clock.seconds()), claim)
            positions = {event.entry.account_id: event.number for event in batch}
            push_store.save_positions(session, claim.key, positions)


def _check_claim(is_held: bool, claim: Claim[str]) -> None:
    if not is_held:
        raise Refused(
            f"Another push named {claim.key!r} has taken over, as this one stood still for too long"
        )


def _check_target(target: PushTarget, name: str) -> None:
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise Refused("The name of a push must be 1 to 100 printable characters")
    try:
        parts = urlsplit(target.url)
        is_url = parts.scheme in ("http", "https") and bool(target.host)
    except ValueError:
        is_url = False
    if is_url and "@" in parts.netloc:
        raise Refused(
            "The URL to send to must be without user and password: write it as https://HOST/PATH, and put the value of"
            " the header Authorization into FIRMOGRAPH_USAGE_PUSH_AUTHORIZATION"
        )
    if not is_url:
        raise Refused(f"{target.url!r} is not a URL to send to; write it as https://HOST/PATH")
    if not (target.authorization.isascii() and target.authorization.isprintable()):
        raise Refused(
            "FIRMOGRAPH_USAGE_PUSH_AUTHORIZATION: must be the value of a header, such as `Bearer KEY`"
        )


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects are answers: a POST that follows them would become a GET."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        return None


_opener: Final = urllib.request.build_opener(_NoRedirects)


def _post(target: PushTarget, form: EventFormat, batch: Sequence[UsageEvent]) -> _Answer:
    """Send a batch and return the answer. Raises Refused for a receiver that cannot be reached."""
    headers = {"content-type": form.content_type}
    if target.authorization:
        headers["authorization"] = target.authorization
    body = form.encode(batch, target.event)
    try:
        request = urllib.request.Request(target.url, body, headers, method="POST")
        with _opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
            return _Answer(answer.status, answer.read(_MOST_ANSWER))
    except urllib.error.HTTPError as error:
        with error:
            return _Answer(error.code, error.read(_MOST_ANSWER))
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise Refused(f"{target.host} cannot be reached: {reason}; push again when it can") from error
