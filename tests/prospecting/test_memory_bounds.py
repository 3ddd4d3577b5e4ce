"""One search cannot hold up the others for long."""

import pytest

from firmograph.kit.errors import BadRequest
from firmograph.kit.tokens import Entity
from firmograph.prospecting import fields
from firmograph.prospecting.criteria import Any, Query, Words
from firmograph.prospecting.memory import evaluate
from firmograph.prospecting.memory.engine import MemoryEngine

MANY = Query(Entity.COMPANY, Any(tuple(Words(fields.KEYWORD, (str(number),)) for number in range(100))))


def test_a_search_that_takes_too_long_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "MOST_SECONDS", -1.0)

    with pytest.raises(BadRequest, match="use fewer values"):
        MemoryEngine.empty().search(MANY)


def test_the_engine_answers_after_a_search_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = MemoryEngine.empty()
    with monkeypatch.context() as patched:
        patched.setattr(evaluate, "MOST_SECONDS", -1.0)
        with pytest.raises(BadRequest):
            engine.search(MANY)

    assert engine.search(MANY).total == 0
