"""Generated histories of the tables of an account, called over HTTP and by a worker, compared with a plain model.

Calls are repeated with their key, and server and worker are killed before and after a commit. After every step rows,
cells, counters, runs, paid units and the ledger are those of the model.
"""

from collections import Counter
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from table_model import DEFAULTS, Entry, Model, ModelTable
from table_users import TableUser
from table_world import DEAR, PRICES, Killed, TableWorld

from effort import examples
from firmograph.record_tables.types import RunState
from server_fixtures import Service

KEYS = {"contacts": ["workEmail", "mobilePhone", "city"], "companies": ["industry", "openJobsTotal"]}
MOST_TABLES = 3
EVENTS = {
    "create": 3,
    "add": 6,
    "remove": 2,
    "add_columns": 5,
    "remove_column": 1,
    "run": 7,
    "run_with_bound": 3,
    "work": 24,
    "stop": 1,
    "read": 2,
    "replay": 2,
    "delete": 1,
    "change_records": 3,
    "suppress": 1,
    "grant": 1,
    "change_prices": 1,
    "pass_time": 2,
}
"""Events and their weights."""
CRASHES = [None, None, None, None, "before", "after"]


class Keyed:
    """Call that can be repeated with its key."""

    def __init__(self, user, path, body, key, answer) -> None:
        self.user, self.path, self.body, self.key, self.answer = user, path, body, key, answer
        self.table = None


class History:
    """History of an account's tables: events, each drawn and made by a seed, with the model of what they do."""

    def __init__(self, service: Service, credits: int) -> None:
        self.world = TableWorld(service, credits)
        self.model = Model(self.world.values, PRICES["unlimited"], credits)
        self.keyed: list[Keyed] = []
        self.names = self.calls = self.comparisons = 0

    def happen(self, seed: int) -> None:
        random = Random(seed)
        (event,) = random.choices(list(EVENTS), EVENTS.values())
        note(event)
        getattr(self, event)(random)
        self.compare()

    def user(self, random, kind) -> TableUser:
        return random.choice(self.world.users).of_kind(kind)

    def some_table(self, random):
        if not self.model.tables:
            return None, None
        id = random.choice(sorted(self.model.tables))
        return id, self.model.tables[id]

    def some_ids(self, random, kind):
        """Return records, some of them twice, and their ids in capital letters or not, with others that are none."""
        every = sorted(self.world.ids[kind])
        return random.choices(every, k=random.randint(1, 5))

    def post(self, random, user, path, body, apply, method="POST"):
        """Call, apply the call to the model if it was done, and return the answer; None if it was lost."""
        self.calls += 1
        key = f"key-{self.calls}" if method == "POST" and random.random() < 0.5 else None
        crash = random.choice(CRASHES)
        headers = {"idempotency-key": key} if key else {}
        with self.world.crashing(crash) as crashed:
            answer = user.call(method, path, body, **headers)
        if crashed() and crash == "before":
            assert answer.status_code == 503
            return None
        if answer.status_code == 503:
            assert crashed()
            assert crash == "after"
            if key is None:
                apply(None)
                return None
            # the caller asks again, and gets what was done
            answer = user.call(method, path, body, **headers)
        assert answer.status_code in (200, 201, 402), answer.text
        apply(answer)
        if key and answer.status_code != 402:
            self.keyed.append(Keyed(user, path, body, key, answer.json()))
        return answer

    def create(self, random):
        if len(self.model.tables) >= MOST_TABLES:
            return
        kind = random.choice(["contacts", "companies"])
        owner = self.world.users[0].of_kind(kind)
        self.names += 1
        name = f"Table {self.names}"
        sent = self.some_ids(random, kind) if random.random() < 0.7 else None
        body = {"name": name, "owner": owner.owner, "visibility": "shared"}
        body |= {"ids": [self.world.ids[kind][one] for one in sent]} if sent else {}
        model = self.model
        table = ModelTable(kind, name, {key: {} for key in DEFAULTS[kind]})
        new = model.new_rows(table, sent or [])
        cost = model.credits_for(model.cost_of_rows(kind, new))

        def apply(answer):
            if cost > model.remaining:
                assert answer.status_code == 402
                return
            id = self.world.find_table(owner, name) if answer is None else answer.json()["data"]["tableId"]
            model.tables[id] = table
            assert model.add_rows(table, new, f"table:{id}") == cost
            if answer is not None:
                assert answer.status_code == 201
                assert answer.json()["billing"]["creditsCharged"] == cost

        self.post(random, owner, "", body, apply)

    def add(self, random):
        id, table = self.some_table(random)
        if not table:
            return
        model, sent = self.model, self.some_ids(random, table.kind)
        user = self.user(random, table.kind)
        new = model.new_rows(table, sent)
        cost = model.credits_for(model.cost_of_rows(table.kind, new))
        invalid = [one for one in dict.fromkeys(sent) if one not in model.records[table.kind]]
        body = {"entityIds": [self.world.ids[table.kind][one] for one in sent], "owner": user.owner}

        def apply(answer):
            if cost > model.remaining:
                assert answer.status_code == 402
                return
            model.add_rows(table, new, f"table:{id}")
            if answer is not None:
                data = answer.json()["data"]
                assert data["added"] == len(new)
                assert data["invalidIds"] == [self.world.ids[table.kind][one] for one in invalid]
                assert data["alreadyPresent"] == len(set(sent)) - len(new) - len(invalid)
                assert answer.json()["billing"]["creditsCharged"] == cost

        self.post(random, user, f"/{id}/entities", body, apply)

    def remove(self, random):
        id, table = self.some_table(random)
        if not table:
            return
        sent, user = self.some_ids(random, table.kind), self.user(random, table.kind)
        removed = [one for one in dict.fromkeys(sent) if one in table.rows]
        body = {"entityIds": [self.world.ids[table.kind][one] for one in sent], "owner": user.owner}

        def apply(answer):
            self.model.remove_rows(table, removed)
            if answer is not None:
                assert answer.json()["data"]["removed"] == len(removed)

        self.post(random, user, f"/{id}/entities", body, apply, "DELETE")

    def add_columns(self, random):
        id, table = self.some_table(random)
        if not table:
            return
        user = self.user(random, table.kind)
        keys = random.sample([*KEYS[table.kind], *DEFAULTS[table.kind], "unknown"], random.randint(1, 3))
        body = {"columns": [{"columnKey": key} for key in keys], "owner": user.owner}

        def apply(answer):
            for key in keys:
                if key != "unknown" and key not in table.columns:
                    table.columns[key] = {}
                    self.model.begin(table, key, "all", [])
            if answer is not None:
                entries = {one["columnKey"]: one["status"] for one in answer.json()["data"]}
                assert entries == {key: "failed" if key == "unknown" else "added" for key in keys}

        self.post(random, user, f"/{id}/columns", body, apply)

    def remove_column(self, random):
        id, table = self.some_table(random)
        added = [key for key in table.columns if key not in DEFAULTS[table.kind]] if table else []
        if not added:
            return
        key, user = random.choice(added), self.user(random, table.kind)
        with self.world.crashing(random.choice(CRASHES)) as crashed:
            column = self.world.column_id(user, id, key)
            answer = user.call("DELETE", f"/{id}/columns/{column}", params={"email": user.email})
        if crashed() == "before":
            assert answer.status_code == 503
        else:
            self.model.remove_column(table, key)

    def run(self, random):
        id, table = self.some_table(random)
        if not table:
            return
        key, user = random.choice(list(table.columns)), self.user(random, table.kind)
        scope = random.choice(["all", "missing", "specific"])
        chosen = self.some_ids(random, table.kind)
        body = {"runScope": scope, "owner": user.owner}
        body |= (
            {"entityIds": [self.world.ids[table.kind][one] for one in chosen]} if scope == "specific" else {}
        )
        column = self.world.column_id(user, id, key)

        def apply(answer):
            self.model.begin(table, key, scope, chosen)
            if answer is not None:
                assert answer.json()["billing"]["creditsCharged"] == 0

        self.post(random, user, f"/{id}/columns/{column}/run", body, apply)

    def run_with_bound(self, random):
        """Begin a run as the command does, with a bound in credits."""
        id, table = self.some_table(random)
        if table:
            key, scope = random.choice(list(table.columns)), random.choice(["all", "missing"])
            bound = random.choice([0, 1, 5])
            begun = self.world.begin_run(id, key, scope, bound)
            assert (self.model.begin(table, key, scope, [], bound) is None) == (begun is None)

    def stop(self, random):
        id, table = self.some_table(random)
        if table and (runs := table.open_runs()):
            place = random.randrange(len(runs))
            self.world.stop_run(self.world.open_runs(id)[place].id)
            self.model.stop(runs[place])

    def read(self, random):
        id, table = self.some_table(random)
        if not table:
            return
        user, size = self.user(random, table.kind), random.choice([1, 2, 100])
        page = random.choice([0, 0, 1])
        count = len(table.rows[page * size : (page + 1) * size])
        cost = self.model.total("tableRead", count)
        answer = user.call("GET", f"/{id}/entities", params={"email": user.email, "page": page, "size": size})
        if cost > self.model.remaining:
            assert answer.status_code == 402
            return
        self.model.read_rows(count, f"table:{id}")
        body = answer.json()
        assert body["billing"] == {"creditsCharged": cost, "resultsReturned": count}
        shown = table.rows[page * size : (page + 1) * size]
        assert [row["id"] for row in body["data"]] == [self.world.ids[table.kind][one] for one in shown]

    def replay(self, random):
        """Repeat an earlier call with its key: nothing is done or charged again."""
        if not self.keyed:
            return
        call = random.choice(self.keyed)
        answer = call.user.call("POST", call.path, call.body, **{"idempotency-key": call.key})
        if answer.status_code == 404:
            # the table or the column is gone
            return
        assert answer.json()["requestId"] == call.answer["requestId"]
        assert answer.json()["billing"] == call.answer["billing"]
        changed = {**call.body, "owner": {"email": "other@acme.example"}}
        refused = call.user.call("POST", call.path, changed, **{"idempotency-key": call.key})
        assert refused.status_code in (400, 409)

    def delete(self, random):
        id, table = self.some_table(random)
        if table and random.random() < 0.5:
            assert self.world.users[0].of_kind(table.kind).delete(id).status_code == 200
            del self.model.tables[id]

    # --- others ---

    def work(self, random):
        """Let a worker do a part of some run; it may be killed before or after its commit."""
        before = self.run_numbers()
        crash, suspended = random.choice(CRASHES), self.world.suspended
        with self.world.crashing(crash, Killed, after=random.choice([0, 1, 1])), suppress(Killed):
            step = random.random()
            if suspended and step < 0.2:
                self.world.go_on(suspended.pop())
            elif step < 0.3:
                self.world.suspend_worker()
            else:
                self.world.work()
        changed = []
        for (id, place), number in before.items():
            stored, run = self.world.find_run(number), self.model.tables[id].open_runs()[place]
            filled = stored.success + stored.no_data + stored.failed - run.filled
            if filled or stored.state != RunState.OPEN:
                run.subject = f"run:{number}"
                changed.append((self.model.tables[id], run, filled, stored.state))
        assert len(changed) <= 1
        for table, run, filled, state in changed:
            self.model.fill(table, run, filled, state == RunState.BOUND_REACHED)
            assert (run.state == "open") == (state == RunState.OPEN)

    def run_numbers(self):
        """Return the numbers of open runs, by table and place among its open runs."""
        return {
            (id, place): run.id
            for id in self.model.tables
            for place, run in enumerate(self.world.open_runs(id))
        }

    def change_records(self, random):
        kind = random.choice(["contacts", "companies"])
        record = random.choice(sorted(self.world.ids[kind]))
        if record in self.model.records[kind] and not self.world.is_stub(record):
            self.model.records[kind][record] = self.world.change(kind, record)

    def suppress(self, random):
        known = sorted(self.model.records["contacts"])
        if len(known) > 4:
            record = random.choice(known)
            self.world.suppress(record)
            self.model.suppress(record)

    def grant(self, random):
        credits = random.choice([1, 3, 10])
        self.world.service.accounts.grant(self.world.account_name, credits)
        self.model.granted += credits

    def change_prices(self, random):
        plan = random.choice(sorted(PRICES))
        self.world.service.accounts.set_plan(self.world.account_name, plan)
        self.model.prices = PRICES[plan]

    def pass_time(self, random):
        self.world.clock.advance(random.choice([1.0, 30.0, 600.0]))

    # --- comparison ---

    def compare(self):
        # lists show of tables what the status of each does
        self.comparisons += 1
        if self.comparisons % 4 == 0:
            self.compare_lists()
        for id, table in self.model.tables.items():
            self.compare_table(id, table)
        self.compare_money()

    def compare_lists(self):
        world, model = self.world, self.model
        listed = world.list_tables()
        assert {one["tableId"] for one in listed} == set(model.tables)
        for one in listed:
            table = model.tables[one["tableId"]]
            assert (one["entityCount"], one["columnCount"]) == (len(table.rows), len(table.columns))
            assert one["isProcessing"] == bool(table.open_runs())

    def compare_table(self, id, table):
        world = self.world
        status = world.users[1].of_kind(table.kind).get(id).json()["data"]
        assert status["isProcessing"] == bool(table.open_runs())
        assert status["entityCount"] == len(table.rows)
        assert [column["key"] for column in status["columns"]] == list(table.columns)
        for column in status["columns"]:
            counters = table.counters(column["key"])
            assert {
                name: column[f"rows{name}"]
                for name in ("NotRun", "Processing", "Success", "NoData", "Failed")
            } == {
                "NotRun": counters["not_run"],
                "Processing": counters["processing"],
                "Success": counters["success"],
                "NoData": counters["no_data"],
                "Failed": counters["failed"],
            }
        rows = world.rows(id)
        assert [row["id"] for row in rows] == [world.ids[table.kind][one] for one in table.rows]
        for record, row in zip(table.rows, rows, strict=True):
            for key, cell in zip(table.columns, row["columns"], strict=True):
                expected = table.shown(key, record)
                assert (cell["status"], cell["value"]) == expected[:2]
                assert cell.get("error") == expected.error
        runs = world.open_runs(id)
        assert [sum(run.left) for run in runs] == [len(run.left) for run in table.open_runs()]
        assert [run.credits for run in runs] == [run.credits for run in table.open_runs()]

    def compare_money(self):
        entries = [one for one in self.world.entries() if one.kind == "charge"]
        found = Counter(Entry(one.action, one.quantity, one.credits, one.subject) for one in entries)
        assert found == Counter(self.model.ledger)
        assert self.world.balance() == (self.model.granted, self.model.used, 0)
        assert self.model.remaining >= 0

    def finish(self):
        """Let the runs end: every cell has a final state, and a run of what is missing has only failed ones."""
        self.world.clock.advance(3_600.0)
        for _ in range(500):
            if not any(table.open_runs() for table in self.model.tables.values()):
                break
            self.work(Random(1))
            self.world.clock.advance(61.0)
        self.compare()
        self.compare_lists()
        assert not any(table.open_runs() for table in self.model.tables.values())


@pytest.fixture
def with_dear_plan(make_service, tmp_path):
    """Return an application that the histories share."""
    plans = tmp_path / "plans.toml"
    plans.write_text(DEAR)
    return make_service(plans_file=str(plans), lookalikes=False)


@given(seeds=st.lists(st.integers(0, 2**32), min_size=60, max_size=90), credits=st.sampled_from([5, 20, 60]))
@settings(max_examples=examples(10))
def test_tables_are_those_of_a_model_after_every_event(with_dear_plan, seeds, credits):
    history = History(with_dear_plan, credits)
    try:
        for seed in seeds:
            history.happen(seed)
        history.finish()
    finally:
        history.world.end()
