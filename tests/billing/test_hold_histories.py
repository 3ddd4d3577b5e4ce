"""Histories of holds and calls that pay for the same units, with crashes, compared with a model."""

from collections import defaultdict
from contextlib import nullcontext
from itertools import count
from typing import NamedTuple
from unittest.mock import patch

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from account_fixtures import World
from effort import examples
from firmograph.billing import holds, ledger_store, paid_unit_store
from firmograph.billing.charged_call import ChargedWork, PricedContent
from firmograph.billing.holds import Hold, Settlement
from firmograph.billing.types import Unit, UnitKind, signal_unit
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.errors import PaymentRequired

PRICE = "showSignalsContact"
STORED = "SELECT account_id, kind, record_id, unit, request_id FROM paid_units WHERE account_id IN ({})"
UNITS = [signal_unit(b"\x00" * 16), signal_unit(b"\xff" * 16), Unit(UnitKind.COMPANY_DATA, 7, "intent")]
names = st.sampled_from(["First", "Second"])
units = st.sampled_from(UNITS)
serials = count(1)
crashes = st.sampled_from([None] * 6 + ["balance", "ledger", "paid units", "end"])
parts = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0]), min_size=1, max_size=3)
WRITES = {
    "balance": (ledger_store, ("add_held", "reduce_held", "spend_credits")),
    "ledger": (ledger_store, ("append_entries", "append_entries_of_accounts")),
    "paid units": (paid_unit_store, ("upsert", "upsert_of_accounts")),
}


class Crash(BaseException):
    """A simulated end of the process, as far as the transaction can tell."""


class Pending(NamedTuple):
    """Hold of the model."""

    name: str
    hold: Hold
    unit: Unit


class Shown(ChargedWork):
    """Feature that shows one unit, at the price of one quantity unless it is paid."""

    def __init__(self, unit: Unit, paid: bool) -> None:
        self.unit = unit
        self.paid = paid

    def compute(self, session, prepared):
        covered = () if self.paid else (self.unit,)
        return PricedContent(None, quantities={PRICE: len(covered)}, covered=covered)


class HeldCredits(RuleBasedStateMachine):
    """History of two new accounts of a world."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.actions = 0
        self.granted: dict[str, int] = defaultdict(int)
        self.used: dict[str, int] = defaultdict(int)
        self.pending: list[Pending] = []
        self.paid: dict[tuple[str, Unit], str] = {}

    @initialize()
    def two_accounts(self):
        serial = next(serials)
        self.callers = {
            name: self.world.caller(f"{name} {serial}", credits=10) for name in ("First", "Second")
        }
        self.granted = dict.fromkeys(self.callers, 10)

    def held(self, name):
        return sum(each.hold.credits for each in self.pending if each.name == name)

    def remaining(self, name):
        return self.granted[name] - self.used[name] - self.held(name)

    def key(self):
        self.actions += 1
        return f"action {self.actions}"

    def run(self, name, crash, action):
        """Run an action in a write transaction of an account that may crash after a write; whether it is committed."""
        account = self.callers[name].account_id
        with self.crashing(crash):
            try:
                with self.world.database.write(account_scope(account)) as session:
                    action(AccountSession(session, account))
                    if crash == "end":
                        raise Crash
            except Crash:
                return False
        return True

    def crashing(self, moment):
        """Let the process end right after a write of this table."""
        where, functions = WRITES.get(moment, (None, ()))

        def dying(original):
            def write(session, rows, *more):
                result = original(session, rows, *more)
                if rows:
                    raise Crash
                return result

            return write

        if where is None:
            return nullcontext()
        return patch.multiple(where, **{each: dying(getattr(where, each)) for each in functions})

    @rule(name=names, credits=st.integers(1, 12))
    def grant(self, name, credits):
        self.world.accounts.grant(str(self.callers[name].account_id), credits)
        self.granted[name] += credits

    @rule()
    def the_process_restarts(self):
        self.world.reopen()

    @rule(name=names, unit=units, credits=st.integers(0, 4), crash=crashes)
    def hold(self, name, unit, credits, crash):
        hold = Hold(self.key(), PRICE, credits)
        covered = []
        committed = self.run(
            name,
            crash,
            lambda own: covered.extend(holds.place_holds(own, [hold], self.world.clock.seconds())),
        )
        if not committed:
            return
        assert covered == [credits <= self.remaining(name) or not credits]
        if covered[0]:
            self.pending.append(Pending(name, hold, unit))

    @precondition(lambda self: self.pending)
    @rule(index=st.integers(0, 9), parts=parts, crash=crashes)
    def settle(self, index, parts, crash):
        """Capture all or some of holds of one account, or release them: always if their unit has been paid since."""
        name = self.pending[index % len(self.pending)].name
        own = [each for each in self.pending if each.name == name]
        ended, settled, paid = own[: len(parts)], [], {}
        for (_, hold, unit), part in zip(ended, parts, strict=False):
            known = (name, unit) in self.paid or (name, unit) in paid
            settled.append(Settlement(hold, 0 if known else int(hold.credits * part), unit))
            if settled[-1].captured:
                paid[name, unit] = hold.key
        if self.run(name, crash, lambda own: holds.settle_holds(own, settled, self.world.clock.seconds())):
            self.pending = [each for each in self.pending if each not in ended]
            self.used[name] += sum(each.captured for each in settled)
            self.paid |= paid

    @rule(name=names, unit=units, crash=crashes)
    def call(self, name, unit, crash):
        paid, caller, key = (name, unit) in self.paid, self.callers[name], self.key()
        short = not paid and self.remaining(name) < 1
        request = Request(key, caller, self.world.clock.seconds())
        at_end = patch.object(self.world.idempotency, "keep", side_effect=Crash)
        try:
            with self.crashing(crash), at_end if crash == "end" else nullcontext():
                response = self.world.charged_calls.run(request, Shown(unit, paid))
        except Crash:
            return
        except PaymentRequired:
            assert short
            return
        assert not short
        assert response.credits == (0 if paid else 1)
        self.used[name] += response.credits
        if not paid:
            self.paid[name, unit] = key

    @invariant()
    def balances_are_those_of_the_model_and_of_the_ledger(self):
        for name, caller in getattr(self, "callers", {}).items():
            assert self.world.balance(caller.account_id) == (
                self.granted[name],
                self.used[name],
                self.held(name),
            )
            running = 0
            for entry in self.world.entries(caller.account_id):
                if entry.kind in ("grant", "release"):
                    running += entry.credits
                elif entry.kind in ("charge", "hold"):
                    running -= entry.credits
                assert entry.balance == running >= 0
            assert running == self.remaining(name)

    @invariant()
    def a_hold_is_captured_and_released_by_as_much_as_was_held(self):
        pending = {each.hold.key: each.hold.credits for each in self.pending if each.hold.credits}
        for caller in getattr(self, "callers", {}).values():
            left: dict[str, int] = defaultdict(int)
            for entry in self.world.entries(caller.account_id):
                if entry.kind in ("hold", "capture", "release"):
                    left[entry.request_id] += entry.credits if entry.kind == "hold" else -entry.credits
            assert {key: credits for key, credits in left.items() if credits}.items() <= pending.items()

    @invariant()
    def each_unit_is_paid_by_the_charge_or_capture_of_its_request(self):
        if not hasattr(self, "callers"):
            return
        accounts = ", ".join(str(caller.account_id) for caller in self.callers.values())
        rows = self.world.database.session().raw.execute(STORED.format(accounts))
        stored = {
            (account, kind, record, bytes(unit)): request for account, kind, record, unit, request in rows
        }
        expected = {
            (
                self.callers[name].account_id,
                int(kind),
                record,
                unit.encode() if isinstance(unit, str) else unit,
            ): key
            for (name, (kind, record, unit)), key in self.paid.items()
        }
        assert stored == expected
        for caller in self.callers.values():
            paying = [
                e.request_id for e in self.world.entries(caller.account_id) if e.kind in ("charge", "capture")
            ]
            own = [request for (account, *_), request in stored.items() if account == caller.account_id]
            assert sorted(paying) == sorted(own)


def test_holds_and_calls_leave_the_credits_of_a_model_after_every_event(world):
    run_state_machine_as_test(
        lambda: HeldCredits(world),
        settings=settings(max_examples=examples(40), stateful_step_count=25),
    )
