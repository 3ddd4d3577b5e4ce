"""`firmograph privacy drop`: hashed deletion lists. All people are made up."""

import base64
import csv
import hashlib
import json
import zipfile

import pytest

PHONE_HASH = "vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E="
"""Of the number 4155559317, as the deletion platform publishes it."""
PEOPLE = """First Name,Last Name,Email,Phone,Company
Jane,Doe,jane@acme.example,+14155559317,Acme
Zoe,Roe,zoe@acme.example,+14155550002,Acme
Bo,Poe,bo@acme.example,+14155550002,Acme
"""


def hashed(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def rows(*hashes, start=1):
    return "ID,Hash\n" + "".join(f"item{n},{each}\n" for n, each in enumerate(hashes, start))


@pytest.fixture
def command(in_process):
    (in_process.folder / "people.csv").write_text(PEOPLE)
    assert in_process("import", "contacts", "people.csv").returncode == 0
    return in_process


@pytest.fixture
def drop(command):
    """Return a function that applies a list, and returns the report and the exit code."""

    def drop(content, *options, name="list.csv"):
        (command.folder / name).write_text(content)
        done = command("privacy", "drop", name, "--json", *options)
        assert done.returncode in (0, 3), done.stderr
        return json.loads(done.stdout), done.returncode

    return drop


def imported(command, text=PEOPLE):
    (command.folder / "again.csv").write_text(text)
    return json.loads(command("import", "contacts", "again.csv", "--json").stdout)


def answers(command, name="answers.csv"):
    with (command.folder / name).open(newline="") as file:
        return {row["ID"]: row["Status"] for row in csv.DictReader(file)}


def test_people_go_and_the_lines_are_answered(command, drop):
    content = rows(
        PHONE_HASH, hashed("zoe@acme.example"), hashed("4155550002"), hashed("nobody@acme.example")
    )
    report, code = drop(content, "--respond", "answers.csv")
    assert (report["hashes"], report["matched"], report["records"], code) == (4, 3, 3, 0)
    assert answers(command) == {"item1": "3", "item2": "3", "item3": "4", "item4": "5"}
    assert imported(command)["suppressed"] == 3


def test_the_same_list_gives_the_same_answers_again(command, drop):
    drop(rows(PHONE_HASH))
    drop(rows(PHONE_HASH), "--respond", "answers.csv")
    assert answers(command) == {"item1": "3"}


def test_who_comes_later_is_kept_out_by_address_and_number(command, drop):
    drop(rows(hashed("late@new.example"), hashed("4155550009")))
    text = "First Name,Last Name,Email,Phone,Company\nAnn,Late,late+crm@new.example,,\n"
    text += "Bea,Late,,+1 415 555 0009,New\nCat,Early,cat@new.example,+14155550010,\n"
    summary = imported(command, text)
    assert (summary["suppressed"], summary["created"]) == (2, 1)


def test_hexadecimal_hashes_without_ids_are_read(command, drop):
    report, _ = drop(hashlib.sha256(b"jane@acme.example").hexdigest().upper() + "\n")
    assert report["matched"] == 1
    report, _ = drop("sha256\n" + hashlib.sha256(b"zoe@acme.example").hexdigest() + "\n")
    assert report["matched"] == 1


def test_an_identifier_of_more_than_ten_people_needs_a_word(command, drop):
    staff = "First Name,Last Name,Email,Phone\n" + "".join(
        f"{chr(65 + n)}nn,Staff{chr(97 + n)},s{n}@big.example,+14155550077\n" for n in range(11)
    )
    imported(command, staff)
    report, code = drop(rows(hashed("4155550077"), PHONE_HASH), "--respond", "answers.csv")
    assert (report["shared"], report["matched"], code) == (1, 1, 3)
    assert answers(command) == {"item2": "3"}
    assert imported(command, staff)["unchanged"] == 11
    report, code = drop(rows(hashed("4155550077")), "--shared", "--respond", "all.csv")
    assert (report["records"], answers(command, "all.csv"), code) == (11, {"item1": "4"}, 0)


def test_a_list_that_is_taken_back_lets_people_return(command, drop):
    content = rows(PHONE_HASH, hashed("late@new.example"))
    drop(content)
    assert imported(command)["suppressed"] == 1
    assert drop(content, "--lift")[0]["lifted"] == 2
    assert imported(command)["created"] == 1
    assert imported(command, "First Name,Last Name,Email\nAnn,Late,late@new.example\n")["created"] == 1


def test_a_suppression_of_its_own_outlasts_the_list(command, drop):
    drop(rows(PHONE_HASH))
    assert command("suppress", "--email", "jane@acme.example").returncode == 0
    drop(rows(PHONE_HASH), "--lift")
    assert imported(command)["suppressed"] == 1


def test_a_zip_has_a_list_for_each_kind(command):
    with zipfile.ZipFile(command.folder / "lists.zip", "w") as archive:
        archive.writestr("20261101_1234_Email.csv", rows(hashed("zoe@acme.example")))
        archive.writestr("20261101_1234_Phone.csv", rows(PHONE_HASH, start=5))
        archive.writestr("20261101_1234_NameVIN.csv", rows(hashed("a car"), start=9))
        archive.writestr("20261101_1234_MAID.csv", "ID,Hash\n")
    done = command("privacy", "drop", "lists.zip", "--respond", "answers.csv")
    assert "2 hashes read; 2 matched, 2 records removed" in done.stdout
    assert "20261101_1234_NameVIN.csv: skipped" in done.stderr
    assert answers(command) == {"item1": "3", "item5": "3"}
    with zipfile.ZipFile(command.folder / "next.zip", "w") as archive:
        archive.writestr("20261201_1234_Removed.csv", f"ID,Hash,ListType\nitem5,{PHONE_HASH},Phone\n")
    assert "1 taken back" in command("privacy", "drop", "next.zip").stdout
    assert imported(command)["suppressed"] == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            b"ID,Hash\n1," + PHONE_HASH.encode() + b"\n2,jane@acme.example\n",
            "list.csv, line 3: it has no SHA-256",
        ),
        (b"ID,Name\n1,Jane\n", "list.csv, line 1: it has no SHA-256"),
        (b"ID,Hash\n1,YWJj\n", "list.csv, line 2: it has no SHA-256"),
        (b"\xff\xfe\x00", "list.csv is no CSV in UTF-8"),
        (b"PK\x05\x06" + b"\0" * 18, "list.csv has no CSV file"),
    ],
)
def test_an_unreadable_list_is_refused_and_changes_nothing(command, content, why):
    (command.folder / "list.csv").write_bytes(content)
    done = command("privacy", "drop", "list.csv")
    assert (done.returncode, done.stderr.strip().startswith(f"Error: {why}")) == (1, True), done.stderr
    assert "jane@acme.example" not in done.stderr
    assert imported(command)["unchanged"] == 3


def test_an_answer_needs_ids_and_a_new_file(command):
    (command.folder / "list.csv").write_text(PHONE_HASH + "\n")
    assert "no column ID" in command("privacy", "drop", "list.csv", "--respond", "answers.csv").stderr
    assert "exists" in command("privacy", "drop", "list.csv", "--respond", "people.csv").stderr
    assert imported(command)["unchanged"] == 3


def test_the_audit_has_counts_alone(command, drop):
    drop(rows(PHONE_HASH, hashed("nobody@acme.example")))
    (row,) = [
        one
        for one in json.loads(command("audit", "--json").stdout)["actions"]
        if one["action"] == "privacy drop"
    ]
    assert row["details"] == {"hashes": 2, "matched": 1, "records": 1, "shared": 0, "lifted": 0}
