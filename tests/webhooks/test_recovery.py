"""Recovery of receivers that failed, and its commands."""

import json

import pytest
from queue_fixtures import FAILED, OK, QueueWorld
from typer.testing import CliRunner
from webhook_fixtures import headcount

from firmograph.billing.types import Balance
from firmograph.bootstrap.packages import load_plans
from firmograph.caller import OperatorCaller, Request
from firmograph.cli.webhooks.commands import app
from firmograph.database.connection import AccountSession, account_scope
from firmograph.webhooks.deliveries import cancel
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.recovery import Recovery
from firmograph.webhooks.sending import payload
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import OPT_OUT

DAYS = [f"2026-09-{day:02}" for day in range(1, 21)]
HOOK, OTHER_HOOK = "https://hooks.example.com/in", "https://other.example.com/in"


@pytest.fixture
def queue(world):
    return QueueWorld(world)


class Operators:
    """The service, with the operator of an account as its caller."""

    def __init__(self, world):
        self.world = world
        self.service = Recovery(world.database)

    def enable(self, account, url=None):
        caller = OperatorCaller(account, lambda: None, "names")
        return self.service.enable(Request("request", caller, self.world.clock.seconds()), url)

    def redeliver(self, ids):
        return self.service.redeliver(ids, self.world.clock.seconds())


@pytest.fixture
def operators(world):
    return Operators(world)


def fail(queue, count=1, *, number=1, url=HOOK, account=0):
    """Create a subscription that is disabled at the first of its deliveries; return its id and that payload id."""
    token = queue.world.subscribe(account, number=number, url=url).token
    queue.fan_out_signals(*(headcount(number, day) for day in DAYS[:count]))
    queue.give_up()
    (failed,) = [
        row["payload_id"]
        for row in queue.world.deliveries()
        if row["state"] == 2 and row["subscription_id"] == queue.world.subscription(token).id
    ]
    return token, failed


def queue_with_price(world, folder, credits):
    """Return a worker's queue with this price of a company's signal."""
    file = folder / "plans.toml"
    file.write_text(f"[pricing.showSignalsCompany]\ncredits = {credits}\n")
    world.plans = load_plans(str(file))
    return QueueWorld(world)


def change(world, token, how):
    one = world.subscription(token)
    with world.database.write(account_scope(one.account_id)) as session:
        how(AccountSession(session, one.account_id), [one.id], world.clock.seconds())


def refusals(operators, *ids):
    return [one.refusal for one in operators.redeliver(ids)]


def test_a_redelivered_dead_letter_goes_before_later_deliveries_and_is_charged_once(world, queue, operators):
    token, failed = fail(queue, 3)
    operators.enable(world.first)
    assert refusals(operators, failed) == [None]
    assert world.subscription(token).queued == 3
    sent = [queue.deliver()[0].payload_id for _ in range(3)]
    assert sent[0] == failed
    assert world.balance(world.first) == Balance(1_000, 3, 0)
    assert queue.ledger_kinds(world.first)[:4] == ["hold", "release", "hold", "capture"]


def test_a_redelivered_dead_letter_keeps_its_body_and_has_all_retries(world, queue, operators):
    _, failed = fail(queue)
    body = world.deliveries()[0]["body"]
    operators.enable(world.first)
    operators.redeliver([failed])
    bodies = []
    for _ in range(4):
        bodies += [attempt.body for attempt in queue.deliver(FAILED)]
        world.clock.advance(60)
    assert bodies == 4 * [body]
    assert refusals(operators, failed)[0].startswith("Its subscription ")
    assert world.balance(world.first) == Balance(1_000, 0, 0)


@pytest.mark.parametrize(("before", "now"), [(1, 5), (5, 1), (0, 5)])
def test_a_redelivery_costs_the_price_in_its_body_despite_a_changed_price(
    world, queue, operators, tmp_path, before, now
):
    _, failed = fail(queue_with_price(world, tmp_path, before))
    operators.enable(world.first)
    operators.redeliver([failed])
    (sent,) = queue_with_price(world, tmp_path, now).deliver()
    assert (sent.payload_id, payload.credits_of(sent.body)) == (failed, before)
    assert world.balance(world.first) == Balance(1_000, before, 0)


def test_a_redelivery_is_free_if_a_call_has_paid_for_the_signal(world, queue, operators):
    _, failed = fail(queue)
    queue.pay(world.first, 1)
    operators.enable(world.first)
    operators.redeliver([failed])
    assert len(queue.deliver()) == 1
    assert world.balance(world.first) == Balance(1_000, 1, 0)


def test_a_redelivery_does_not_disturb_a_delivery_in_flight(world, queue, operators):
    token, failed = fail(queue, 2)
    operators.enable(world.first)
    in_flight = queue.claim()
    operators.redeliver([failed])
    assert queue.claim() == []
    queue.record(in_flight, FAILED)
    world.clock.advance(60)
    assert [queue.deliver(OK)[0].payload_id for _ in range(2)] == [failed, in_flight[0].payload_id]
    assert (world.deliveries(), world.subscription(token).queued) == ([], 0)


def test_a_failed_opt_out_can_be_redelivered(world, operators):
    token = world.subscribe(number=None, types=[OPT_OUT]).token
    failed = world.insert_delivery(token, state="FAILED")
    assert refusals(operators, failed) == [None]
    assert (world.deliveries()[0]["state"], world.subscription(token).queued) == (1, 1)


def test_a_refused_redelivery_has_a_reason(world, queue, operators):
    _, failed = fail(queue, 2)
    assert "is disabled; enable it with firmograph webhooks enable" in refusals(operators, failed)[0]
    operators.enable(world.first)
    assert refusals(operators, failed, failed) == [None]
    assert refusals(operators, failed) == ["It is already queued"]
    delivered = queue.deliver()[0].payload_id
    assert refusals(operators, delivered) == ["It was delivered; there is nothing to send again"]
    (waiting,) = world.deliveries()
    with world.database.write(account_scope(world.first)) as session:
        found = delivery_store.find(AccountSession(session, world.first), [waiting["id"]])
        cancel.cancel_deliveries(
            AccountSession(session, world.first), found, world.clock.seconds(), "The subscription was deleted"
        )
    assert "its subscription was deleted" in refusals(operators, waiting["payload_id"])[0]
    assert refusals(operators, "f" * 8)[0].startswith("No delivery has this id.")


def test_enabling_reactivates_only_automatically_disabled_subscriptions(world, queue, operators):
    mine, _ = fail(queue, 2)
    other, _ = fail(queue, number=2, url=OTHER_HOOK)
    theirs, _ = fail(queue, number=4, account=world.second)
    closed = world.subscribe(number=3).token
    change(world, closed, subscription_store.disable)
    assert operators.enable(world.first, OTHER_HOOK) == [other]
    assert operators.enable(world.first) == [mine]
    assert operators.enable(world.first) == []
    active = {one.token: one.active for one in world.subscriptions()}
    assert active == {mine: 1, other: 1, theirs: 0, closed: 0}
    assert world.subscription(mine).block_reason is None
    assert len(queue.deliver()) == 1


# --- the commands ---


@pytest.fixture
def run(world, monkeypatch):
    """Return a function that runs `firmograph webhooks` and returns its exit code and standard output."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", world.url)

    def run(*words):
        done = CliRunner().invoke(app, words)
        return done.exit_code, done.stdout

    return run


def test_commands_recover_the_deliveries_of_a_failed_receiver(world, queue, run):
    token, failed = fail(queue, 2)
    _, listed = run("list", "--account", "First", "--json")
    (subscription,) = json.loads(listed)["subscriptions"]
    assert (
        subscription.items()
        >= {"id": token, "isActive": False, "waiting": 1, "failed": 1, "url": HOOK}.items()
    )
    assert subscription["blockReason"].startswith("Max retries")
    _, failures = run("failures", "--account", "First", "--json")
    assert [one["payloadId"] for one in json.loads(failures)["failures"]] == [failed]
    assert run("enable", "--account", "First", "--json") == (
        0,
        json.dumps({"enabled": 1, "subscriptions": [token]}, separators=(",", ":")) + "\n",
    )
    assert run("redeliver", "--account", "First") == (
        0,
        "1 delivery will be sent again by the next worker.\n",
    )
    world.clock.advance(1e9)
    assert [queue.deliver()[0].payload_id == failed for _ in range(2)] == [True, False]


def test_tables_show_the_same_ids_and_urls_as_json(world, queue, run):
    token, failed = fail(queue)
    for words, known in ((("list",), token), (("failures",), failed)):
        code, output = run(*words, "--account", f"{world.first}", "--ids")
        assert (code, known in output, HOOK in output) == (0, True, True)
        code, output = run(*words, "--account", "Second")
        assert (code, len(output.splitlines())) == (0, 1)


def test_an_impossible_redelivery_fails_the_command_but_not_the_other_ids(world, queue, run):
    _, failed = fail(queue)
    run("enable", "--account", "First")
    code, printed = run("redeliver", failed.upper(), "ffff", "--json")
    result = json.loads(printed)
    assert (code, result["redelivered"]) == (1, 1)
    assert [one["redelivered"] for one in result["results"]] == [True, False]
    assert result["results"][1]["reason"].startswith("No delivery has this id.")


@pytest.mark.parametrize("words", [("redeliver",), ("redeliver", "ffff", "--account", "First")])
def test_redeliver_requires_either_ids_or_an_account(run, words):
    assert run(*words)[0] == 2


def test_enabling_an_unknown_url_fails(world, run):
    world.subscribe()
    assert run("enable", "--account", "First", "--url", OTHER_HOOK)[0] == 1
    assert run("enable", "--account", "First", "--url", HOOK) == (0, "0 subscriptions enabled.\n")
