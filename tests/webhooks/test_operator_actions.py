"""What operators do for receivers that are well again, and the commands for it."""

import json

import pytest
from queue_fixtures import FAILED, OK, QueueWorld
from typer.testing import CliRunner
from webhook_fixtures import headcount

from firmograph.billing.plans import load_plans
from firmograph.billing.types import Balance
from firmograph.cli.webhooks.commands import app
from firmograph.database.connection import account_scope
from firmograph.webhooks.deliveries import cancel
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.operator_actions import OperatorActions
from firmograph.webhooks.sending import payload
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import OPT_OUT

DAYS = [f"2026-09-{day:02}" for day in range(1, 21)]
HOOK, OTHER_HOOK = "https://hooks.example.com/in", "https://other.example.com/in"


@pytest.fixture
def queue(world):
    return QueueWorld(world)


@pytest.fixture
def operators(world):
    return OperatorActions(world.database, world.clock)


def fail(queue, count=1, *, number=1, url=HOOK, account=0):
    """A subscription that is disabled after the first of so many deliveries; the payload id of that."""
    token = queue.world.subscribe(account, number=number, url=url).token
    queue.tell(*(headcount(number, day) for day in DAYS[:count]))
    queue.give_up()
    (failed,) = [
        row["payload_id"]
        for row in queue.world.deliveries()
        if row["state"] == 2 and row["subscription_id"] == queue.world.subscription(token).id
    ]
    return token, failed


def priced(world, folder, credits):
    """The queue of a worker where telling of a company costs so much."""
    file = folder / "plans.toml"
    file.write_text(f"[pricing.showSignalsCompany]\ncredits = {credits}\n")
    world.plans = load_plans(str(file))
    return QueueWorld(world)


def change(world, token, how):
    one = world.subscription(token)
    with world.database.write(account_scope(one.account_id)) as session:
        how(session, [one.id], world.clock.seconds())


def refusals(operators, *ids):
    return [one.refusal for one in operators.redeliver(ids)]


def test_a_dead_letter_goes_again_before_what_waited_behind_it_and_is_charged_once(world, queue, operators):
    token, failed = fail(queue, 3)
    operators.enable(world.first)
    assert refusals(operators, failed) == [None]
    assert world.subscription(token).queued == 3
    sent = [queue.deliver()[0].payload_id for _ in range(3)]
    assert sent[0] == failed
    assert world.balance(world.first) == Balance(1_000, 3, 0)
    assert queue.kinds(world.first)[:4] == ["hold", "release", "hold", "capture"]


def test_a_dead_letter_has_the_same_body_and_all_its_retries_again(world, queue, operators):
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
def test_one_that_is_sent_again_costs_what_its_body_says_whatever_the_price_is_now(
    world, queue, operators, tmp_path, before, now
):
    _, failed = fail(priced(world, tmp_path, before))
    operators.enable(world.first)
    operators.redeliver([failed])
    (sent,) = priced(world, tmp_path, now).deliver()
    assert (sent.payload_id, payload.credits_of(sent.body)) == (failed, before)
    assert world.balance(world.first) == Balance(1_000, before, 0)


def test_what_a_call_has_paid_for_meanwhile_is_sent_again_for_nothing(world, queue, operators):
    _, failed = fail(queue)
    queue.pay(world.first, 1)
    operators.enable(world.first)
    operators.redeliver([failed])
    assert len(queue.deliver()) == 1
    assert world.balance(world.first) == Balance(1_000, 1, 0)


def test_one_that_comes_back_while_another_is_on_its_way_disturbs_neither(world, queue, operators):
    token, failed = fail(queue, 2)
    operators.enable(world.first)
    on_its_way = queue.take()
    operators.redeliver([failed])
    assert queue.take() == []
    queue.record(on_its_way, FAILED)
    world.clock.advance(60)
    assert [queue.deliver(OK)[0].payload_id for _ in range(2)] == [failed, on_its_way[0].payload_id]
    assert (world.deliveries(), world.subscription(token).queued) == ([], 0)


def test_an_opt_out_that_failed_can_be_sent_again(world, operators):
    token = world.subscribe(number=None, types=[OPT_OUT]).token
    failed = world.deliver(token, state="FAILED")
    assert refusals(operators, failed) == [None]
    assert (world.deliveries()[0]["state"], world.subscription(token).queued) == (1, 1)


def test_why_one_cannot_be_sent_again_is_told(world, queue, operators):
    _, failed = fail(queue, 2)
    assert "is disabled; enable it with firmograph webhooks enable" in refusals(operators, failed)[0]
    operators.enable(world.first)
    assert refusals(operators, failed, failed) == [None]
    assert refusals(operators, failed) == ["It is already queued"]
    delivered = queue.deliver()[0].payload_id
    assert refusals(operators, delivered) == ["It was delivered; there is nothing to send again"]
    (waiting,) = world.deliveries()
    with world.database.write(account_scope(world.first)) as session:
        found = delivery_store.find(session, world.first, [waiting["id"]])
        cancel.cancel_deliveries(
            session, world.first, found, world.clock.seconds(), "The subscription was deleted"
        )
    assert "its subscription was deleted" in refusals(operators, waiting["payload_id"])[0]
    assert refusals(operators, "f" * 8)[0].startswith("No delivery has this id.")


def test_all_that_was_disabled_by_itself_is_revived_and_nothing_else(world, queue, operators):
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
    """Runs `firmograph webhooks` with these words; its exit code, and what it printed to stdout."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", world.url)

    def run(*words):
        done = CliRunner().invoke(app, words)
        return done.exit_code, done.stdout

    return run


def test_a_day_after_the_receiver_was_down(world, queue, run):
    token, failed = fail(queue, 2)
    _, listed = run("list", "--account", "First", "--json")
    (shown,) = json.loads(listed)["subscriptions"]
    assert shown.items() >= {"id": token, "isActive": False, "waiting": 1, "failed": 1, "url": HOOK}.items()
    assert shown["blockReason"].startswith("Max retries")
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


def test_tables_show_what_programs_read(world, queue, run):
    token, failed = fail(queue)
    for words, known in ((("list",), token), (("failures",), failed)):
        code, shown = run(*words, "--account", f"{world.first}")
        assert (code, known in shown, HOOK in shown) == (0, True, True)
        assert run(*words, "--account", "Second") == (0, "")


def test_what_cannot_be_sent_again_fails_the_command_and_the_rest_is_done(world, queue, run):
    _, failed = fail(queue)
    run("enable", "--account", "First")
    code, printed = run("redeliver", failed.upper(), "ffff", "--json")
    result = json.loads(printed)
    assert (code, result["redelivered"]) == (1, 1)
    assert [one["redelivered"] for one in result["results"]] == [True, False]
    assert result["results"][1]["reason"].startswith("No delivery has this id.")


@pytest.mark.parametrize("words", [("redeliver",), ("redeliver", "ffff", "--account", "First")])
def test_ids_or_an_account_are_needed_and_not_both(run, words):
    assert run(*words)[0] == 2


def test_a_url_that_nobody_has_is_told(world, run):
    world.subscribe()
    assert run("enable", "--account", "First", "--url", OTHER_HOOK)[0] == 1
    assert run("enable", "--account", "First", "--url", HOOK) == (0, "0 subscriptions enabled.\n")
