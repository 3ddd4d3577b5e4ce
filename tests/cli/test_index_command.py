"""`firmograph index`: updating or rebuilding the checkpoint, over a real database."""

import json
from pathlib import Path

import pytest

from command_fixtures import InProcess

pytestmark = pytest.mark.any_database

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


def test_the_checkpoint_is_created_updated_and_rebuilt(loaded, database):
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


@pytest.mark.any_database
def test_the_output_shows_the_content_of_the_index(loaded):
    done = loaded("index")
    assert "Rebuilt: " in done.stdout
    assert "2 contacts, 1 companies, 3 changes" in done.stdout


@pytest.mark.any_database
def test_a_damaged_checkpoint_is_rebuilt(loaded, command, database):
    loaded("index")
    path = Path(f"{database.companion}.search")
    path.write_bytes(path.read_bytes()[:-1])
    done = command("index", "--json")
    assert json.loads(done.stdout)["rebuilt"] is True
    assert "it is damaged" in done.stderr


@pytest.mark.any_database
def test_a_missing_folder_is_made_for_its_owner_alone(loaded, tmp_path):
    folder = tmp_path / "indexes" / "search"
    assert loaded("index", FIRMOGRAPH_SEARCH_FOLDER=str(folder)).returncode == 0
    assert any(folder.glob("*.search"))
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.any_database
def test_an_unwritable_folder_is_reported_in_one_line(loaded, tmp_path):
    (tmp_path / "file").touch()
    done = loaded("index", FIRMOGRAPH_SEARCH_FOLDER=str(tmp_path / "file" / "folder"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: The checkpoint cannot be written to ")
