"""A restored queue tells nothing of whoever was suppressed since, and newer secrets stay.

See docs/reference/backup.md#what-a-restore-keeps.
"""

import pytest
import sqlalchemy as sa
from opt_out_fixtures import OptOutWorld
from queue_fixtures import FAILED, OK, QueueWorld
from webhook_fixtures import CONTACT, World, move, news

import database_fixtures
from firmograph.backup import archive, service
from firmograph.database.connection import account_scope
from firmograph.webhooks.erasure import OPTED_OUT
from firmograph.webhooks.types import State
from record_factory import KEYRING

OTHER_ORIGIN = sa.text("UPDATE installation SET value = 'another' WHERE name = 'origin'")
PARTNERS = sa.text("SELECT account_id, record_id FROM partner_reveals")


class Restorable:
    """A world whose database is put back as it was."""

    def __init__(self, world, file):
        self.world = world
        self.people = OptOutWorld(world)
        self.queue = QueueWorld(world)
        self._file = file

    def back_up(self):
        world = self.world
        service.back_up(
            world.database, KEYRING, self._file, world.clock, replace=True, progress_of=_unwatched
        )

    def restore(self, to: World | None = None):
        world = to or self.world
        with archive.open_archive(self._file) as backup:
            service.check(backup, world.url, _unwatched("Checking"))
            service.restore(backup, world.database, force=True, progress_of=_unwatched)

    def states(self):
        return [(State(row["state"]), row["body"]) for row in self.world.deliveries()]


def _unwatched(what):
    return lambda done, total: None


@pytest.fixture
def there(world, tmp_path):
    return Restorable(world, tmp_path / "kept.backup")


def test_what_was_queued_of_them_is_cancelled_and_its_hold_comes_back(there, world):
    one = world.subscribe(number=there.people.zoe, entity=CONTACT)
    there.queue.tell(move(there.people.zoe))
    there.queue.deliver(FAILED)
    there.back_up()
    there.people.suppress()
    there.queue.first.finish_cancelled()
    there.restore()
    assert there.states() == [(State.CANCELLED, None)]
    assert world.balance(world.first).held > 0
    world.clock.advance(900)
    assert there.queue.take() == []
    there.queue.first.finish_cancelled()
    assert world.deliveries() == []
    assert world.balance(world.first).held == 0
    assert world.subscription(one.token).queued == 0
    assert world.audit()[-1]["error"] == OPTED_OUT


def test_dead_letters_and_answers_of_them_are_gone_and_others_go_on(there, world):
    about_them, other = world.subscribe(number=there.people.zoe, entity=CONTACT), world.subscribe()
    there.queue.tell(move(there.people.zoe), news())
    there.queue.deliver(OK)
    there.queue.tell(move(there.people.zoe, to=3), news(event="New Customer"))
    there.queue.give_up([each for each in there.queue.take() if each.subscription == about_them.token])
    there.back_up()
    assert acknowledged(world) == {about_them.token, other.token}
    there.people.suppress()
    there.restore()
    assert acknowledged(world) == {other.token}
    (left,) = world.deliveries()
    assert (left["subscription_id"], left["state"]) == (other.id, State.WAITING)
    there.queue.deliver()
    assert [one.queued for one in world.subscriptions()] == [0, 0]


def acknowledged(world):
    return {row["subscription"] for row in world.audit() if row["acknowledgement"] is not None}


def test_no_word_of_them_comes_back(there, world):
    for number, entity in ((there.people.zoe, CONTACT), (None, CONTACT)):
        world.subscribe(number=number, entity=entity)
    there.people.reveal(world.first, "emails", partner="p")
    there.queue.tell(move(there.people.zoe))
    there.queue.deliver(FAILED)
    there.back_up()
    there.people.suppress()
    there.restore()
    assert world.database.session().all(PARTNERS) == []
    assert "Ångström".encode() not in database_fixtures.content(world.database)


def test_opt_outs_that_are_not_delivered_yet_come_along(there, world):
    world.subscribe(number=None)
    there.people.reveal(world.first, "emails")
    there.back_up()
    there.people.suppress()
    (told,) = there.people.opt_outs()
    there.restore()
    assert there.people.opt_outs() == [told]
    assert world.subscription(told[0]).queued == 1
    (attempt,) = there.queue.deliver()
    assert b"zoe@" in attempt.body
    assert world.deliveries() == []


def test_opt_outs_that_were_delivered_since_do_not_come_back(there, world):
    one = world.subscribe(number=None)
    there.people.reveal(world.first, "emails")
    there.people.suppress()
    there.back_up()
    there.queue.deliver()
    there.restore()
    assert world.deliveries() == []
    assert world.subscription(one.token).queued == 0


def test_opt_outs_of_a_backup_are_kept_where_the_database_has_another_origin(there, world):
    world.subscribe(number=None)
    there.people.reveal(world.first, "emails")
    there.people.suppress()
    there.back_up()
    there.queue.deliver()
    with world.database.write(None) as session:
        session.execute(OTHER_ORIGIN)
    there.restore()
    assert len(there.people.opt_outs()) == 1


def test_a_secret_that_was_replaced_since_stays_replaced(there, world):
    before = world.secret(world.second)
    there.back_up()
    world.clock.advance(60)
    after = regenerated(world, world.first)
    there.restore()
    assert (world.secret(world.first), world.secret(world.second)) == (after, before)


def test_a_secret_that_was_made_since_is_there(there, world):
    third = world.account("Third", secret=False)
    there.back_up()
    made = regenerated(world, third)
    there.restore()
    assert world.secret(third) == made


def test_the_secrets_of_a_database_of_another_origin_mean_nothing(there, world):
    before = world.secret(world.first)
    there.back_up()
    world.clock.advance(60)
    regenerated(world, world.first)
    with world.database.write(None) as session:
        session.execute(OTHER_ORIGIN)
    there.restore()
    assert world.secret(world.first) == before


def test_who_is_still_sending_for_the_replaced_database_records_nothing(there, world):
    one = world.subscribe()
    there.queue.tell(news())
    there.back_up()
    attempts = there.queue.take()
    there.restore()
    (again,) = there.queue.take()
    assert there.queue.record(attempts) == []
    assert there.queue.record([again]) != []
    assert world.subscription(one.token).queued == 0


def regenerated(world, account):
    with world.database.write(account_scope(account)) as session:
        return world.secrets.regenerate(session, account, world.clock.seconds())
