"""Histories of calls by two accounts, against a model in plain Python: each sees its own and learns of no other's.

What is asked of a subscription of the other account is answered as if it had never been, whatever it is.
"""

from itertools import count

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from webhook_fixtures import COMPANY, CONTACT

from firmograph.kit.clock import iso
from firmograph.kit.errors import BadRequest, FirmographError, Forbidden, NotFound
from firmograph.settings import Settings
from firmograph.webhooks.subscriptions import shapes
from firmograph.webhooks.subscriptions.service import Subscriptions

MOST = 5
URLS = ["https://a.example.com/in", "https://b.example.com/in"]
REFUSED = "http://a.example.com/in"
TYPES = {COMPANY: ["allSignals", "riskNews", "surgeInHiring"], CONTACT: ["allSignals", "promotion"]}
NEVER_WAS = "0" * 24

whose = st.integers(0, 1)
places = st.integers(0, 11)
names = st.sampled_from(["", "Ours", "Theirs"])
items = st.fixed_dictionaries(
    {
        "entity": st.sampled_from([COMPANY, COMPANY, COMPANY, CONTACT]),
        # of which the last is not held
        "number": st.sampled_from([1, 1, 2, 2, 3, 3, 99]),
        "spelling": st.sampled_from(["token", "token", "legacy", "legacy", "rubbish"]),
        "types": st.sampled_from([["allSignals"], ["allSignals"], ["riskNews"], ["promotion", "promotion"]]),
    }
)
numbers = count(1)


class Mine:
    """What the model holds of one account."""

    def __init__(self, id, secret):
        self.id = id
        self.secret = secret
        self.held = {}
        """Subscriptions as they are shown, in the order in which they were made."""
        self.records = {}
        """What each of them is of: entity and number, or the partner of opt-outs."""
        self.credits = {}
        """Of the deliveries of each, what is held for them."""


class Histories(RuleBasedStateMachine):
    def __init__(self, world):
        super().__init__()
        self.world = world
        self.service = Subscriptions(
            world.database, world.tokens, world.secrets, Settings(webhook_max_subscriptions=MOST)
        )
        self.accounts = []
        for _ in range(2):
            account = world.account(f"Account {next(numbers)}")
            self.accounts.append(Mine(account, world.secret(account)))
        self.made = [NEVER_WAS, "rubbish"]
        """Every id that there ever was, whoever's."""

    def now(self):
        return self.world.clock.seconds()

    @rule()
    def time_passes(self):
        self.world.clock.advance(60)

    @rule(which=whose, items=st.lists(items, min_size=1, max_size=4), url=st.sampled_from([*URLS, REFUSED]))
    def create(self, which, items, url):
        mine = self.accounts[which]
        body = {"defaults": {"url": url}, "subscriptions": [self.item(item) for item in items]}
        room = MOST - len(mine.held)
        body = msgspec.convert(body, shapes.CreateSubscriptions)
        if url == REFUSED or not room:
            with pytest.raises(BadRequest if url == REFUSED else Forbidden):
                self.service.create(mine.id, body, self.now())
            return
        answer = msgspec.to_builtins(self.service.create(mine.id, body, self.now()))
        expected = [self.expect(mine, item) for item in items]
        assert [one.get("error", {}).get("code") for one in answer["results"]] == expected
        made = expected.count(None)
        assert (answer["total"], answer["successful"], answer["failed"]) == (
            len(items),
            made,
            len(items) - made,
        )
        shown = [one["subscription"] for one in answer["results"] if one["success"]]
        for one, id in zip(shown, list(mine.held)[len(mine.held) - made :], strict=True):
            self.note(mine, id, one)
            assert (one["url"], one["isActive"], one["createdAt"]) == (url, True, iso(self.now()))

    def item(self, item):
        entity, number = item["entity"], item["number"]
        ids = {"token": self.world.tokens.seal, "legacy": self.world.tokens.legacy}
        id = str(ids[item["spelling"]](entity, number)) if item["spelling"] in ids else "rubbish"
        return {"entityId": id, "entityType": entity.name.lower(), "signalTypes": item["types"]}

    def expect(self, mine, item):
        """The code of an item's error; None, with its place taken, where it is made."""
        record = (item["entity"], item["number"])
        unfit = any(name not in TYPES[item["entity"]] for name in item["types"])
        if unfit or item["number"] == 99 or item["spelling"] == "rubbish":
            return "VALIDATION_ERROR"
        if record in mine.records.values():
            return "DUPLICATE_SUBSCRIPTION"
        if len(mine.held) >= MOST:
            return "FORBIDDEN"
        id = f"to come {len(mine.held)}"
        mine.held[id], mine.records[id], mine.credits[id] = None, record, 0
        return None

    def note(self, mine, id, shown):
        """What was taken in the model under a stand-in has its id now."""
        assert shown["id"] not in self.made
        self.made.append(shown["id"])
        for by_id in (mine.held, mine.records, mine.credits):
            by_id[shown["id"]] = by_id.pop(id)
        mine.held[shown["id"]] = shown

    @rule(which=whose, partner=st.sampled_from(["", "p1"]))
    def create_opt_out(self, which, partner):
        mine = self.accounts[which]
        given = {"partnerClientId": partner} if partner else {}
        body = msgspec.convert(
            {"entityType": "contact", "url": URLS[0], **given}, shapes.CreateOptOutSubscription
        )
        if partner in mine.records.values() or len(mine.held) >= MOST:
            with pytest.raises(Forbidden):
                self.service.create_opt_out(mine.id, body, self.now())
            return
        shown = msgspec.to_builtins(self.service.create_opt_out(mine.id, body, self.now()))
        assert (shown["entityId"], shown["signalTypes"]) == (str(mine.id), ["optOut"])
        mine.held["to come"], mine.records["to come"], mine.credits["to come"] = None, partner, 0
        self.note(mine, "to come", shown)

    @rule(
        which=whose,
        place=places,
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
    def patch(self, which, place, change):
        mine, id = self.accounts[which], self.made[place % len(self.made)]
        body = msgspec.convert(change, shapes.ChangeSubscription)
        refusal = None
        if id not in mine.held:
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
        shown = msgspec.to_builtins(self.service.change(mine.id, id, body, self.now()))
        if change.get("regenerateSecret"):
            assert shown["secret"] != mine.secret
            mine.secret = shown.pop("secret")
        mine.held[id] = self.changed(mine.held[id], change)
        assert shown == mine.held[id]

    def types_of(self, mine, id):
        record = mine.records[id]
        return set(TYPES[record[0]]) if isinstance(record, tuple) else {"optOut"}

    def changed(self, shown, change):
        expected = dict(shown)
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

    @rule(which=whose, chosen=st.lists(places, min_size=1, max_size=5))
    def delete(self, which, chosen):
        mine = self.accounts[which]
        ids = [self.made[place % len(self.made)] for place in chosen]
        answer = msgspec.to_builtins(self.service.delete(mine.id, ids, self.now()))
        expected = [(ids.index(id), id in mine.held) for id in dict.fromkeys(ids)]
        assert [(one["index"], one["success"]) for one in answer["results"]] == expected
        # nothing but the place tells one failure from another
        assert len({str(one["error"]) for one in answer["results"] if not one["success"]}) <= 1
        for id in set(ids) & set(mine.held):
            del mine.held[id], mine.records[id], mine.credits[id]

    @rule(which=whose, place=places, active=st.booleans())
    def one_of_its_own_is_switched(self, which, place, active):
        mine = self.accounts[which]
        if mine.held:
            id = list(mine.held)[place % len(mine.held)]
            self.patch_one(mine, id, {"isActive": active})

    @rule(which=whose)
    def regenerate(self, which):
        mine = self.accounts[which]
        made = self.service.regenerate_secret(mine.id, self.now()).secret
        assert made != mine.secret
        mine.secret = made

    @rule(which=whose, place=places, held=st.integers(0, 9), state=st.sampled_from(["WAITING", "FAILED"]))
    def a_delivery_waits(self, which, place, held, state):
        mine = self.accounts[which]
        if mine.held:
            id = list(mine.held)[place % len(mine.held)]
            # nothing is held for a dead letter
            held = held if state == "WAITING" else 0
            self.world.deliver(id, held=held, state=state)
            mine.credits[id] += held

    @rule(which=whose, place=places)
    def a_receiver_is_given_up(self, which, place):
        mine = self.accounts[which]
        if mine.held:
            id = list(mine.held)[place % len(mine.held)]
            row = self.world.subscription(id)
            self.world.overwrite(row._replace(active=0, block_reason="Gone", blocked_at=self.now()))
            blocked = {"isActive": False, "blockReason": "Gone", "blockedAt": iso(self.now())}
            mine.held[id] |= blocked

    @invariant()
    def each_account_sees_its_own_and_nothing_else(self):
        for mine in self.accounts:
            newest = list(mine.held.values())[::-1]
            pages = [self.service.page(mine.id, 3, offset) for offset in (0, 3)]
            assert [msgspec.to_builtins(one) for page in pages for one in page.data] == newest
            for page in pages:
                assert page.pagination.total == len(newest)
                assert page.pagination.has_more == (page.pagination.offset + 3 < len(newest))
            for id in self.made:
                assert self.seen(mine, id) == mine.held.get(id, "There is no such subscription")
            assert self.service.secret(mine.id).secret == mine.secret

    def seen(self, mine, id):
        try:
            return msgspec.to_builtins(self.service.get(mine.id, id))
        except FirmographError as error:
            return error.message

    @invariant()
    def credits_are_held_for_what_waits_and_for_nothing_else(self):
        for mine in self.accounts:
            assert self.world.balance(mine.id) == (1_000, 0, sum(mine.credits.values()))


def test_nobody_sees_or_learns_of_anothers_subscriptions(world):
    run_state_machine_as_test(
        lambda: Histories(world), settings=settings(max_examples=30, stateful_step_count=25)
    )
