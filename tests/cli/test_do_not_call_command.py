"""`firmograph privacy dnc`: lists of numbers as files and arguments. All numbers are made up."""

import json

import pytest

PEOPLE = "First Name,Last Name,Email,Phone\nJane,Doe,jane@acme.example,+12025550101\n"


@pytest.fixture
def dnc(in_process):
    """Return a function that runs a command of the group."""
    (in_process.folder / "people.csv").write_text(PEOPLE)
    assert in_process("import", "contacts", "people.csv").returncode == 0
    return lambda *arguments: in_process("privacy", "dnc", *arguments)


def listed(dnc):
    return sum(day["numbers"] for day in json.loads(dnc("list", "--json").stdout))


def write(dnc_folder, content, name="list.txt"):
    (dnc_folder / name).write_bytes(content)
    return name


@pytest.mark.parametrize(
    "content",
    [
        b"+1 202 555 0101\n\n(202) 555-0102\r\n",
        b"\xef\xbb\xbfphone\n+12025550101\n2025550102\n",
        b"name,Phone\nJane,+12025550101\n,202-555-0102",
    ],
)
def test_lists_are_read_in_both_forms(dnc, in_process, content):
    name = write(in_process.folder, content)
    done = dnc("import", name, "--country", "US", "--json")
    assert json.loads(done.stdout) == {"numbers": 2, "changed": 2, "contacts": 1}
    assert listed(dnc) == 2


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"+12025550101\nno number\n", "list.txt, line 2: it is no telephone number"),
        (b"+12025550101\n2025550102\n", "list.txt, line 2: it is no telephone number"),
        (b"name,number\nJane,+12025550101\n", "list.txt is no list of numbers"),
        (b"\xff\xfe+\x001\x00", "list.txt is no list of numbers"),
        (b"\n\n", "list.txt has no numbers"),
    ],
)
def test_an_unreadable_list_is_refused_in_one_line_and_changes_nothing(dnc, in_process, content, why):
    done = dnc("import", write(in_process.folder, content))
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith(f"Error: {why}")
    assert listed(dnc) == 0


def test_a_missing_file_is_refused(dnc):
    done = dnc("import", "none.txt")
    assert (done.returncode, "none.txt" in done.stderr) == (1, True)


def test_numbers_are_added_and_removed_as_arguments(dnc, in_process):
    assert "1 of 1 number added; 1 contact changed." in dnc("add", "+1 202 555 0101").stdout
    assert "0 of 1 number added; 0 contacts changed." in dnc("add", "+12025550101").stdout
    name = write(in_process.folder, b"+12025550101\n+12025550109\n")
    assert "1 of 2 numbers removed; 1 contact changed." in dnc("remove", "--file", name).stdout
    assert listed(dnc) == 0


def test_numbers_or_a_file_are_needed(dnc):
    assert dnc("add").returncode == 1
    assert dnc("remove").returncode == 1
    assert "abc: it is no telephone number" in dnc("add", "abc").stderr


def test_the_audit_has_the_keyed_hash_of_a_number_and_counts(dnc, in_process):
    dnc("add", "+12025550101")
    (row,) = [
        one
        for one in json.loads(in_process("audit", "--json").stdout)["actions"]
        if one["action"] == "privacy dnc add"
    ]
    assert "2025550101" not in json.dumps(row)
    assert row["details"] == {"numbers": 1, "changed": 1, "contacts": 1}
