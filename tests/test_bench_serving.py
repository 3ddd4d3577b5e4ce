"""The bench of serving: its bare handler, and people to look up at any size."""

import msgspec
import pytest
from bench import mixes
from bench.__main__ import _part
from bench.bare import decoded

pytestmark = [pytest.mark.no_database, pytest.mark.folders("bench")]


def answers(*keys: str) -> list[bytes]:
    return [msgspec.json.encode({"requestId": "1", **dict.fromkeys(each, 1)}) for each in keys]


def test_the_bare_handler_answers_the_same_bytes_where_no_answer_has_all_keys() -> None:
    bodies = answers("ac", "ab", "cb", "bd", "ad")
    made, _ = decoded(bodies)
    assert [msgspec.json.encode(answer) for answer in made] == bodies


def test_answers_with_keys_in_two_orders_end_the_run_with_these_keys() -> None:
    with pytest.raises(RuntimeError, match="in different orders"):
        decoded(answers("ab", "ba"))


def test_a_run_without_people_to_look_up_says_so() -> None:
    row = {"linkedinUrl": "linkedin.com/in/a", "firstName": "A", "lastName": "B"}
    row["company"] = {"domain": "a.test"}
    row["sourceId"] = "P1"
    found = [b'{"results":[{"id":"1","company":{"id":"2"}}]}', b'{"results":[{}]}']
    with pytest.raises(RuntimeError, match="more contacts"):
        mixes.people([row], lambda path, bodies: found)
    with pytest.raises(RuntimeError, match="more contacts"):
        mixes.people([], lambda path, bodies: found)


def test_a_failed_part_is_named_and_ends_no_other() -> None:
    failed: list[str] = []
    with _part("serving", failed):
        raise RuntimeError("no server")
    with _part("signals", failed):
        pass
    assert failed == ["- serving: no server"]
