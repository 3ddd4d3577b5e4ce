from firmograph.database.connection import AccountSession
from firmograph.security.record_ids import Entity

EMAILS = (Entity.CONTACT, 7, "emails")
DAY = 86_400


def test_by_default_a_unit_stays_paid_forever(world):
    caller = world.caller(credits=10)
    world.buy(caller, [EMAILS])
    world.clock.advance(100 * 365 * DAY)
    assert world.buy(caller, [EMAILS]).credits == 0


def test_a_unit_stays_free_until_the_last_moment_of_its_days(thirty_days):
    caller = thirty_days.caller(credits=10)
    thirty_days.buy(caller, [EMAILS])
    thirty_days.clock.advance(30 * DAY - 1)
    assert thirty_days.buy(caller, [EMAILS]).credits == 0
    thirty_days.clock.advance(1)
    assert thirty_days.buy(caller, [EMAILS]).credits == 1


def test_an_expired_unit_is_not_listed_as_paid_and_a_renewal_restarts_its_days(thirty_days):
    caller = thirty_days.caller(credits=10)

    def paid():
        with thirty_days.database.read() as session:
            return thirty_days.purchases.paid(AccountSession(session, caller.account_id), Entity.CONTACT, [7])

    thirty_days.buy(caller, [EMAILS])
    thirty_days.clock.advance(30 * DAY)
    assert paid() == set()
    thirty_days.buy(caller, [EMAILS])
    thirty_days.clock.advance(29 * DAY)
    assert paid() == {(7, "emails")}


def test_a_renewal_keeps_the_date_of_the_first_reveal(thirty_days):
    caller = thirty_days.caller(credits=10)
    first = thirty_days.clock.seconds()
    thirty_days.buy(caller, [EMAILS], "one")
    thirty_days.clock.advance(40 * DAY)
    thirty_days.buy(caller, [EMAILS], "two")
    row = thirty_days.database.session().raw.execute(
        "SELECT first_paid_at, paid_at, request_id FROM paid_units"
    )
    assert row.fetchall() == [(first, first + 40 * DAY, "two")]
