"""A search checkpoint of the version before, with its database."""

import json

import pytest
from release import unpacked

import database_fixtures
from server_fixtures import Command


@pytest.fixture
def searched(release):
    """The release with its checkpoint in its place, and commands as processes of their own."""
    unpacked(
        f"{database_fixtures.KIND}.checkpoint.gz",
        release.folder / f"{release.database.companion.name}.search",
    )
    release.command = Command(release.folder, release.url)
    return release


def test_it_is_replaced_where_it_is_of_another_format_and_used_from_then_on(searched):
    assert searched.command.json("index")["companies"] == 19
    again = searched.command.json("index")
    assert (again["rebuilt"], again["companies"]) == (False, 19)


def test_searches_find_what_the_upgrade_changed(searched):
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
