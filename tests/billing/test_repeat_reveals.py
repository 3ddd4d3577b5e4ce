import pytest

from account_fixtures import World
from firmograph.database.connection import AccountSession
from firmograph.security.record_ids import Entity

EMAILS = (Entity.CONTACT, 7, "emails")
DAY = 86_400


@pytest.fixture
def thirty(tmp_path):
    world = World(tmp_path, repeat_reveal_days=30)
    yield world
    world.end()


def test_by_default_a_unit_stays_paid_forever(world):
    caller = world.caller(credits=10)
    world.buy(caller, [EMAILS])
    world.clock.advance(100 * 365 * DAY)
    assert world.buy(caller, [EMAILS]).credits == 0


def test_a_unit_stays_free_until_the_last_moment_of_its_days(thirty):
    caller = thirty.caller(credits=10)
    thirty.buy(caller, [EMAILS])
    thirty.clock.advance(30 * DAY - 1)
    assert thirty.buy(caller, [EMAILS]).credits == 0
    thirty.clock.advance(1)
    assert thirty.buy(caller, [EMAILS]).credits == 1


def test_an_expired_unit_is_not_listed_as_paid_and_a_renewal_restarts_its_days(thirty):
    caller = thirty.caller(credits=10)

    def paid():
        with thirty.database.read() as session:
            return thirty.purchases.paid(AccountSession(session, caller.account_id), Entity.CONTACT, [7])

    thirty.buy(caller, [EMAILS])
    thirty.clock.advance(30 * DAY)
    assert paid() == set()
    thirty.buy(caller, [EMAILS])
    thirty.clock.advance(29 * DAY)
    assert paid() == {(7, "emails")}


def test_a_renewal_keeps_the_date_of_the_first_reveal(thirty):
    caller = thirty.caller(credits=10)
    first = thirty.clock.seconds()
    thirty.buy(caller, [EMAILS], "one")
    thirty.clock.advance(40 * DAY)
    thirty.buy(caller, [EMAILS], "two")
    row = thirty.database.session().raw.execute("SELECT first_paid_at, paid_at, request_id FROM paid_units")
    assert row.fetchall() == [(first, first + 40 * DAY, "two")]
