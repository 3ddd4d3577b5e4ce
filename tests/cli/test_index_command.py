"""`firmograph index`: the checkpoint, brought up to date or made anew, over a real database."""

import json
from pathlib import Path

import pytest

from command_fixtures import InProcess

PEOPLE = [
    {"sourceId": "1", "firstName": "Ann", "lastName": "Roe", "company": {"domain": "acme.example.com"}},
    {"sourceId": "2", "firstName": "Bob", "lastName": "Roe"},
]


@pytest.fixture
def loaded(tmp_path, database_url):
    command = InProcess(tmp_path, database_url)
    path = tmp_path / "people.jsonl"
    path.write_text("\n".join(map(json.dumps, PEOPLE)))
    command.json("import", "contacts", str(path))
    return command


def test_the_checkpoint_is_made_brought_up_to_date_and_made_anew(loaded, database):
    first = loaded.json("index")
    file = Path(f"{database.companion}.search")
    assert first == {
        "path": str(file),
        "bytes": file.stat().st_size,
        "contacts": 2,
        "companies": 1,
        "applied": 3,
        "rebuilt": True,
    }
    assert loaded.json("index") == first | {"rebuilt": False}
    assert loaded.json("index", "--rebuild")["rebuilt"] is True


def test_it_tells_people_what_it_holds(loaded):
    done = loaded("index")
    assert "Made anew: " in done.stdout
    assert "2 contacts, 1 companies, 3 changes" in done.stdout


def test_a_damaged_checkpoint_is_made_anew(loaded, command, database):
    loaded("index")
    path = Path(f"{database.companion}.search")
    path.write_bytes(path.read_bytes()[:-1])
    done = command("index", "--json")
    assert json.loads(done.stdout)["rebuilt"] is True
    assert "it is damaged" in done.stderr


def test_a_folder_that_cannot_be_written_is_told_in_one_line(loaded, tmp_path):
    done = loaded("index", FIRMOGRAPH_SEARCH_FOLDER=str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: The checkpoint cannot be written to ")
