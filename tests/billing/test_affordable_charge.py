import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.billing.affordable_charge import UNLIMITED, AffordableCharges, PricedGroup
from firmograph.billing.ledger import Cost
from firmograph.billing.types import Unit, UnitKind, signal_unit
from firmograph.caller import Price
from firmograph.database.connection import AccountSession, account_scope

SUBJECT = "run:7"


def emails(number):
    return Unit(UnitKind.CONTACT_DATA, number, "emails")


def email(number):
    """Return an item: the e-mails of one contact."""
    return (PricedGroup("revealEmail", {emails(number)}),)


class Work:
    """Work of one account that charges in parts, like a run."""

    def __init__(self, world, credits=0, prices=None, name="Acme"):
        self.world = world
        self.charges = AffordableCharges(world.purchases)
        self.account = world.caller(name, credits=credits).account_id
        plan = world.plans.named("unlimited")
        given = {key: Price(*price) for key, price in (prices or {}).items()}
        self.plan = msgspec.structs.replace(plan, prices={**plan.prices, **given})
        self.earlier = {}
        self.credits = 0

    def charge(self, items, bound=UNLIMITED, request="part"):
        with self.world.database.write(account_scope(self.account)) as session:
            charged = self.charges.charge(
                AccountSession(session, self.account),
                self.plan,
                items,
                self.earlier,
                bound,
                request,
                self.world.clock.seconds(),
                SUBJECT,
            )
        for action, quantity in charged.quantities.items():
            self.earlier[action] = self.earlier.get(action, 0) + quantity
        self.credits += charged.credits
        return charged

    def estimate(self, items):
        with self.world.database.read() as session:
            own = AccountSession(session, self.account)
            return self.charges.estimate(own, self.plan, items, self.earlier, self.world.clock.seconds())

    def find_paid(self, units):
        with self.world.database.read() as session:
            own = AccountSession(session, self.account)
            return self.world.purchases.find_paid(own, units, self.world.clock.seconds())

    @property
    def used(self):
        return self.world.balance(self.account).used

    def rows(self):
        entries = self.world.entries(self.account)
        return [(one.action, one.quantity, one.credits) for one in entries if one.kind == "charge"]


def test_items_are_charged_until_the_credits_are_spent(world):
    work = Work(world, credits=2)
    charged = work.charge([email(1), email(2), email(3)])
    assert (list(charged.covered), charged.within_bound, charged.credits) == ([True, True, False], 3, 2)
    assert work.find_paid({emails(1), emails(2), emails(3)}) == {emails(1), emails(2)}


def test_a_cheaper_item_is_charged_after_one_that_was_too_expensive(world):
    work = Work(world, credits=2)
    phones = (PricedGroup("revealPhone", {Unit(UnitKind.CONTACT_DATA, 1, "phones")}),)
    assert list(work.charge([phones, email(1)]).covered) == [False, True]


def test_a_bound_ends_the_work_even_for_items_that_are_free(world):
    work = Work(world, credits=9)
    work.charge([email(3)])
    charged = work.charge([email(1), email(2), email(3)], bound=1)
    assert (list(charged.covered), charged.within_bound) == ([True, False, False], 1)
    assert work.used == 2


def test_a_paid_unit_is_free_and_needs_no_credits(world):
    work = Work(world, credits=1)
    work.charge([email(1)])
    charged = work.charge([email(1), email(2)])
    assert (list(charged.covered), charged.credits, charged.quantities) == ([True, False], 0, {})


def test_a_unit_of_two_items_is_charged_once(world):
    work = Work(world, credits=9)
    assert work.charge([email(1), email(1)]).credits == 1


def test_a_unit_of_two_groups_of_an_item_is_charged_once(world):
    work = Work(world, credits=9)
    assert work.charge([(*email(1), *email(1))]).credits == 1


def test_a_unit_that_was_too_expensive_is_charged_with_a_later_item(world):
    work = Work(world, credits=5)
    six = (*email(1), PricedGroup("revealPhone", {Unit(UnitKind.CONTACT_DATA, 1, "phones")}))
    assert list(work.charge([six, email(1)]).covered) == [False, True]
    assert work.find_paid({emails(1)}) == {emails(1)}


def test_a_group_with_several_units_is_one_quantity_until_all_are_paid(world):
    work = Work(world, credits=9, prices={"showSignalsContact": (2, 1)})
    first, second = signal_unit(b"first"), signal_unit(b"second")
    assert work.charge([(PricedGroup("showSignalsContact", {first}),)]).credits == 2
    assert work.charge([(PricedGroup("showSignalsContact", {first, second}),)]).credits == 2
    assert work.charge([(PricedGroup("showSignalsContact", {first, second}),)]).credits == 0
    assert work.find_paid({first, second}) == {first, second}


def test_a_group_without_units_is_charged_each_time(world):
    work = Work(world, credits=9)
    score = (PricedGroup("signalScoreContact"),)
    work.plan = msgspec.structs.replace(
        work.plan, prices={**work.plan.prices, "signalScoreContact": Price(1, 1)}
    )
    work.charge([score])
    assert work.charge([score, score]).quantities == {"signalScoreContact": 2}
    assert work.used == 3


def test_a_block_that_was_begun_by_an_earlier_part_is_used_up_first(world):
    work = Work(world, credits=9, prices={"revealEmail": (3, 10)})
    assert work.charge([email(number) for number in range(4)]).credits == 3
    assert work.charge([email(number) for number in range(4, 10)]).credits == 0
    assert work.charge([email(10)]).credits == 3
    assert work.rows() == [("revealEmail", 4, 3), ("revealEmail", 6, 0), ("revealEmail", 1, 3)]


def test_the_started_block_is_due_with_its_first_item_only(world):
    work = Work(world, credits=3, prices={"revealEmail": (3, 2)})
    assert list(work.charge([email(1), email(2), email(3)]).covered) == [True, True, False]


def test_units_are_recorded_as_paid_at_a_price_of_nothing(world):
    work = Work(world, prices={"revealEmail": (0, 1)})
    charged = work.charge([email(1)])
    assert (list(charged.covered), charged.credits) == ([True], 0)
    assert work.find_paid({emails(1)}) == {emails(1)}
    assert work.rows() == []


def test_an_item_without_groups_is_covered_whatever_remains(world):
    assert list(Work(world).charge([(), ()]).covered) == [True, True]


def test_every_ledger_row_names_the_work_and_its_request(world):
    work = Work(world, credits=9)
    work.charge([email(1), (PricedGroup("revealPhone", {Unit(UnitKind.CONTACT_DATA, 1, "phones")}),)])
    charges = [one for one in world.entries(work.account) if one.kind == "charge"]
    assert [(one.action, one.subject, one.request_id) for one in charges] == [
        ("revealEmail", SUBJECT, "part"),
        ("revealPhone", SUBJECT, "part"),
    ]
    assert [one.balance for one in charges] == [8, 3]


def test_an_estimate_charges_and_records_nothing(world):
    work = Work(world)
    assert work.estimate([email(1), email(2), email(1)]) == {"revealEmail": Cost("revealEmail", 2, 2)}
    assert (work.rows(), work.find_paid({emails(1), emails(2)})) == ([], set())


ACTIONS = ["revealEmail", "revealPhone", "revealCompany"]
units = st.integers(1, 4).map(emails) | st.sampled_from([b"a", b"b"]).map(signal_unit)
groups = st.builds(PricedGroup, st.sampled_from(ACTIONS), st.frozensets(units, max_size=2))
parts = st.lists(st.lists(st.lists(groups, max_size=2), max_size=5), min_size=1, max_size=4)
prices = st.fixed_dictionaries(
    dict.fromkeys(ACTIONS, st.tuples(st.integers(0, 3), st.sampled_from([1, 2, 5])))
)


class Model:
    """Charges of items in plain Python, with everything priced from the beginning of the work."""

    def __init__(self, prices, credits):
        self.prices, self.credits = prices, credits
        self.paid = set()
        self.quantities = dict.fromkeys(ACTIONS, 0)

    def total(self, quantities):
        return sum(
            -(-quantities[action] // blocks) * credits for action, (credits, blocks) in self.prices.items()
        )

    def charge(self, items, bound):
        covered, within, at_first = [], 0, self.total(self.quantities)
        for item in items:
            paid, quantities = set(self.paid), dict(self.quantities)
            for group in item:
                if not group.units or not group.units <= paid:
                    quantities[group.action] += 1
                    paid |= group.units
            total = self.total(quantities)
            is_within = within == len(covered) and total - at_first <= bound
            within += is_within
            covered.append(is_within and total <= self.credits)
            if covered[-1]:
                self.paid, self.quantities = paid, quantities
        return covered, within


@given(parts=parts, prices=prices, credits=st.integers(0, 25), bound=st.none() | st.integers(0, 9))
@settings(max_examples=examples(150))
def test_charges_in_parts_are_those_of_a_model(world, parts, prices, credits, bound):
    name = f"Account {len(list(world.accounts.all()))}"
    work, model = Work(world, credits, prices, name), Model(prices, credits)
    for items in parts:
        charged = work.charge(items, UNLIMITED if bound is None else bound)
        assert (list(charged.covered), charged.within_bound) == model.charge(
            items, UNLIMITED if bound is None else bound
        )
        assert work.used == work.credits == model.total(model.quantities) <= credits
    assert work.find_paid({unit for items in parts for item in items for g in item for unit in g.units}) == (
        model.paid
    )
    charged_quantities = dict.fromkeys(ACTIONS, 0)
    for action, quantity, _ in work.rows():
        charged_quantities[action] += quantity
    assert charged_quantities == {
        action: quantity if prices[action][0] else 0 for action, quantity in model.quantities.items()
    }


@given(parts=parts, prices=prices)
@settings(max_examples=examples(60))
def test_an_estimate_equals_the_charge_with_enough_credits(world, parts, prices):
    name = f"Account {len(list(world.accounts.all()))}"
    work = Work(world, 10_000, prices, name)
    for items in parts:
        estimate = work.estimate(items)
        charged = work.charge(items)
        assert {action: cost.quantity for action, cost in estimate.items()} == charged.quantities
        assert sum(cost.credits for cost in estimate.values()) == charged.credits
