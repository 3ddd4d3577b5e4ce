"""Usual slips at the command line: the error says what to write instead. All people are made up."""

import os
import subprocess

import pytest

from command_fixtures import InProcess
from process_server import LoadedProcess

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            "import abc.csv",
            "The kind comes before the file: firmograph import contacts abc.csv, or"
            " firmograph import companies abc.csv",
        ),
        (
            "import abc.csv contacts --dry-run",
            "The kind comes before the file: firmograph import contacts abc.csv --dry-run",
        ),
        (
            "import contact abc.csv",
            "There is no `import contact`; did you mean `firmograph import contacts abc.csv`?"
            " `firmograph import --help` lists all",
        ),
        (
            "export people.csv",
            "The kind comes before the file: firmograph export contacts people.csv, or"
            " firmograph export companies people.csv",
        ),
        (
            "export company all.csv",
            "There is no `export company`; did you mean `firmograph export companies all.csv`?"
            " `firmograph export --help` lists all",
        ),
    ],
)
def test_a_file_in_the_place_of_the_kind_is_explained(in_process, words, problem):
    done = in_process(*words.split())
    assert (done.returncode, done.stderr) == (2, f"Error: {problem}\n")


@pytest.mark.parametrize("command", ["show", "undo"])
@pytest.mark.parametrize("number", ["abc", "0x1", "9" * 30])
def test_what_is_no_number_of_an_import_is_wrong_usage(in_process, command, number):
    done = in_process("import", command, number, COLUMNS="200")
    assert done.returncode == 2
    assert "is no number of an import; `firmograph import list` shows them" in done.stderr


def test_a_closed_pipe_is_one_line_and_the_export_is_in_the_audit(tmp_path, database_url):
    command = InProcess(tmp_path, database_url)
    (tmp_path / "people.csv").write_text("Full Name,Email\nJane Doe,jane@acme.example\n")
    assert command("import", "contacts", "people.csv").returncode == 0
    read_end, write_end = os.pipe()
    os.close(read_end)
    words = ["-m", "firmograph.cli.main", "export", "contacts", "-", "--format", "jsonl"]
    with LoadedProcess(
        words, cwd=tmp_path, env=command.environment, stdout=write_end, stderr=subprocess.PIPE, text=True
    ) as process:
        os.close(write_end)
        errors = process.stderr.read()
    assert (process.returncode, errors) == (
        1,
        "Error: The reader of the output has closed it before the end\n",
    )
    assert [each["action"] for each in command.json("audit")["actions"]] == ["export contacts"]
