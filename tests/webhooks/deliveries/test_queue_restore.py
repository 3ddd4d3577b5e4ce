"""Suppressions and secrets after the backup, kept by a restore of queues.

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
from installation_factory import make_protections
from record_factory import KEYRING

pytestmark = pytest.mark.usefixtures("quick_programs")

OTHER_ORIGIN = sa.text("UPDATE installation SET value = 'another' WHERE name = 'origin'")
PARTNERS = sa.text("SELECT account_id, record_id FROM partner_reveals")


class Restorable:
    """A world whose database can be backed up and restored."""

    def __init__(self, world, file):
        self.world = world
        self.people = OptOutWorld(world)
        self.queue = QueueWorld(world)
        self._file = file

    def back_up(self):
        world = self.world
        service.back_up(
            world.database, KEYRING, self._file, world.clock, replace=True, progress_of=_no_progress
        )

    def restore(self, to: World | None = None):
        world = to or self.world
        with archive.open_archive(self._file) as backup:
            service.check(backup, world.url, _no_progress("Checking"))
            service.restore(backup, world.database, make_protections(), force=True, progress_of=_no_progress)

    def states(self):
        return [(State(row["state"]), row["body"]) for row in self.world.deliveries()]


def _no_progress(what):
    return lambda done, total: None


@pytest.fixture
def restorable(world, tmp_path):
    return Restorable(world, tmp_path / "database.backup")


def test_restored_deliveries_about_a_suppressed_person_are_cancelled_and_their_holds_released(
    restorable, world
):
    one = world.subscribe(number=restorable.people.zoe, entity=CONTACT)
    restorable.queue.fan_out_signals(move(restorable.people.zoe))
    restorable.queue.deliver(FAILED)
    restorable.back_up()
    restorable.people.suppress()
    restorable.queue.first.finish_cancelled()
    restorable.restore()
    assert restorable.states() == [(State.CANCELLED, None)]
    assert world.balance(world.first).held > 0
    world.clock.advance(900)
    assert restorable.queue.claim() == []
    restorable.queue.first.finish_cancelled()
    assert world.deliveries() == []
    assert world.balance(world.first).held == 0
    assert world.subscription(one.token).queued == 0
    assert world.audit()[-1]["error"] == OPTED_OUT


def test_restored_dead_letters_and_answers_about_a_suppressed_person_are_deleted(restorable, world):
    about_zoe, other = world.subscribe(number=restorable.people.zoe, entity=CONTACT), world.subscribe()
    restorable.queue.fan_out_signals(move(restorable.people.zoe), news())
    restorable.queue.deliver(OK)
    restorable.queue.fan_out_signals(move(restorable.people.zoe, to=3), news(event="New Customer"))
    restorable.queue.give_up(
        [each for each in restorable.queue.claim() if each.subscription == about_zoe.token]
    )
    restorable.back_up()
    assert acknowledged(world) == {about_zoe.token, other.token}
    restorable.people.suppress()
    restorable.restore()
    assert acknowledged(world) == {other.token}
    (remaining,) = world.deliveries()
    assert (remaining["subscription_id"], remaining["state"]) == (other.id, State.WAITING)
    restorable.queue.deliver()
    assert [one.queued for one in world.subscriptions()] == [0, 0]


def acknowledged(world):
    return {row["subscription"] for row in world.audit() if row["acknowledgement"] is not None}


def test_no_text_about_a_suppressed_person_is_restored(restorable, world):
    for number, entity in ((restorable.people.zoe, CONTACT), (None, CONTACT)):
        world.subscribe(number=number, entity=entity)
    restorable.people.reveal(world.first, "emails", partner="p")
    restorable.queue.fan_out_signals(move(restorable.people.zoe))
    restorable.queue.deliver(FAILED)
    restorable.back_up()
    restorable.people.suppress()
    restorable.restore()
    assert world.database.session().all(PARTNERS) == []
    assert "Ångström".encode() not in database_fixtures.content(world.database)


def test_undelivered_opt_outs_are_kept(restorable, world):
    world.subscribe(number=None)
    restorable.people.reveal(world.first, "emails")
    restorable.back_up()
    restorable.people.suppress()
    (notice,) = restorable.people.opt_outs()
    restorable.restore()
    assert restorable.people.opt_outs() == [notice]
    assert world.subscription(notice[0]).queued == 1
    (attempt,) = restorable.queue.deliver()
    assert b"zoe@" in attempt.body
    assert world.deliveries() == []


def test_opt_outs_delivered_after_the_backup_are_not_restored(restorable, world):
    one = world.subscribe(number=None)
    restorable.people.reveal(world.first, "emails")
    restorable.people.suppress()
    restorable.back_up()
    restorable.queue.deliver()
    restorable.restore()
    assert world.deliveries() == []
    assert world.subscription(one.token).queued == 0


def test_opt_outs_of_a_backup_are_restored_into_a_database_of_another_origin(restorable, world):
    world.subscribe(number=None)
    restorable.people.reveal(world.first, "emails")
    restorable.people.suppress()
    restorable.back_up()
    restorable.queue.deliver()
    with world.database.write(None) as session:
        session.execute(OTHER_ORIGIN)
    restorable.restore()
    assert len(restorable.people.opt_outs()) == 1


def test_a_secret_replaced_after_the_backup_is_kept(restorable, world):
    before = world.secret(world.second)
    restorable.back_up()
    world.clock.advance(60)
    after = regenerate_secret(world, world.first)
    restorable.restore()
    assert (world.secret(world.first), world.secret(world.second)) == (after, before)


def test_a_secret_created_after_the_backup_is_kept(restorable, world):
    third = world.account("Third", secret=False)
    restorable.back_up()
    secret = regenerate_secret(world, third)
    restorable.restore()
    assert world.secret(third) == secret


def test_secrets_of_a_database_of_another_origin_are_not_kept(restorable, world):
    before = world.secret(world.first)
    restorable.back_up()
    world.clock.advance(60)
    regenerate_secret(world, world.first)
    with world.database.write(None) as session:
        session.execute(OTHER_ORIGIN)
    restorable.restore()
    assert world.secret(world.first) == before


def test_results_for_the_replaced_database_are_not_recorded(restorable, world):
    one = world.subscribe()
    restorable.queue.fan_out_signals(news())
    restorable.back_up()
    attempts = restorable.queue.claim()
    restorable.restore()
    (again,) = restorable.queue.claim()
    assert restorable.queue.record(attempts) == []
    assert restorable.queue.record([again]) != []
    assert world.subscription(one.token).queued == 0


def regenerate_secret(world, account):
    with world.database.write(account_scope(account)) as session:
        return world.secrets.regenerate(session, account, world.clock.seconds())
