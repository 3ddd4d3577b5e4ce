"""Cells of signal columns and of score columns."""

import json

import full_records
import pytest

from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.billing.paid_units import PaidUnits
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import RECORDS, AccountSession
from firmograph.record_tables.columns.kind import NO_DATA, ColumnKinds
from firmograph.record_tables.columns.score_kind import score_column
from firmograph.record_tables.columns.signal_kind import MOST_CELL_EVENTS, signal_column
from firmograph.record_tables.types import Counters, TableColumn
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, JobMove
from firmograph.signals.store import record_feed, store_signals
from firmograph.signals.tables import signal_feeds, signals
from signal_factory import DIGESTS, put_detected
from statement_counts import record_statements

CONTACT, COMPANY = Entity.CONTACT, Entity.COMPANY
GROWTH, DECLINE, TRAFFIC = "headcountIncrease3m", "headcountDecrease3m", "websiteTrafficIncrease"
MOVE = JobMove(2, "New Ltd", "new.example", "CTO", "", "C-Suite", 1, "Old Ltd", "old.example", "VP")
TODAY, TOMORROW = "2026-09-21", "2026-09-22"


class SignalCells:
    """Records of `full_records` with signals, and cells of columns over them."""

    def __init__(self, service):
        self.service = service
        self.installation = service.installation
        self.account = service.accounts.find(service.account).id

    def put(self, entity, *signals):
        if entity is COMPANY:
            put_detected(self.service.database, COMPANY, *signals)
            return
        moves = [Detected(CONTACT, number, type, day, day, MOVE) for number, type, day in signals]
        with self.service.database.write(RECORDS) as session:
            store_signals(session, DIGESTS, moves, 0.0)

    def load(self, entity, new, numbers=(1, 2)):
        column = TableColumn(
            1, self.account, 1, new.kind, new.key, new.name, new.settings, 0, 0.0, 0.0, Counters()
        )
        with self.service.database.read() as session:
            own = AccountSession(session, self.account)
            at = self.service.clock.seconds()
            return self.installation.get(ColumnKinds).load(own, entity, [column], numbers, at)[1]

    def signals(self, entity, number=1, types=(GROWTH,), start=None):
        return self.load(entity, signal_column(entity, types, start))[number]

    def call(self, entity, path, **body):
        kind = "contacts" if entity is CONTACT else "companies"
        answer = self.service.post(f"/v3/{kind}/{path}", body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def id(self, entity, number=1):
        return self.installation.record_ids.seal(entity, number)


@pytest.fixture(scope="module")
def directory(shared_service):
    full_records.load_records(shared_service.database)
    return shared_service


@pytest.fixture
def cells(directory):
    """Return cells of records that have no signals but those of this test."""
    yield SignalCells(directory.with_account())
    with directory.database.write(RECORDS) as session:
        for table in (signals, signal_feeds):
            session.execute(table.delete())


@pytest.fixture
def own_cells(service):
    """Return cells in an installation whose clock the test may change."""
    full_records.load_records(service.database)
    return SignalCells(service)


@pytest.mark.parametrize(
    ("entity", "types"), [(COMPANY, [GROWTH, TRAFFIC]), (CONTACT, ["promotion", "companyChange"])]
)
def test_a_cell_holds_the_events_that_the_call_shows(cells, entity, types):
    cells.put(entity, *((1, type, day) for type in types for day in ("2026-05-01", "2026-06-01")))
    shown = cells.call(entity, "signals", ids=[cells.id(entity)], signalTypes=types)["results"][0]
    content = cells.signals(entity, types=types)
    value = json.loads(content.value)
    assert value == {type: shown[type] for type in types}
    assert [event["signalDate"] for event in value[types[0]]] == ["2026-06-01", "2026-05-01"]
    assert content.cell.status == "success"


def test_only_events_of_the_chosen_types_are_in_a_cell(cells):
    cells.put(COMPANY, (1, GROWTH, "2026-05-01"), (1, TRAFFIC, "2026-05-01"))
    assert list(json.loads(cells.signals(COMPANY, types=[GROWTH, DECLINE]).value)) == [GROWTH]


def test_events_before_the_first_day_are_not_in_a_cell(cells):
    cells.put(COMPANY, (1, GROWTH, "2026-05-01"), (1, GROWTH, "2026-06-01"))
    content = cells.signals(COMPANY, start="2026-05-02")
    assert [event["signalDate"] for event in json.loads(content.value)[GROWTH]] == ["2026-06-01"]
    assert [len(group.units) for group in content.groups] == [1]


def test_events_of_days_to_come_are_neither_shown_nor_charged(own_cells):
    own_cells.put(COMPANY, (1, GROWTH, TOMORROW))
    assert own_cells.signals(COMPANY) == NO_DATA
    own_cells.service.clock.advance(86_400)
    assert len(json.loads(own_cells.signals(COMPANY).value)[GROWTH]) == 1


def test_a_record_without_events_has_no_data_and_costs_nothing(cells):
    cells.put(COMPANY, (1, GROWTH, "2026-05-01"))
    assert cells.signals(COMPANY, number=2) == NO_DATA
    assert NO_DATA.cell.status == "no_data"


def test_a_cell_holds_the_newest_events_of_a_type_and_says_that_there_are_more(cells):
    cells.put(COMPANY, *((1, GROWTH, "2026-05-01", f"{n}") for n in range(MOST_CELL_EVENTS)))
    assert "truncated" not in json.loads(cells.signals(COMPANY).value)
    cells.put(COMPANY, (1, GROWTH, "2026-06-01"))
    content = cells.signals(COMPANY)
    value = json.loads(content.value)
    assert value["truncated"] is True
    assert len(value[GROWTH]) == MOST_CELL_EVENTS
    assert value[GROWTH][0]["signalDate"] == "2026-06-01"
    (group,) = content.groups
    identities = {unit.name.hex() for unit in group.units}
    assert identities == {event["signalId"] for event in value[GROWTH]}


@pytest.mark.parametrize(
    ("entity", "types", "action"),
    [
        (COMPANY, [GROWTH, TRAFFIC], "showSignalsCompany"),
        (CONTACT, ["promotion", "companyChange"], "showSignalsContact"),
    ],
)
def test_a_cell_costs_what_the_call_costs(cells, entity, types, action):
    cells.put(entity, *((1, type, day) for type in types for day in ("2026-05-01", "2026-06-01")))
    content = cells.signals(entity, types=types)
    assert [group.action for group in content.groups] == [action] * 2
    assert quoted(cells, content) == {action: 2}
    billing = cells.call(entity, "signals", ids=[cells.id(entity)], signalTypes=types)["billing"]
    assert billing["creditsCharged"] == 2
    assert quoted(cells, content) == {}


def quoted(cells, content):
    """Return the quantities that a cell costs the account by price key."""
    plan = load_plans().named("unlimited")
    with cells.service.database.read() as session:
        charges = AffordableCharges(cells.installation.get(PaidUnits))
        own = AccountSession(session, cells.account)
        costs = charges.estimate(own, plan, [content.groups], {}, cells.service.clock.seconds())
    return {action: cost.quantity for action, cost in costs.items()}


def test_columns_of_the_same_types_are_the_same_column():
    one = signal_column(COMPANY, [TRAFFIC, GROWTH], "2026-01-01")
    other = signal_column(COMPANY, [GROWTH, TRAFFIC, GROWTH], None)
    assert one.identity == other.identity == f"signal:{GROWTH},{TRAFFIC}"
    assert (one.kind, one.key) == ("signal", None)
    assert one.name == f"Signals: {TRAFFIC}, {GROWTH}"
    assert json.loads(one.settings) == {"types": [TRAFFIC, GROWTH], "startDate": "2026-01-01"}
    assert json.loads(other.settings) == {"types": [TRAFFIC, GROWTH]}


def test_a_score_is_that_of_the_call(cells):
    cells.put(COMPANY, (1, GROWTH, TODAY))
    with cells.service.database.write(RECORDS) as session:
        record_feed(session, "news", 1)
    shown = cells.call(
        COMPANY, "signal-score", companies=[{"domain": "acme.example"}, {"domain": "bare.example"}]
    )
    loaded = cells.load(COMPANY, score_column())
    values = [json.loads(loaded[number].value) for number in (1, 2)]
    assert values == [result["signalScore"] for result in shown["results"]]
    assert values[1] == 0
    for content in loaded.values():
        assert [(group.action, tuple(group.units)) for group in content.groups] == [
            ("signalScoreCompany", ())
        ]


def test_a_contact_is_scored_by_its_moves(cells):
    cells.put(CONTACT, (1, "promotion", TODAY))
    content = cells.load(CONTACT, score_column())[1]
    shown = cells.call(CONTACT, "signal-score", contacts=[{"email": "dana@acme.example"}])
    assert json.loads(content.value) == shown["results"][0]["signalScore"] == 0.5
    assert [group.action for group in content.groups] == ["signalScoreContact"]


def test_a_record_without_a_score_has_no_data_and_costs_nothing(cells):
    assert cells.load(COMPANY, score_column())[2] == NO_DATA
    assert cells.load(CONTACT, score_column())[2] == NO_DATA


@pytest.mark.parametrize("entity", [CONTACT, COMPANY])
def test_records_that_do_not_exist_have_no_cell(cells, entity):
    for new in (score_column(), signal_column(entity, [GROWTH, "promotion"], None)):
        assert 999 not in cells.load(entity, new, [1, 999])


def test_a_type_of_value_is_known_before_a_run(cells):
    kinds = cells.installation.get(ColumnKinds)
    for new, expected in ((score_column(), "number"), (signal_column(COMPANY, [GROWTH], None), "object")):
        column = full_records.stored_column(1, None, new.kind, new.settings)
        assert kinds.of(column).value_type(column, COMPANY) == expected


@pytest.mark.parametrize("entity", [CONTACT, COMPANY])
def test_cells_of_many_records_take_few_statements(cells, monkeypatch, entity):
    types = [GROWTH, TRAFFIC] if entity is COMPANY else ["promotion"]
    cells.put(entity, *((number, types[0], TODAY) for number in (1, 2)))
    calls = record_statements(monkeypatch)
    cells.load(entity, signal_column(entity, types, None))
    assert len(calls) <= 4
    calls.clear()
    cells.load(entity, score_column())
    assert len(calls) <= 5
