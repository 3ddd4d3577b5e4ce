"""Analyses as claimed work: results, retries, changes in between, workers that die."""

import asyncio

import pytest
from analyses import InThread, count_segments, die, die_once, fail, make_queue, make_worker

from conversation_factory import put, transcript
from firmograph.conversations import store
from firmograph.conversations.analysis.analyser import Analysis, ProcessAnalyser
from firmograph.conversations.analysis.queue import AnalysisResult
from firmograph.database.connection import AccountSession
from firmograph.database.leases import LEASE_SECONDS
from firmograph.kit.errors import Unavailable

SEARCH = "/v3/account/conversations/search"


def raise_unavailable(*arguments):
    raise Unavailable("connection lost")


def shown(service):
    (one,) = service.post(SEARCH, {}).json()["results"]
    return one


def stored(service):
    account_id = service.accounts.find(service.account).id
    with service.database.read() as session:
        (one,) = store.select_newest(AccountSession(session, account_id), 10)
    return one


@pytest.fixture
def waiting(service):
    """Return the application with a conversation that waits."""
    service.accounts.add_user("Acme", "jane@acme.test", "admin")
    said = ("Jane", "hello"), ("Bob", "hi")
    put(service, {"a": transcript(*said, people=[("Jane", "jane@acme.test"), ("Bob", "bob@globex.test")])})
    return service


def run(service, local=InThread):
    return asyncio.run(make_worker(service, local).run_until_idle())


def test_a_waiting_conversation_is_analysed_once(waiting):
    assert shown(waiting)["summary"] is None
    assert run(waiting) == 1
    assert shown(waiting)["summary"] == "2 segments; ; Jane"
    assert shown(waiting)["chapters"] == [{"title": "All", "startSeconds": 0}]
    assert run(waiting) == 0


def test_a_failure_is_tried_again_after_1_10_and_60_minutes_and_then_never(waiting):
    for wait in (60, 600, 3_600):
        assert run(waiting, lambda: InThread(fail)) == 1
        assert run(waiting) == 0
        assert shown(waiting)["summary"] is None
        waiting.clock.advance(wait * 1.26)
    assert run(waiting, lambda: InThread(fail)) == 1
    waiting.clock.advance(1e7)
    assert run(waiting) == 0
    assert stored(waiting).failure == "the analyser failed: ValueError"


def test_a_result_of_a_conversation_that_has_changed_since_does_not_count(waiting):
    queue = make_queue(waiting)
    (task,) = queue.claim(4, waiting.clock.seconds())
    put(waiting, {"a": transcript(("Jane", "other words"))})
    result = AnalysisResult(task, Analysis(count_segments(task.given), "local"))
    assert queue.record([result]) == []
    assert shown(waiting)["summary"] is None
    assert run(waiting) == 1
    assert shown(waiting)["summary"].startswith("1 segments")


def test_another_worker_takes_over_when_one_dies_and_the_late_result_does_not_count(waiting):
    queue = make_queue(waiting)
    (task,) = queue.claim(4, waiting.clock.seconds())
    assert queue.claim(4, waiting.clock.seconds()) == []
    waiting.clock.advance(LEASE_SECONDS + 1)
    assert run(waiting) == 1
    assert queue.record([AnalysisResult(task, Analysis(count_segments(task.given), "late"))]) == []


def test_a_conversation_that_cannot_be_read_as_it_is_claimed_stays_free(waiting, monkeypatch):
    queue, now = make_queue(waiting), waiting.clock.seconds()
    with monkeypatch.context() as failing:
        failing.setattr(store, "select_transcripts", raise_unavailable)
        with pytest.raises(Unavailable):
            queue.claim(4, now)
    (task,) = queue.claim(4, now)
    assert [one.text for one in task.given.transcript.segments] == ["hello", "hi"]


def test_a_new_analysis_replaces_the_old_one_when_it_is_done(waiting):
    run(waiting)
    account_id, number = waiting.accounts.find("Acme").id, stored(waiting).id
    with waiting.database.write(None) as session:
        store.make_due(AccountSession(session, account_id), [number], waiting.clock.seconds())
    assert run(waiting, lambda: InThread(fail)) == 1
    assert shown(waiting)["summary"] == "2 segments; ; Jane"


def test_conversations_of_accounts_take_turns(service):
    for name in ("One", "Two"):
        service.accounts.create(name, "unlimited")
        service.account = name
        put(service, {str(n): transcript(("A", "hi")) for n in range(3)})
    tasks = make_queue(service).claim(2, service.clock.seconds())
    assert len({task.account_id for task in tasks}) == 2


def test_the_local_analyser_runs_in_a_process_of_its_own_that_is_replaced_when_it_dies(waiting):
    assert run(waiting, lambda: ProcessAnalyser(die)) == 1
    assert "BrokenProcessPool" in stored(waiting).failure
    waiting.clock.advance(100)
    assert run(waiting, lambda: ProcessAnalyser(count_segments)) == 1
    assert shown(waiting)["summary"] == "2 segments; ; Jane"


def test_a_process_that_dies_once_costs_no_attempt(waiting, monkeypatch, tmp_path):
    monkeypatch.setenv("DIED_ONCE", str(tmp_path / "died"))
    assert run(waiting, lambda: ProcessAnalyser(die_once)) == 1
    assert (stored(waiting).failures, (tmp_path / "died").exists()) == (0, True)
    assert shown(waiting)["summary"] == "2 segments; ; Jane"
