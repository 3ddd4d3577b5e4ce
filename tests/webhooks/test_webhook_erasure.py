"""Cancelled deliveries and erased texts of suppressed people.

See docs/reference/webhooks.md#suppressed-people.
"""

import threading

import msgspec
import pytest
import sqlalchemy as sa
from opt_out_fixtures import ZOE, ZOE_PAGE, OptOutWorld
from queue_fixtures import FAILED, OK, QueueWorld
from subscription_calls import SubscriptionCalls
from webhook_fixtures import CONTACT, TODAY, move, news

import database_fixtures
from firmograph.database.connection import Database, account_scope
from firmograph.security.record_ids import Entity
from firmograph.signals import events
from firmograph.signals.events import Detected
from firmograph.signals.posts.analysis import person_digests
from firmograph.webhooks.erasure import OPTED_OUT
from firmograph.webhooks.types import State, Status
from record_factory import DIGESTS
from server_fixtures import eventually

SEEN = OK._replace(body=b'{"received":true,"echo":"Zo\xc3\xab"}')


@pytest.fixture
def people(world):
    return OptOutWorld(world)


@pytest.fixture
def queue(people, world):
    return QueueWorld(world)


def news_about_zoe(number=1, url="https://news.example.com/zoe"):
    """Return news of a company that name Zoë."""
    article = events.NewsEvent(
        "hires", "Zoë Ångström joins.", TODAY, "Zoë Ångström", "Zoë joins.", TODAY, url
    )
    names = person_digests(DIGESTS, events.PersonReference(None, "Zoë Ångström", ZOE_PAGE))
    return Detected(
        Entity.COMPANY, number, "peopleNews", f"{url} hires", TODAY, article, "Hires", tuple(names)
    )


def post_mentioning_zoe(number=1):
    """Return a post of a company that mentions Zoë."""
    url = "https://www.linkedin.com/posts/1"
    zoe = events.PersonReference(None, "Zoë Ångström", ZOE_PAGE)
    post = events.Post(
        TODAY,
        "Technology",
        [events.Topic("Cloud", "Technology")],
        events.PersonReference(None, "Bo Example", "https://www.linkedin.com/in/bo-example"),
        [zoe],
        [],
        url,
        "Zoë Ångström spoke.",
        5,
        2,
        1,
        "post",
    )
    people = tuple(person_digests(DIGESTS, zoe))
    return Detected(
        Entity.COMPANY, number, "linkedinActivityIntent", url, TODAY, post, "|Technology|", people=people
    )


def states(world):
    return [(State(row["state"]), row["body"], row["reason"]) for row in world.deliveries()]


# --- deliveries ---


def test_waiting_deliveries_are_cancelled_and_their_holds_released(people, world, queue):
    one = world.subscribe(number=people.zoe, entity=CONTACT)
    queue.fan_out_signals(move(people.zoe), move(people.zoe, to=3))
    queue.deliver(FAILED)
    assert world.balance(world.first).held > 0
    people.suppress()
    assert states(world) == [(State.CANCELLED, None, OPTED_OUT)] * 2
    world.clock.advance(60)
    assert queue.claim() == []
    assert queue.first.finish_cancelled() == 2
    assert world.deliveries() == []
    assert (world.balance(world.first).held, world.balance(world.first).used) == (0, 0)
    assert world.subscription(one.token).queued == 0
    assert [(row["status"], row["error"]) for row in world.audit()[1:]] == [
        (Status.PERMANENT_FAILURE, OPTED_OUT)
    ] * 2


def test_deliveries_about_others_continue(people, world, queue):
    one = world.subscribe()
    world.subscribe(number=1, entity=CONTACT)
    queue.fan_out_signals(news_about_zoe(), news(), move(1))
    people.suppress()
    assert [state for state, _, _ in states(world)].count(State.CANCELLED) == 1
    bodies = [msgspec.json.decode(attempt.body) for attempt in (*queue.deliver(), *queue.deliver())]
    assert sorted(body["type"] for body in bodies) == ["commercialActivityNews", "companyChange"]
    queue.first.finish_cancelled()
    assert world.subscription(one.token).queued == 0


def test_a_dead_letter_is_deleted_at_once_and_not_counted(people, world, queue):
    one = world.subscribe(number=people.zoe, entity=CONTACT)
    queue.fan_out_signals(move(people.zoe), move(people.zoe, to=3))
    queue.give_up()
    assert [state for state, _, _ in states(world)] == [State.FAILED, State.WAITING]
    people.suppress()
    assert [state for state, _, _ in states(world)] == [State.CANCELLED]
    queue.first.finish_cancelled()
    assert world.subscription(one.token).queued == 0
    assert world.balance(world.first).held == 0


@pytest.mark.parametrize(("send_result", "used"), [(OK, True), (FAILED, False)])
def test_a_delivery_in_flight_is_recorded_and_not_sent_again(people, world, queue, send_result, used):
    one = world.subscribe(number=people.zoe, entity=CONTACT)
    queue.fan_out_signals(move(people.zoe))
    attempts = queue.claim()
    people.suppress()
    queue.record(attempts, send_result._replace(body=SEEN.body))
    queue.first.finish_cancelled()
    world.clock.advance(900)
    assert (world.deliveries(), queue.claim()) == ([], [])
    assert (world.balance(world.first).used > 0, world.balance(world.first).held) == (used, 0)
    assert world.subscription(one.token).queued == 0
    assert {row["acknowledgement"] for row in world.audit()} == {None}


def test_a_signal_detected_before_the_suppression_gets_no_delivery_after_it(people, world, queue):
    world.subscribe(number=people.zoe, entity=CONTACT)
    world.detect(move(people.zoe))
    people.suppress()
    queue.fan_out_signals()
    assert world.deliveries() == []


def test_a_post_that_mentions_the_person_is_composed_again_without_the_mention(people, world, queue):
    one = world.subscribe()
    queue.fan_out_signals(post_mentioning_zoe())
    (first,) = queue.deliver(FAILED)
    credits = world.balance(world.first).held
    people.suppress()
    assert states(world) == [(State.WAITING, None, None)]
    world.clock.advance(60)
    (again,) = queue.deliver()
    assert "Zoë" in first.body.decode()
    assert "Zo" not in again.body.decode()
    assert (again.payload_id, again.attempts) == (first.payload_id, 1)
    assert (world.balance(world.first).used, world.balance(world.first).held) == (credits, 0)
    assert world.subscription(one.token).queued == 0


def test_the_subscription_to_the_record_remains(people, world, queue):
    one = world.subscribe(number=people.zoe, entity=CONTACT)
    people.suppress()
    assert world.subscription(one.token) == one


def test_the_names_of_subscriptions_to_the_person_are_erased_and_no_others(people, world):
    of_zoe = [
        world.subscribe(account, people.zoe, entity=CONTACT, name="Zoë at Company 1")
        for account in (world.first, world.second)
    ]
    others = [
        world.subscribe(number=1, entity=CONTACT, name="Zoë's manager"),
        world.subscribe(number=people.zoe, name="Company 6"),
    ]
    people.suppress()
    assert [world.subscription(one.token).name for one in of_zoe] == [None, None]
    assert [world.subscription(one.token).name for one in others] == ["Zoë's manager", "Company 6"]


# --- remaining data ---


def acknowledged(world):
    """Return the public ids of subscriptions with a stored answer to a delivery."""
    return {row["subscription"] for row in world.audit() if row["acknowledgement"] is not None}


def test_answers_to_deliveries_about_the_person_are_erased(people, world, queue):
    about_zoe, employer, other = (
        world.subscribe(number=people.zoe, entity=CONTACT),
        world.subscribe(),
        world.subscribe(number=2),
    )
    queue.fan_out_signals(move(people.zoe), news_about_zoe(), news(2))
    queue.deliver(SEEN)
    assert acknowledged(world) == {about_zoe.token, employer.token, other.token}
    people.suppress()
    assert acknowledged(world) == {other.token}


def test_answers_are_deleted_with_their_subscription(people, world, queue):
    one, other = world.subscribe(), world.subscribe(number=2)
    queue.fan_out_signals(news(), news(2))
    queue.deliver(SEEN)
    calls = SubscriptionCalls(world)
    calls.delete(world.first, [one.token], world.clock.seconds())
    assert acknowledged(world) == {other.token}
    assert len(world.audit()) == 2


def test_no_text_about_the_person_remains_in_the_database(people, world, queue):
    for number, entity in ((people.zoe, CONTACT), (1, Entity.COMPANY)):
        world.subscribe(number=number, entity=entity)
    world.subscribe(number=None)
    people.reveal(world.first, "emails", "phones", partner="p")
    queue.fan_out_signals(move(people.zoe), news_about_zoe(), post_mentioning_zoe())
    queue.deliver(SEEN)
    queue.deliver(FAILED)
    assert "Ångström".encode() in database_fixtures.content(people.database)
    people.suppress()
    queue.first.finish_cancelled()
    content = database_fixtures.content(people.database).lower()
    for word in ("Zoë", "Ångström", "zoe@", "zoe-", ZOE):
        assert word.lower().encode() not in content, word
        assert msgspec.json.encode(word).strip(b'"').lower() not in content


@pytest.mark.postgresql
def test_a_suppression_waits_for_a_concurrent_reveal_and_notifies_its_account(
    long_lock_timeout, people, world
):
    world.subscribe(number=None)
    suppressing = threading.Thread(target=people.suppress)
    other = Database(people.database.url)
    with people.database.write(account_scope(world.first)) as session:
        session.execute(_PAID, {"account": world.first, "number": people.zoe, "unit": b"emails"})
        suppressing.start()
        eventually(lambda: other.session().all(_WAITING), "the suppression does not wait")
    suppressing.join()
    other.close()
    assert len(people.opt_outs()) == 1


_WAITING = sa.text("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
_PAID = sa.text(
    "INSERT INTO paid_units (account_id, kind, record_id, unit, first_paid_at, paid_at, request_id)"
    " VALUES (:account, 1, :number, :unit, 1.5, 1.5, 'call')"
)
