"""Generated histories of calls by two accounts, each repeated under its key, compared with a model.

Each account sees its own subscriptions; any call about another account's one is answered like that about an unknown id.
"""

from itertools import count

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from subscription_calls import SubscriptionCalls
from webhook_fixtures import COMPANY, CONTACT

from effort import examples
from firmograph.kit.clock import iso
from firmograph.kit.errors import BadRequest, FirmographError, Forbidden, NotFound
from firmograph.settings import Settings
from firmograph.webhooks.subscriptions import shapes

MOST = 5
URLS = ["https://a.example.com/in", "https://b.example.com/in"]
REFUSED = "http://a.example.com/in"
TYPES = {COMPANY: ["allSignals", "riskNews", "surgeInHiring"], CONTACT: ["allSignals", "promotion"]}
UNKNOWN_ID = "0" * 24

account_indices = st.integers(0, 1)
indices = st.integers(0, 11)
names = st.sampled_from(["", "Ours", "Theirs"])
items = st.fixed_dictionaries(
    {
        "entity": st.sampled_from([COMPANY, COMPANY, COMPANY, CONTACT]),
        # there is no record 99
        "number": st.sampled_from([1, 1, 2, 2, 3, 3, 99]),
        "spelling": st.sampled_from(["token", "token", "legacy", "legacy", "rubbish"]),
        "types": st.sampled_from([["allSignals"], ["allSignals"], ["riskNews"], ["promotion", "promotion"]]),
    }
)
numbers = count(1)


class AccountModel:
    """The expected state of one account."""

    def __init__(self, id, secret):
        self.id = id
        self.secret = secret
        self.subscriptions = {}
        """Expected subscriptions by id in the order of creation."""
        self.records = {}
        """Entity and number of each subscription, or the partner of opt-outs."""
        self.credits = {}
        """Credits held for the deliveries of each subscription."""


class Histories(RuleBasedStateMachine):
    def __init__(self, world):
        super().__init__()
        self.world = world
        self.service = SubscriptionCalls(world, Settings(webhook_max_subscriptions=MOST), repeated=True)
        self.reads = self.service
        self.accounts = []
        for _ in range(2):
            account = world.account(f"Account {next(numbers)}")
            self.accounts.append(AccountModel(account, world.secret(account)))
        self.ids = [UNKNOWN_ID, "rubbish"]
        """All ids ever created, of any account."""

    def now(self):
        return self.world.clock.seconds()

    @rule()
    def time_passes(self):
        self.world.clock.advance(60)

    @rule(
        which=account_indices,
        items=st.lists(items, min_size=1, max_size=4),
        url=st.sampled_from([*URLS, REFUSED]),
    )
    def create(self, which, items, url):
        mine = self.accounts[which]
        body = {"defaults": {"url": url}, "subscriptions": [self.item(item) for item in items]}
        room = MOST - len(mine.subscriptions)
        body = msgspec.convert(body, shapes.CreateSubscriptions)
        if url == REFUSED or not room:
            with pytest.raises(BadRequest if url == REFUSED else Forbidden):
                self.service.create(mine.id, body, self.now())
            return
        answer = self.service.create(mine.id, body, self.now())
        expected = [self.expect(mine, item) for item in items]
        assert [one.get("error", {}).get("code") for one in answer["results"]] == expected
        count_created = expected.count(None)
        assert (answer["total"], answer["successful"], answer["failed"]) == (
            len(items),
            count_created,
            len(items) - count_created,
        )
        created = [one["subscription"] for one in answer["results"] if one["success"]]
        for one, id in zip(
            created, list(mine.subscriptions)[len(mine.subscriptions) - count_created :], strict=True
        ):
            self.replace_placeholder(mine, id, one)
            assert (one["url"], one["isActive"], one["createdAt"]) == (url, True, iso(self.now()))

    def item(self, item):
        entity, number = item["entity"], item["number"]
        ids = {"token": self.world.tokens.seal, "legacy": self.world.tokens.legacy}
        id = str(ids[item["spelling"]](entity, number)) if item["spelling"] in ids else "rubbish"
        return {"entityId": id, "entityType": entity.name.lower(), "signalTypes": item["types"]}

    def expect(self, mine, item):
        """Return the code of an item's error, or None after adding its subscription to the model."""
        record = (item["entity"], item["number"])
        unfit = any(name not in TYPES[item["entity"]] for name in item["types"])
        if unfit or item["number"] == 99 or item["spelling"] == "rubbish":
            return "VALIDATION_ERROR"
        if record in mine.records.values():
            return "DUPLICATE_SUBSCRIPTION"
        if len(mine.subscriptions) >= MOST:
            return "FORBIDDEN"
        id = f"to come {len(mine.subscriptions)}"
        mine.subscriptions[id], mine.records[id], mine.credits[id] = None, record, 0
        return None

    def replace_placeholder(self, mine, id, subscription):
        """Replace the placeholder id of a new subscription by its real one."""
        assert subscription["id"] not in self.ids
        self.ids.append(subscription["id"])
        for by_id in (mine.subscriptions, mine.records, mine.credits):
            by_id[subscription["id"]] = by_id.pop(id)
        mine.subscriptions[subscription["id"]] = subscription

    @rule(which=account_indices, partner=st.sampled_from(["", "p1"]))
    def create_opt_out(self, which, partner):
        mine = self.accounts[which]
        given = {"partnerClientId": partner} if partner else {}
        body = msgspec.convert(
            {"entityType": "contact", "url": URLS[0], **given}, shapes.CreateOptOutSubscription
        )
        if partner in mine.records.values() or len(mine.subscriptions) >= MOST:
            with pytest.raises(Forbidden):
                self.service.create_opt_out(mine.id, body, self.now())
            return
        subscription = self.service.create_opt_out(mine.id, body, self.now())
        assert (subscription["entityId"], subscription["signalTypes"]) == (str(mine.id), ["optOut"])
        mine.subscriptions["to come"], mine.records["to come"], mine.credits["to come"] = None, partner, 0
        self.replace_placeholder(mine, "to come", subscription)

    @rule(
        which=account_indices,
        index=indices,
        change=st.fixed_dictionaries(
            {},
            optional={
                "name": names,
                "url": st.sampled_from(URLS),
                "signalTypes": st.lists(st.sampled_from(TYPES[COMPANY]), min_size=1, max_size=3),
                "isActive": st.booleans(),
                "regenerateSecret": st.booleans(),
            },
        ),
    )
    def patch(self, which, index, change):
        mine, id = self.accounts[which], self.ids[index % len(self.ids)]
        body = msgspec.convert(change, shapes.ChangeSubscription)
        refusal = None
        if id not in mine.subscriptions:
            refusal = NotFound
        elif not set(change.get("signalTypes", [])) <= self.types_of(mine, id):
            refusal = BadRequest
        if refusal:
            with pytest.raises(refusal):
                self.service.change(mine.id, id, body, self.now())
        else:
            self.patch_one(mine, id, change)

    def patch_one(self, mine, id, change):
        body = msgspec.convert(change, shapes.ChangeSubscription)
        subscription = self.service.change(mine.id, id, body, self.now())
        if change.get("regenerateSecret"):
            assert subscription["secret"] != mine.secret
            mine.secret = subscription.pop("secret")
        mine.subscriptions[id] = self.changed(mine.subscriptions[id], change)
        assert subscription == mine.subscriptions[id]

    def types_of(self, mine, id):
        record = mine.records[id]
        return set(TYPES[record[0]]) if isinstance(record, tuple) else {"optOut"}

    def changed(self, subscription, change):
        expected = dict(subscription)
        for name in ("url", "isActive"):
            expected |= {name: change[name]} if name in change else {}
        if "signalTypes" in change:
            expected["signalTypes"] = list(dict.fromkeys(change["signalTypes"]))
        if "isActive" in change:
            expected |= {"blockReason": None, "blockedAt": None}
        if "name" in change:
            expected.pop("name", None)
            expected |= {"name": change["name"]} if change["name"] else {}
        if set(change) - {"regenerateSecret"}:
            expected["updatedAt"] = iso(self.now())
        return expected

    @rule(which=account_indices, chosen=st.lists(indices, min_size=1, max_size=5))
    def delete(self, which, chosen):
        mine = self.accounts[which]
        ids = [self.ids[index % len(self.ids)] for index in chosen]
        answer = self.service.delete(mine.id, ids, self.now())
        expected = [(ids.index(id), id in mine.subscriptions) for id in dict.fromkeys(ids)]
        assert [(one["index"], one["success"]) for one in answer["results"]] == expected
        # failures differ only by their index
        assert len({str(one["error"]) for one in answer["results"] if not one["success"]}) <= 1
        for id in set(ids) & set(mine.subscriptions):
            del mine.subscriptions[id], mine.records[id], mine.credits[id]

    @rule(which=account_indices, index=indices, active=st.booleans())
    def switch_own_subscription(self, which, index, active):
        mine = self.accounts[which]
        if mine.subscriptions:
            id = list(mine.subscriptions)[index % len(mine.subscriptions)]
            self.patch_one(mine, id, {"isActive": active})

    @rule(which=account_indices)
    def regenerate(self, which):
        mine = self.accounts[which]
        secret = self.service.regenerate_secret(mine.id, self.now())
        assert secret != mine.secret
        mine.secret = secret

    @rule(
        which=account_indices,
        index=indices,
        credits=st.integers(0, 9),
        state=st.sampled_from(["WAITING", "FAILED"]),
    )
    def add_delivery(self, which, index, credits, state):
        mine = self.accounts[which]
        if mine.subscriptions:
            id = list(mine.subscriptions)[index % len(mine.subscriptions)]
            # nothing is held for a dead letter
            credits = credits if state == "WAITING" else 0
            self.world.insert_delivery(id, held=credits, state=state)
            mine.credits[id] += credits

    @rule(which=account_indices, index=indices)
    def block_subscription(self, which, index):
        mine = self.accounts[which]
        if mine.subscriptions:
            id = list(mine.subscriptions)[index % len(mine.subscriptions)]
            row = self.world.subscription(id)
            self.world.overwrite(row._replace(active=0, block_reason="Gone", blocked_at=self.now()))
            blocked = {"isActive": False, "blockReason": "Gone", "blockedAt": iso(self.now())}
            mine.subscriptions[id] |= blocked

    @invariant()
    def each_account_sees_only_its_own_subscriptions(self):
        for mine in self.accounts:
            newest = list(mine.subscriptions.values())[::-1]
            pages = [self.reads.page(mine.id, 3, offset) for offset in (0, 3)]
            assert [msgspec.to_builtins(one) for page in pages for one in page.data] == newest
            for page in pages:
                assert page.pagination.total == len(newest)
                assert page.pagination.has_more == (page.pagination.offset + 3 < len(newest))
            for id in self.ids:
                assert self.seen(mine, id) == mine.subscriptions.get(id, "There is no such subscription")
            assert self.reads.secret(mine.id).secret == mine.secret

    def seen(self, mine, id):
        try:
            return msgspec.to_builtins(self.reads.get(mine.id, id))
        except FirmographError as error:
            return error.message

    @invariant()
    def credits_are_held_only_for_waiting_deliveries(self):
        for mine in self.accounts:
            assert self.world.balance(mine.id) == (1_000, 0, sum(mine.credits.values()))


def test_accounts_learn_nothing_of_subscriptions_of_others(world):
    run_state_machine_as_test(
        lambda: Histories(world), settings=settings(max_examples=examples(30), stateful_step_count=25)
    )
