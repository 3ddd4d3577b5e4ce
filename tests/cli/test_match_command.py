import json

import pytest

pytestmark = pytest.mark.any_database

ROWS = [
    {"sourceId": "1", "name": "Zorblatt International Holdings Ltd", "domain": "zorblatt.example"},
    {"sourceId": "2", "name": "Zorblatt Energy", "domain": "energy.example"},
    {"sourceId": "3", "name": "Quux", "domain": "quux.example"},
]


@pytest.fixture
def loaded(tmp_path, in_process):
    path = tmp_path / "companies.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    in_process.json("import", "companies", str(path))
    return in_process


def test_candidates_are_shown_with_the_rule_that_decided(loaded):
    done = loaded.json("match", "explain", "--company", "Zorblatt Intl Hldgs")
    (first,) = done["candidates"]
    assert (done["rule"], done["answer"]) == ("likeness of names", first["id"])
    assert (first["name"], first["score"], first["refusal"]) == (ROWS[0]["name"], 1.0, None)


def test_an_equal_key_decides_first(loaded):
    done = loaded.json("match", "explain", "--company", "Zorblatt Energy, Inc.")
    assert done["rule"] == "equal key"
    assert [each["name"] for each in done["candidates"]] == ["Zorblatt Energy"]


def test_a_refused_name_is_explained_in_a_table(loaded):
    done = loaded("match", "explain", "--company", "Zorblatt")
    assert "Answer: none (no company has a name that is alike enough)" in done.stderr
    assert "below the threshold" in done.stdout
