"""A search checkpoint of the previous version, with its database."""

import json

import pytest
from release import unpacked

import database_fixtures
from command_fixtures import Forked


@pytest.fixture
def searched(release):
    """Return the release with its checkpoint in place, and commands as separate processes."""
    unpacked(
        f"{database_fixtures.KIND}.checkpoint.gz",
        release.folder / f"{release.database.companion.name}.search",
    )
    release.command = Forked(release.folder, release.url)
    return release


def test_a_checkpoint_of_another_format_is_replaced_and_then_used(searched):
    assert searched.command.json("index")["companies"] == 19
    again = searched.command.json("index")
    assert (again["rebuilt"], again["companies"]) == (False, 19)


def test_searches_find_the_upgraded_values(searched):
    found = {}
    for code in ("31-33", "32", "44", "49"):
        body = {"filters": {"companies": {"include": {"naicsCodes": [code]}}}}
        (searched.folder / "body.json").write_text(json.dumps(body))
        rows = searched.command.json("prospect", "companies", "--filters", "body.json")
        found[code] = [row["name"] for row in rows["results"]]
    assert found == {
        "31-33": ["Juniper Mills"],
        "32": ["Juniper Mills"],
        "44": ["Kapok Trade"],
        "49": ["Kapok Trade"],
    }
