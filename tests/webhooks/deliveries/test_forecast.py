"""Forecast of deliveries and their costs by account."""

from webhook_fixtures import CONTACT, World, headcount, move, news

from firmograph.billing.paid_units import record_paid
from firmograph.billing.types import signal_unit
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import AccountSession, account_scope
from firmograph.webhooks.deliveries.claim import DeliveryPrices
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.deliveries.forecast import AccountForecast, Forecast, Forecaster
from record_factory import DIGESTS

DAY = 86_400.0


def forecast(world: World, since: int = 0, **plans: str) -> Forecast:
    loaded = load_plans(**plans)
    fan_out = FanOut(world.database, world.clock, loaded, DIGESTS, 30)
    with world.database.read() as session:
        return Forecaster(fan_out, DeliveryPrices(loaded)).since(session, since)


def test_the_forecast_is_per_account(world):
    world.subscribe(world.first, 1)
    world.subscribe(world.first, 2)
    world.subscribe(world.second, 1, ["commercialActivityNews"])
    world.detect(headcount(1), news(1), headcount(2), headcount(3))
    assert forecast(world) == Forecast(
        signals={"commercialActivityNews": 1, "headcountIncrease3m": 3},
        deliveries=4,
        credits=4,
        accounts=[
            AccountForecast("First", deliveries=3, credits=3, remaining=1_000, missing=0),
            AccountForecast("Second", deliveries=1, credits=1, remaining=1_000, missing=0),
        ],
    )


def test_earlier_and_undeliverable_signals_cause_no_deliveries(world):
    world.subscribe()
    world.detect(headcount(day="2026-09-01"))
    world.detect(headcount(day="2026-09-02"), quiet=True)
    world.detect(headcount(day="2025-09-03"))
    result = forecast(world, since=1)
    assert (result.signals, result.deliveries, result.accounts) == ({"headcountIncrease3m": 2}, 0, [])


def test_a_signal_paid_at_any_time_is_free(world):
    world.subscribe()
    with world.database.write(account_scope(world.first)) as session:
        identity = headcount().identity(DIGESTS)
        record_paid(AccountSession(session, world.first), [signal_unit(identity)], "r", world.clock.seconds())
    world.detect(headcount(), news())
    world.clock.advance(900 * DAY)
    assert forecast(world).credits == 1


def test_prices_are_those_of_the_plan_and_missing_credits_are_reported(world, tmp_path):
    (tmp_path / "plans.toml").write_text(
        "[pricing]\nshowSignalsContact = { credits = 300, perQuantity = 1 }\n"
        "showSignalsCompany = { credits = 2, perQuantity = 1 }\n"
    )
    world.subscribe(number=1)
    world.subscribe(number=1, entity=CONTACT)
    world.detect(headcount(), *[move(1, f"2026-09-{day:02}") for day in range(1, 5)])
    (account,) = forecast(world, override=str(tmp_path / "plans.toml")).accounts
    assert account == AccountForecast("First", deliveries=5, credits=1_202, remaining=1_000, missing=202)


def test_signals_beyond_a_page_are_counted(world, monkeypatch):
    monkeypatch.setattr("firmograph.webhooks.deliveries.forecast._PAGE", 2)
    world.subscribe()
    world.detect(*[headcount(1, f"2026-09-{day:02}") for day in range(1, 6)])
    assert forecast(world).deliveries == 5
