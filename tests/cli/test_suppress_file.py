"""`firmograph suppress --file`: many people at once. All people are made up."""

import json

import pytest

from command_fixtures import InProcess

PEOPLE = """Id,Full Name,Email,LinkedIn Url,Phone,Company
1,Jane Doe,jane@acme.example,,+12025550101,Acme
2,Zoe Roe,,linkedin.com/in/zoe-roe-7,+12025550102,Acme
3,Bo Poe,,,,Acme
4,Cy Coe,cy@acme.example,,+12025550103,Acme
5,Di Doe,di@acme.example,,+12025550103,Acme
6,Ed Eddy,ed@acme.example,,,Acme
"""


@pytest.fixture
def command(tmp_path, database_url):
    command = InProcess(tmp_path, database_url)
    (tmp_path / "people.csv").write_text(PEOPLE)
    assert command("import", "contacts", "people.csv").returncode == 0
    return command


@pytest.fixture
def suppress(command):
    """Return a function that suppresses the people of a file and returns the report and the exit code."""

    def suppress(text, name="out.csv"):
        (command.folder / name).write_text(text)
        done = command("suppress", "--file", name, "--json")
        assert done.returncode in (0, 3), done.stderr
        return json.loads(done.stdout), done.returncode

    return suppress


def reimported(command):
    return json.loads(command("import", "contacts", "people.csv", "--json").stdout)


def test_each_line_names_a_person_by_what_it_has(command, suppress):
    text = "email,phone,linkedinUrl,firstName,lastName,company\n"
    text += "jane@acme.example,,,,,\n,+1 202 555 0102,,,,\n,,,Bo,Poe,Acme\n,,linkedin.com/in/later-9,,,\n"
    report, code = suppress(text)
    assert (report["suppressed"], report["recordsRemoved"], report["failed"], code) == (4, 3, [], 0)
    assert reimported(command)["suppressed"] == 3


def test_lines_that_name_nobody_or_several_are_reported_and_do_nothing(command, suppress):
    text = "email,phone,firstName,lastName,company\n"
    text += ",+12025550199,,,\n,+12025550103,,,\n,+12025550103,Di,Doe,\n,,No,Body,Acme\nno address,,,,\n"
    report, code = suppress(text)
    assert code == 3
    assert (report["suppressed"], report["recordsRemoved"]) == (1, 1)
    reasons = {one["line"]: one["reason"] for one in report["failed"]}
    assert sorted(reasons) == [2, 3, 5, 6]
    assert reasons[2] == "nobody has this telephone number"
    assert reasons[3].startswith("several people have this telephone number")
    assert reimported(command)["suppressed"] == 1


def test_identifiers_of_different_people_in_a_line_suppress_neither(suppress):
    row = {"email": "jane@acme.example", "linkedinUrl": "linkedin.com/in/zoe-roe-7"}
    report, code = suppress(json.dumps(row) + "\n", "out.jsonl")
    assert (report["suppressed"], code) == (0, 3)
    assert report["failed"] == [{"line": 1, "reason": "its identifiers are of different people"}]


def test_the_same_file_again_is_done(command, suppress):
    shown = command("import", "contacts", "people.csv", "--json", "--merged", "merged.jsonl")
    assert shown.returncode == 0
    assert suppress("email\ned@acme.example\n")[1] == 0
    assert suppress("email\ned@acme.example\n") == (
        {"suppressed": 1, "recordsRemoved": 0, "failed": []} | {"erased": True}
        if "sqlite" in command.environment["FIRMOGRAPH_DATABASE_URL"]
        else {"suppressed": 1, "recordsRemoved": 0, "failed": []},
        0,
    )


def test_wrong_inputs_are_refused_before_anything_is_done(command):
    (command.folder / "notes.csv").write_text("Notes\nx\n")
    for words, message in (
        (("--file", "notes.csv"), "no columns that name records: a telephone number"),
        (("--file", "none.csv"), "none.csv does not exist"),
        (("--file", "people.csv", "--email", "a@b.example"), "Give either --file or one of --email"),
    ):
        done = command("suppress", *words)
        assert (done.returncode, message in done.stderr) == (1, True), done.stderr


def test_the_text_lists_the_lines_that_failed(command):
    (command.folder / "out.csv").write_text("email\nno address\ned@acme.example\n")
    done = command("suppress", "--file", "out.csv")
    assert done.returncode == 3
    assert "1 person suppressed; 1 record removed." in done.stdout
    assert "2\tThat is not an e-mail address\n" in done.stdout


def test_suppressions_are_lifted_by_a_file(command, suppress):
    suppress("email,linkedinUrl\njane@acme.example,\n,linkedin.com/in/zoe-roe-7\n")
    text = "email,linkedinUrl,phone\njane@acme.example,,\n,linkedin.com/in/zoe-roe-7,\n"
    text += "bo@acme.example,,\n,,+12025550101\nno address,,\n"
    (command.folder / "back.csv").write_text(text)
    done = command("unsuppress", "--file", "back.csv", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout) == {
        "unsuppressed": 2,
        "failed": [
            {"line": 4, "reason": "no suppressed person has this identifier"},
            {"line": 5, "reason": "a suppressed person is known by e-mail, LinkedIn URL or id alone"},
            {"line": 6, "reason": "That is not an e-mail address"},
        ],
    }
    assert reimported(command)["suppressed"] == 0
    both = command("unsuppress", "--file", "back.csv", "--email", "jane@acme.example")
    assert (both.returncode, both.stderr) == (
        1,
        "Error: Give either --file or one of --email, --linkedin and --id\n",
    )
