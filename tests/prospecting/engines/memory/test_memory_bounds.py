"""A time limit on searches, so that one cannot delay the others for long."""

import time
from itertools import count

import pytest

from firmograph.kit.errors import BadRequest
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory import evaluate
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.query import Any, Query, Words
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

MANY = Query(Entity.COMPANY, Any(tuple(Words(fields.KEYWORD, (str(number),)) for number in range(100))))


def test_a_too_slow_search_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "MAX_SECONDS", -1.0)

    with pytest.raises(BadRequest, match="use fewer values"):
        MemoryEngine.empty().search(MANY)


def test_the_engine_answers_after_a_search_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = MemoryEngine.empty()
    with monkeypatch.context() as patched:
        patched.setattr(evaluate, "MAX_SECONDS", -1.0)
        with pytest.raises(BadRequest):
            engine.search(MANY)

    assert engine.search(MANY).total == 0


def test_waiting_time_on_a_busy_machine_does_not_count_against_a_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = MemoryEngine.empty()
    with monkeypatch.context() as patched:
        patched.setattr(time, "monotonic", count(step=3_600.0).__next__)
        found = engine.search(MANY)

    assert found.total == 0
