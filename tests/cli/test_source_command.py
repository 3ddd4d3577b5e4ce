"""Command `firmograph source`."""

import pytest

from command_fixtures import Command, InProcess
from firmograph.cli import context

ANN = "First Name,Last Name,Email\nAnn,Lee,ann@a.example\n"
ZOE = "Zoe,Lee,zoe@a.example\n"


@pytest.fixture
def command(tmp_path, database_url):
    command = InProcess(tmp_path, database_url)
    for source, rows in (("crm", ANN), ("fair", ANN + ZOE)):
        (tmp_path / f"{source}.csv").write_text(rows)
        command.json("import", "contacts", f"{source}.csv", "--source", source)
    return command


def test_sources_are_listed_with_what_they_have(command):
    listed = command.json("source", "list")
    shown = [
        (one["name"], one["state"], one["contacts"], one["contactRows"], one["imports"]) for one in listed
    ]
    assert shown == [("crm", "active", 1, 1, 1), ("fair", "active", 2, 2, 1)]
    assert command.json("source", "show", "fair") == listed[1]


def test_a_source_is_removed_after_a_count_of_what_goes(command):
    counted = command.json("source", "remove", "fair", "--dry-run")
    assert (counted["contactsRemoved"], counted["changed"], counted["paidRecords"]) == (1, 1, 0)
    assert command.json("source", "show", "fair")["contacts"] == 2
    removed = command.json("source", "remove", "fair")
    assert (removed["contactsRemoved"], removed["changed"]) == (1, 1)
    assert command.json("source", "show", "fair")["state"] == "removed"
    assert [each["state"] for each in command.json("import", "list")] == ["undone", "done"]
    (action,) = command.json("audit")["actions"]
    assert (action["action"], action["details"]) == ("source remove", {"source": "fair"})


def test_the_output_names_what_a_removal_cannot_reach(command):
    done = command("source", "remove", "fair")
    assert "Removed the source fair: 1 contact and 0 companies removed" in done.stdout
    assert "backups made before" in done.stderr


def test_an_index_on_disk_goes_with_the_source(command):
    command.json("index")
    (checkpoint,) = command.folder.glob("*.search")
    command.json("source", "remove", "fair")
    assert not checkpoint.exists()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("fiar", "There is no source 'fiar'; the nearest name is 'fair'. `firmograph source list` shows all"),
        ("nobody", "There is no source 'nobody'. `firmograph source list` shows all"),
        ("", "There is no source ''. `firmograph source list` shows all"),
    ],
)
def test_an_unknown_source_is_refused_with_a_similar_name(command, name, problem):
    for arguments in (("show", name), ("remove", name), ("remove", name, "--dry-run")):
        done = command("source", *arguments)
        assert done.returncode == 1
        assert done.stderr.startswith(f"Error: {problem}")


def test_a_second_removal_clears_what_a_killed_one_left(command, monkeypatch):
    command.json("index")
    (checkpoint,) = command.folder.glob("*.search")

    def die(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(context, "clear_remains", die)
        command("source", "remove", "fair")
    assert checkpoint.exists()
    assert command("source", "remove", "fair").returncode == 1
    assert not checkpoint.exists()


def test_a_removal_twice_is_refused(command):
    command.json("source", "remove", "fair")
    done = command("source", "remove", "fair")
    assert (done.returncode, done.stderr) == (1, "Error: The source 'fair' has been removed already\n")


def test_no_database_is_created_to_list_sources(tmp_path, database_url):
    done = Command(tmp_path, "sqlite:///none.db")("source", "list")
    assert done.returncode == 1
    assert not (tmp_path / "none.db").exists()
