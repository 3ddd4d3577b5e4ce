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


@pytest.fixture
def staffed(loaded, tmp_path):
    path = tmp_path / "people.jsonl"
    people = [("Katharina", "Vandermeer"), ("Jonas", "Reuter")]
    rows = [
        {"sourceId": first, "firstName": first, "lastName": last, "company": {"domain": "energy.example"}}
        for first, last in people
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    loaded.json("import", "contacts", str(path))
    return loaded


def test_people_at_a_company_are_shown_with_rule_and_verdict(staffed):
    done = staffed.json("match", "explain", "--name", "Katharina Vandermer", "--company", "energy.example")
    assert done["foundBy"] == "other spelling"
    assert [(each["name"], each["verdict"]) for each in done["candidates"]] == [
        ("Katharina Vandermeer", "answered")
    ]


def test_a_person_whom_nobody_resembles_is_told_as_such(staffed):
    done = staffed("match", "explain", "--name", "Ada Lovelace", "--company", "Zorblatt Energy")
    assert "Found by: nothing (nobody at the company has a name like this)" in done.stderr
