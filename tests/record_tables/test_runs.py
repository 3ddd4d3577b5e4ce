"""Runs of columns: states, charges, failures, and what happens to a table while a part is in the making."""

import pytest
import structlog
from run_fixtures import EMAIL, SIGNALS, TITLE, Runs, email_unit, has_email

from firmograph.accounts.types import KeyTerms
from firmograph.billing.types import Balance
from firmograph.bootstrap.packages import load_plans
from firmograph.database.leases import LEASE_SECONDS
from firmograph.jobs.claimed_queue import GIVE_BACK_SECONDS
from firmograph.kit.errors import Busy
from firmograph.record_tables.runs.filling import ENRICH_FAILED, SIGNALS_NOT_IN_PLAN, TRIES, ClaimLost
from firmograph.record_tables.runs.worker import RunTurns
from firmograph.record_tables.types import INSUFFICIENT_CREDITS, Counters, RunState

NUMBERS = range(1, 301)
EMAILS = sum(map(has_email, NUMBERS))


@pytest.fixture
def runs(world):
    return Runs(world)


@pytest.fixture
def book(runs):
    return runs.book(credits=10_000).add(*NUMBERS)


def prices(tmp_path, text):
    file = tmp_path / "plans.toml"
    file.write_text(text)
    return load_plans(str(file))


def test_a_run_fills_all_cells_and_charges_those_with_a_value(runs, book):
    run = book.begin()
    runs.work()
    cells = book.check()
    for number in NUMBERS:
        value = b'"p%d.1@example.com"' % number if has_email(number) else None
        assert cells[number] == ("success" if value else "no_data", value, None)
    ended = book.run(run)
    assert ended.state is RunState.DONE
    assert (ended.taken, ended.success, ended.no_data, ended.failed) == (300, EMAILS, 100, 0)
    assert (ended.credits, sum(ended.left)) == (EMAILS, 0)
    assert book.charged(run) == (EMAILS, EMAILS)
    assert book.world.balance(book.account).used == EMAILS
    assert book.updated_at() == book.world.clock.seconds()


def test_what_a_run_paid_for_is_paid_for_every_other_call(runs, book):
    book.begin()
    runs.work()
    with book.write() as own:
        units = [email_unit(number) for number in NUMBERS]
        paid = book.world.purchases.find_paid(own, units, book.world.clock.seconds())
    assert paid == {email_unit(number) for number in NUMBERS if has_email(number)}


def test_a_second_run_refreshes_the_cells_for_nothing(runs, book):
    book.begin()
    runs.work()
    runs.kind.version = 2
    second = book.begin()
    runs.work()
    assert book.check()[1].value == b'"p1.2@example.com"'
    assert book.run(second).credits == 0
    assert book.charged(second) == (0, 0)


def test_a_run_spends_no_more_than_the_cap_of_the_key_that_began_it_and_names_the_key(runs):
    book = runs.book(credits=1_000).add(*NUMBERS)
    key = runs.world.accounts.create_key("Acme", KeyTerms(daily_credits=70)).prefix
    run = book.begin(actor=key)
    runs.work()
    assert (book.run(run).credits, book.run(run).actor) == (70, key)
    assert book.counters() == Counters(success=70, no_data=100, failed=EMAILS - 70)
    assert {entry.actor for entry in runs.world.entries(book.account) if entry.kind == "charge"} == {key}

    runs.world.clock.advance(86_400)
    again = book.begin("missing", actor=key)
    runs.work()
    assert book.run(again).credits == 70


def test_short_credits_fail_cells_in_order_and_a_run_of_what_is_missing_pays_only_for_those(runs):
    book = runs.book(credits=90).add(*NUMBERS)
    first = book.begin()
    runs.work()
    cells = book.check()
    with_email = [number for number in NUMBERS if has_email(number)]
    assert all(cells[number].status == "success" for number in with_email[:90])
    assert {cells[number][0::2] for number in with_email[90:]} == {("failed", INSUFFICIENT_CREDITS)}
    assert book.run(first).state is RunState.DONE
    assert book.counters() == Counters(success=90, no_data=100, failed=EMAILS - 90)
    assert book.world.balance(book.account) == Balance(90, 90)

    book.world.accounts.grant("Acme", 1_000)
    again = book.begin("missing")
    runs.work()
    assert book.run(again).taken == EMAILS - 90
    assert book.charged(again) == (EMAILS - 90, EMAILS - 90)
    assert book.check()[with_email[-1]].error is None
    assert book.counters() == Counters(success=EMAILS, no_data=100)


def test_a_cell_that_the_credits_do_not_suffice_for_keeps_its_value(runs):
    book = runs.book(credits=3).add(1, 2, 4)
    book.begin()
    runs.work()
    book.world.purchases = type(book.world.purchases)(book.world.clock, 1)
    book.world.clock.advance(2 * 86_400)
    book.begin()
    runs.work()
    assert book.check()[4] == ("failed", b'"p4.1@example.com"', INSUFFICIENT_CREDITS)


def test_a_bound_ends_the_run_and_leaves_the_rest_as_before(runs, book):
    run = book.begin(most_credits=50)
    runs.work()
    ended = book.run(run)
    assert ended.state is RunState.BOUND_REACHED
    assert ended.ended_at == book.world.clock.seconds()
    assert ended.credits == 50
    assert book.charged(run) == (50, 50)
    assert book.counters() == Counters(not_run=225, success=50, no_data=25)
    book.check()


def test_a_bound_that_suffices_is_not_reached(runs, book):
    run = book.begin(most_credits=EMAILS)
    runs.work()
    assert book.run(run).state is RunState.DONE
    assert book.run(run).credits == EMAILS


def test_short_credits_and_a_bound_are_told_apart(runs):
    book = runs.book(credits=2).add(1, 2, 4, 5, 7)
    run = book.begin(most_credits=2)
    runs.work()
    assert book.run(run).state is RunState.BOUND_REACHED
    assert book.counters() == Counters(not_run=3, success=2)
    other = book.begin(most_credits=100)
    runs.work()
    assert book.run(other).state is RunState.DONE
    assert book.counters() == Counters(success=2, failed=3)


def test_a_price_per_block_is_that_of_the_whole_run(world, tmp_path):
    runs = Runs(world, most_chunks=1)
    runs.plans = prices(tmp_path, "[pricing]\nrevealEmail = { credits = 2, perQuantity = 30 }\n")
    book = runs.book(credits=1_000).add(*NUMBERS)
    run = book.begin()
    runs.work()
    assert len(runs.kind.loaded) == 3
    assert book.run(run).credits == book.charged(run)[1] == -(-EMAILS // 30) * 2
    assert book.charged(run)[0] <= EMAILS


def test_a_price_that_changes_counts_from_the_next_turn_on(world, tmp_path):
    runs = Runs(world, most_chunks=1)
    book = runs.book(credits=1_000).add(*NUMBERS)
    run = book.begin()
    (turn,) = runs.claim()
    runs.part(turn)
    runs.queue.give_back([turn])
    world.clock.advance(2)
    runs.plans = prices(tmp_path, "[pricing]\nrevealEmail = { credits = 3, perQuantity = 1 }\n")
    runs.work()
    first = sum(map(has_email, NUMBERS[:128]))
    assert book.run(run).credits == first + 3 * (EMAILS - first)
    assert book.run(run).credits == book.charged(run)[1]


def test_a_stopped_run_leaves_the_rest_and_charges_nothing_more(world):
    runs = Runs(world, most_chunks=1)
    book = runs.book(credits=1_000).add(*NUMBERS)
    run = book.begin()
    (turn,) = runs.claim()
    part = runs.part(turn)
    assert book.stop(run)
    assert not book.stop(run)
    assert runs.part(turn).run.state is RunState.STOPPED
    assert book.run(run).credits == part.filled.credits == book.charged(run)[1]
    assert book.counters() == Counters(not_run=172, success=part.filled.success, no_data=part.filled.no_data)
    runs.work()
    assert book.run(run).state is RunState.STOPPED
    book.check()


def test_a_run_stopped_while_a_part_is_computed_gets_nothing_of_it(runs, book):
    run = book.begin()
    runs.kind.on_load = lambda numbers: book.stop(run)
    runs.work()
    assert book.counters() == Counters(not_run=300)
    assert book.world.balance(book.account).used == 0
    assert runs.figures.counts == {"stopped": 1}


def test_a_row_removed_while_its_part_is_computed_is_not_charged(runs, book):
    run = book.begin()

    def remove(numbers):
        runs.kind.on_load = lambda numbers: None
        book.remove(1, 2, 3)

    runs.kind.on_load = remove
    runs.work()
    assert sorted(book.check()) == [*range(4, 301)]
    assert book.run(run).credits == EMAILS - 2
    assert book.run(run).state is RunState.DONE


@pytest.mark.parametrize("delete", ["delete_column", "delete"])
def test_a_column_or_table_deleted_while_a_part_is_computed_gets_nothing(runs, book, delete):
    run = book.begin()
    runs.kind.on_load = lambda numbers: getattr(book, delete)()
    assert runs.part().run.state is RunState.STOPPED
    assert book.charged(run) == (0, 0)
    runs.work()
    assert book.run(run) is None


def test_a_part_that_fails_is_tried_again_and_its_cells_fail_at_last(runs, book):
    runs.kind.failing = {150}
    run = book.begin()
    (turn,) = runs.claim()
    for failures in range(1, TRIES):
        while book.run(run).failures < failures:
            runs.part(turn)
        assert book.run(run).failed == 0
    runs.queue.give_back([turn])
    book.world.clock.advance(2)
    runs.work()
    cells = book.check()
    assert {number for number, cell in cells.items() if cell.error == ENRICH_FAILED} == {*range(129, 257)}
    assert book.run(run).state is RunState.DONE
    assert book.run(run).credits == sum(map(has_email, [*range(1, 129), *range(257, 301)]))


def test_a_part_that_succeeds_at_the_second_try_is_complete(runs, book):
    def fail(numbers):
        runs.kind.on_load = lambda numbers: None
        raise ValueError

    runs.kind.on_load = fail
    run = book.begin()
    with structlog.testing.capture_logs() as logs:
        runs.work()
    assert [log["event"] for log in logs if "part of a run" in log["event"]] == [
        "part of a run failed and is tried again"
    ]
    assert book.run(run).failures == 0
    assert book.counters() == Counters(success=EMAILS, no_data=100)


def test_a_busy_database_counts_as_no_failure(runs, book):
    def busy(numbers):
        raise Busy

    runs.kind.on_load = busy
    run = book.begin()
    with pytest.raises(Busy):
        runs.part()
    assert book.run(run).failures == 0
    assert book.counters() == Counters(processing=300)


def test_a_run_goes_on_after_the_database_was_busy(runs, book):
    def busy(numbers):
        runs.kind.on_load = lambda numbers: None
        raise Busy

    runs.kind.on_load = busy
    run = book.begin()
    runs.work()
    assert book.run(run).state is RunState.OPEN
    book.world.clock.advance(GIVE_BACK_SECONDS)
    runs.work()
    assert book.run(run).state is RunState.DONE
    assert book.counters() == Counters(success=EMAILS, no_data=100)


def test_a_turn_ends_after_its_time_with_a_rest_after_each_part(runs, book):
    book.begin()
    rests = []
    (turn,) = runs.claim()
    result = RunTurns(runs.filling(), runs.figures.count_cells, seconds=0.0, rest=rests.append).take(turn)
    assert result.outcome == "continued"
    assert len(rests) == 1
    assert sum(runs.figures.cells.values()) == 256
    assert runs.queue.record([result]) == [result]
    runs.work()
    assert book.counters() == Counters(success=EMAILS, no_data=100)


def test_a_failed_cell_keeps_the_value_of_before(runs, book):
    book.begin()
    runs.work()
    runs.kind.failing = {1}
    book.begin()
    runs.work()
    assert book.check()[1] == ("failed", b'"p1.1@example.com"', ENRICH_FAILED)


def test_a_plan_without_signals_fails_the_cells_of_a_signal_column(world, tmp_path):
    runs = Runs(world)
    runs.plans = prices(tmp_path, "[features]\nsignals = false\n")
    book = runs.book(credits=100, column=SIGNALS).add(*NUMBERS)
    run = book.begin()
    runs.work()
    assert {cell.error for cell in book.check().values()} == {SIGNALS_NOT_IN_PLAN}
    assert book.run(run).failed == 300
    assert runs.kind.loaded == []


def test_a_worker_that_lost_its_claim_writes_nothing(runs, book):
    run = book.begin()
    (lost,) = runs.claim()
    book.world.clock.advance(LEASE_SECONDS + 1)
    (turn,) = runs.claim()
    with pytest.raises(ClaimLost):
        runs.part(lost)
    assert book.charged(run) == (0, 0)
    assert runs.turns().take(lost).outcome == "lost"
    assert runs.turns().take(turn).outcome == "done"
    assert runs.queue.record([runs.turns().take(lost)]) == []
    book.check()


def test_a_claim_lost_while_a_part_is_computed_rolls_it_back(runs, book):
    run = book.begin()
    (lost,) = runs.claim()

    def lose(numbers):
        runs.kind.on_load = lambda numbers: None
        book.world.clock.advance(LEASE_SECONDS + 1)
        assert runs.claim()

    runs.kind.on_load = lose
    with pytest.raises(ClaimLost):
        runs.part(lost)
    assert book.charged(run) == (0, 0)
    assert book.counters() == Counters(processing=300)


def test_the_end_of_a_run_is_recorded_once(runs, book):
    run = book.begin()
    (turn,) = runs.claim()
    ended = runs.turns().take(turn)
    assert (ended.outcome, ended.seconds) == ("done", 0.0)
    assert runs.queue.record([ended]) == [ended]
    assert runs.queue.record([ended]) == []
    assert runs.turns().take(turn).outcome == "lost"
    assert book.run(run).state is RunState.DONE
    assert runs.claim() == []


def test_two_runs_of_a_column_share_its_cells(runs, book):
    first = book.begin("specific", range(1, 101))
    second = book.begin()
    runs.work()
    assert [book.run(run).taken for run in (first, second)] == [100, 200]
    assert book.charged(first)[1] + book.charged(second)[1] == EMAILS
    book.check()


def test_runs_of_two_columns_are_charged_once_for_the_same_unit(runs, book):
    other = book.add_column(EMAIL._replace(key="workEmail", identity="again"))
    runs_of = [book.begin(), book.begin(column_id=other)]
    runs.work()
    assert sum(book.charged(run)[1] for run in runs_of) == EMAILS


def test_free_columns_write_no_ledger(runs):
    book = runs.book(credits=0, column=TITLE).add(*NUMBERS)
    run = book.begin()
    runs.work()
    assert book.counters() == Counters(success=300)
    assert book.charged(run) == (0, 0)


def test_cells_and_ends_are_counted(runs, book):
    book.begin()
    runs.work()
    assert runs.figures.cells == {"success": EMAILS, "no_data": 100, "failed": 0}
    assert runs.figures.counts == {"done": 1}
    assert runs.figures.seconds == [0.0]
