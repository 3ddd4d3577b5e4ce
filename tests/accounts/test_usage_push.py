"""Pushes of usage to a receiver of the test's own."""

import json
import os
import signal
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from firmograph.accounts import push_store
from firmograph.accounts.usage_push import PushTarget, UsagePush
from firmograph.billing import holds, ledger
from firmograph.billing.holds import Hold, Settlement
from firmograph.caller import Spender
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused


class Receiver:
    """Server that keeps the events it takes; `answer` returns the status and body of a request."""

    def __init__(self):
        self.requests = []
        self.answer = lambda number: (204, b"")
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.requests.append((dict(self.headers), body))
                status, text = receiver.answer(len(receiver.requests))
                self.send_response(status)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/events"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def events(self):
        return [event for _, body in self.requests for event in json.loads(body)]

    def ids(self):
        return [event["id"] for event in self.events()]


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


@pytest.fixture
def push(world, receiver):
    """Return a function that pushes and returns the number of events."""

    def run(name="default", **target):
        target = {"url": receiver.url, **target}
        return UsagePush(world.database, world.clock).push(PushTarget(**target), name)

    return run


def charge(world, caller, number):
    """Charge an e-mail address under each of a number of requests."""
    with world.database.write(account_scope(caller.account_id)) as session:
        own = AccountSession(session, caller.account_id)
        for each in range(number):
            ledger.charge(
                own,
                caller.plan,
                {"revealEmail": 1},
                f"r{each}",
                world.clock.seconds(),
                spender=caller.spender,
            )


def charged(world, *callers):
    """Return the ids of the events of accounts, in their order."""
    with world.database.read() as session:
        return [
            f"{number}-{entry.request_id}"
            for caller in callers
            for number, entry in ledger.entries(AccountSession(session, caller.account_id))
            if entry.kind in ("charge", "capture")
        ]


def test_charges_and_captures_of_all_accounts_are_sent_once_in_order(world, receiver, push):
    acme, other = world.caller("Acme", credits=500), world.caller("Other", credits=500)
    charge(world, acme, 120)
    charge(world, other, 3)
    with world.database.write(account_scope(other.account_id)) as session:
        own, hold = AccountSession(session, other.account_id), Hold("delivery", "showSignalsContact", 2)
        holds.place_holds(own, [hold], 1.0)
        holds.settle_holds(own, [Settlement(hold, 1)], 1.0)
    assert push() == 124
    assert receiver.ids() == charged(world, acme, other)
    assert push() == 0
    charge(world, acme, 1)
    assert push() == 1
    assert receiver.ids()[-1] == charged(world, acme)[-1]
    assert len(receiver.requests) == 3


def test_a_cloud_event_names_the_account_the_key_and_what_was_charged(world, receiver, push):
    caller = world.caller("Acme", credits=5, spender=Spender("fg_key"))
    charge(world, caller, 1)
    push(authorization="Bearer secret", event="credits")
    (headers, _), (event,) = receiver.requests[0], receiver.events()
    assert headers["Content-Type"] == "application/cloudevents-batch+json"
    assert headers["Authorization"] == "Bearer secret"
    assert event == {
        "specversion": "1.0",
        "id": charged(world, caller)[0],
        "source": "firmograph",
        "type": "credits",
        "subject": "Acme",
        "time": "2026-09-21T14:13:20.000Z",
        "datacontenttype": "application/json",
        "data": {"credits": 1, "action": "revealEmail", "quantity": 1, "key": "fg_key", "requestId": "r0"},
    }


def test_lago_takes_batches_and_stripe_one_event_a_request(world, receiver, push):
    caller = world.caller("cus_1", credits=5)
    charge(world, caller, 2)
    push("lago", format="lago")
    push("stripe", format="stripe")
    lago, *stripe = (body for _, body in receiver.requests)
    ids = charged(world, caller)
    assert [event["transaction_id"] for event in json.loads(lago)["events"]] == ids
    assert json.loads(lago)["events"][0] == {
        "transaction_id": ids[0],
        "external_subscription_id": "cus_1",
        "code": "firmograph_credits",
        "timestamp": 1_790_000_000,
        "properties": {"credits": 1, "action": "revealEmail", "quantity": 1, "key": "", "requestId": "r0"},
    }
    assert [parse_qs(body.decode()) for body in stripe] == [
        {
            "event_name": ["firmograph_credits"],
            "identifier": [id],
            "timestamp": ["1790000000"],
            "payload[stripe_customer_id]": ["cus_1"],
            "payload[value]": ["1"],
        }
        for id in ids
    ]


def test_a_refused_batch_stays_for_the_next_push(world, receiver, push):
    caller = world.caller(credits=500)
    charge(world, caller, 150)
    receiver.answer = lambda number: (204, b"") if number == 1 else (401, b"wrong\nkey")
    with pytest.raises(Refused, match=r"refused the events with status 401: wrong key\. 100 were sent"):
        push()
    receiver.answer = lambda number: (200, b"")
    assert push() == 50
    assert Counter(receiver.ids()).most_common()[0][1] == 2
    assert receiver.ids()[:100] + receiver.ids()[150:] == charged(world, caller)


def test_a_redirect_is_a_refusal(world, receiver, push):
    charge(world, world.caller(credits=1), 1)
    receiver.answer = lambda number: (302, b"")
    with pytest.raises(Refused, match="status 302"):
        push()


def test_events_that_lago_has_already_are_passed_over_one_by_one(world, receiver, push):
    caller = world.caller(credits=5)
    charge(world, caller, 2)
    push("first", format="lago")
    taken = {event["transaction_id"] for event in json.loads(receiver.requests[0][1])["events"]}
    charge(world, caller, 1)

    def answer(number):
        events = json.loads(receiver.requests[-1][1])["events"]
        if taken & {event["transaction_id"] for event in events}:
            return 422, b'{"error_details":{"0":{"transaction_id":["value_already_exist"]}}}'
        return 200, b""

    receiver.answer = answer
    assert push("second", format="lago") == 3
    assert [len(json.loads(body)["events"]) for _, body in receiver.requests[1:]] == [3, 1, 1, 1]


class Crash(BaseException):
    """A simulated end of the process, as far as the transaction can tell."""


def test_a_push_that_ends_before_its_position_is_saved_sends_one_batch_again(
    world, receiver, push, monkeypatch
):
    caller = world.caller(credits=500)
    charge(world, caller, 250)

    def crash(session, name, positions):
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(push_store, "save_positions", crash)
        with pytest.raises(Crash):
            push()
    charge(world, caller, 10)
    assert push() == 260
    assert receiver.ids()[:100] == receiver.ids()[100:200]
    assert receiver.ids()[100:] == charged(world, caller)


def test_two_pushes_of_one_name_never_send_at_once(world, receiver, push):
    charge(world, world.caller(credits=1), 1)
    refusals = []

    def answer(number):
        with pytest.raises(Refused, match="is sending") as refused:
            push()
        refusals.append(refused.value.message)
        return 204, b""

    receiver.answer = answer
    assert push() == 1
    assert len(refusals) == 1
    receiver.answer = lambda number: (204, b"")
    assert push("another") == 1


@pytest.mark.slow("killed push", "accounts")
@pytest.mark.parametrize("answers", [False, True])
def test_a_killed_push_sends_at_most_one_batch_again_with_the_same_ids(
    world, receiver, push, command, answers
):
    caller = world.caller(credits=500)
    charge(world, caller, 250)
    process = command.start("--database", world.url, "usage", "push", receiver.url)

    def answer(number):
        if number == 2:
            os.kill(process.pid, signal.SIGKILL)
        return 204, b""

    def answer_and_kill(number):
        if number == 2:
            threading.Thread(target=os.kill, args=(process.pid, signal.SIGKILL)).start()
        return 204, b""

    receiver.answer = answer_and_kill if answers else answer
    process.wait(timeout=60)
    receiver.answer = lambda number: (204, b"")
    # the lease of the killed process has ended by then
    UsagePush(world.database, SetClock(time.time() + 60)).push(PushTarget(receiver.url), "default")
    ids = receiver.ids()
    assert list(dict.fromkeys(ids)) == charged(world, caller)
    assert len(ids) - len(set(ids)) <= 100


@pytest.mark.parametrize(
    ("target", "name", "reason"),
    [
        ({"url": "ftp://host/x"}, "default", "write it as https://"),
        ({"url": "host/path"}, "default", "write it as https://"),
        ({"url": "http://[::1"}, "default", "write it as https://"),
        ({"url": "http://127.0.0.1:1/events"}, "default", "127.0.0.1 cannot be reached"),
        ({"url": "http://127.0.0.1:99999/events"}, "default", "127.0.0.1 cannot be reached"),
        ({}, "", "1 to 100"),
        ({"authorization": "Bearer a\r\nb"}, "default", "value of a header"),
    ],
)
def test_a_push_to_nowhere_is_refused_in_one_line(world, push, target, name, reason):
    charge(world, world.caller(credits=1), 1)
    with pytest.raises(Refused, match=reason) as refused:
        push(name, **target)
    assert "\n" not in refused.value.message
    with world.database.read() as session:
        assert push_store.select_positions(session, name) == {}
