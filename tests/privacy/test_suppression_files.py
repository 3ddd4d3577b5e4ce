"""Suppressions imported from another machine, as hashes."""

import re
import stat
from random import Random

import msgspec
import pytest

from firmograph.directory.identity import Digests
from firmograph.kit.errors import Refused
from firmograph.privacy import suppression_file
from firmograph.privacy.store import SuppressedKey
from firmograph.privacy.suppression import ImportedSuppressions
from firmograph.security.keyring import new_keyring
from firmograph.security.record_ids import Entity, RecordIds
from installation_factory import make_suppression
from record_factory import KEYRING, contact, load_contacts
from stored_records import stored_contacts

ANN = "linkedin.com/in/ann-office"
FINGERPRINT = KEYRING.fingerprint()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "suppressions.jsonl"


def suppression(database, clock):
    return make_suppression(database, KEYRING, clock)


def take_over(database, clock, path):
    exported = suppression_file.read_suppressions(path, FINGERPRINT)
    return suppression(database, clock).import_keys(exported.hashes, exported.last_contact)


def suppress(database, clock, **by):
    here = suppression(database, clock)
    return here.suppress(here.person(**by))


def names(database):
    return sorted(record.first_name for record, _ in stored_contacts(database).values())


def load(database, *records, source="test"):
    return load_contacts(database, source, list(records))


PEOPLE = [contact(name, "Example", emails=[f"{name.lower()}@example.com"]) for name in ("Ann", "Bob", "Cid")]


def test_a_file_holds_hashes_alone_and_is_private(database, clock, path):
    load(database, *PEOPLE)
    suppress(database, clock, email="ann@example.com")
    assert suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False) == 13
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    head, *lines = path.read_text().splitlines()
    assert msgspec.json.decode(head) == {
        "format": "firmograph suppressions 1",
        "keyring": FINGERPRINT,
        "lastContact": 3,
        "hashes": 13,
    }
    written = [msgspec.json.decode(line) for line in lines]
    assert {line["digest"] for line in written if line["strong"]} == {
        Digests(KEYRING).contact_email("ann@example.com").hex(),
        Digests(KEYRING).contact_mailbox("ann@example.com").hex(),
        Digests(KEYRING).contact_id(1).hex(),
    }


def test_imported_people_are_removed_and_kept_out(database, other, clock, path):
    load(database, *PEOPLE)
    suppress(database, clock, email="ann@example.com")
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    load(other, *PEOPLE)
    assert take_over(other, clock, path) == ImportedSuppressions(added=13, removed=1)
    assert names(other) == ["Bob", "Cid"]
    assert load(other, PEOPLE[0], source="later").suppressed == 1


def test_importing_the_same_file_again_changes_nothing(database, other, clock, path):
    load(database, *PEOPLE)
    suppress(database, clock, email="ann@example.com")
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    take_over(other, clock, path)
    for again in (other, database):
        assert take_over(again, clock, path) == ImportedSuppressions(added=0, removed=0)


def test_an_import_lifts_no_suppression(database, other, clock, path):
    suppress(other, clock, email="bob@example.com")
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    take_over(other, clock, path)
    assert load(other, PEOPLE[1]).suppressed == 1


def test_a_person_is_removed_by_any_strong_key(database, other, clock, path):
    load(database, contact("Ann", "Office", linkedin=ANN, emails=["ann@example.com"]))
    suppress(database, clock, linkedin=ANN)
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    load(other, contact("A", "O", emails=["ann@example.com"]), PEOPLE[1])
    assert take_over(other, clock, path).removed == 1
    assert names(other) == ["Bob"]


def test_other_keys_of_the_removed_record_are_suppressed_as_well(database, other, clock, path):
    suppress(database, clock, linkedin=ANN)
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    load(other, contact("Ann", "Office", linkedin=ANN, emails=["office@example.com"]))
    take_over(other, clock, path)
    assert load(other, contact("Ann", "Office", emails=["office@example.com"])).suppressed == 1


def test_a_person_known_by_name_alone_is_recognised_by_number_and_name(database, other, clock, path):
    nobody = contact("Nobody", "Known", company="Acme")
    for each in (database, other):
        load(each, nobody)
    suppress(database, clock, id=RecordIds(KEYRING).seal(Entity.CONTACT, 1))
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    assert take_over(other, clock, path).removed == 1
    assert names(other) == []


def test_another_person_with_the_same_number_stays(database, other, clock, path):
    load(database, contact("Nobody", "Known", company="Acme"))
    load(other, contact("Somebody", "Else", company="Acme"))
    suppress(database, clock, id=RecordIds(KEYRING).seal(Entity.CONTACT, 1))
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    assert take_over(other, clock, path).removed == 0
    assert names(other) == ["Somebody"]


def test_the_number_of_a_suppressed_person_is_given_to_nobody_else(database, other, clock, path):
    load(database, *PEOPLE)
    suppress(database, clock, email="cid@example.com")
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    take_over(other, clock, path)
    load(other, PEOPLE[1])
    assert list(stored_contacts(other)) == [4]


def test_hashes_under_other_keys_are_refused(database, clock, path):
    suppression_file.export_suppressions(database, new_keyring().fingerprint(), path, replace=False)
    with pytest.raises(Refused, match="under other keys than this database's"):
        take_over(database, clock, path)


@pytest.fixture
def three_lines(database, clock, path):
    load(database, *PEOPLE)
    suppress(database, clock, email="ann@example.com")
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{}\n", "missing required field `digest`"),
        (b'{"digest": "zz"}\n', "digest"),
        (b"\n", "line 3"),
        (b"\xff\n", "line 3"),
        (b'{"digest": 1}\n', "digest"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(other, clock, path, three_lines, line, message):
    path.write_bytes(b"".join([*three_lines[:2], line]))
    with pytest.raises(Refused, match=f"{path}, line 3: .*; nothing was changed") as refused:
        take_over(other, clock, path)
    assert message in refused.value.message
    assert load(other, PEOPLE[0]).created == 1


def test_a_truncated_file_is_refused(other, clock, path, three_lines):
    path.write_bytes(b"".join(three_lines[:2]))
    with pytest.raises(Refused, match="contains 1 hashes instead of 13; nothing was changed"):
        take_over(other, clock, path)


@pytest.mark.parametrize(
    "content", [b"", b"text", b"\xff\xfe", b'{"format": "firmograph suppressions 2", "keyring": ""}']
)
def test_a_file_of_another_kind_is_refused(database, clock, path, content):
    path.write_bytes(content)
    with pytest.raises(Refused, match="is not a suppression file that this release can read"):
        take_over(database, clock, path)


def test_many_suppressions_are_exported_page_by_page(database, other, clock, path):
    draws = Random(5)
    persons = [draws.randbytes(16) for _ in range(30)]
    hashes = [SuppressedKey(draws.randbytes(16), draws.choice(persons), n % 2, n) for n in range(12_000)]
    # two share an address
    hashes += [
        SuppressedKey(hashes[0].digest, person, 1, 7) for person in persons if person != hashes[0].person
    ]
    assert suppression(database, clock).import_keys(hashes, 0) == ImportedSuppressions(len(hashes), 0)
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    assert suppression_file.read_suppressions(path, FINGERPRINT).hashes == sorted(hashes)
    assert take_over(other, clock, path) == ImportedSuppressions(len(hashes), 0)


def test_the_commands_transfer_suppressions_between_machines(command, in_process, path):
    in_process.json("suppress", "--email", "ann@example.com")
    assert command.json("suppressions", "export", str(path)) == {"file": str(path), "exported": 3}
    again = in_process("suppressions", "export", str(path))
    assert (again.returncode, again.stderr) == (
        1,
        f"Error: {path} already exists; choose another name, or replace it with --force\n",
    )
    written = in_process("suppressions", "export", str(path), "--force").stdout
    assert written == f"Wrote 3 entries of the suppression list to {path}\n"
    imported = command("suppressions", "import", str(path))
    assert imported.stdout == "Read 3 entries, 0 of them new; removed 0 records\n"


def test_no_keys_are_created_on_a_machine_without_them(in_process, tmp_path, clock, database, path):
    suppression_file.export_suppressions(database, FINGERPRINT, path, replace=False)
    done = in_process("suppressions", "import", str(path))
    assert re.fullmatch(r"Error: The key file [^\n]+ does not exist; [^\n]+ there\n", done.stderr)
    assert not list(tmp_path.glob("*.keys"))


def test_an_unreadable_or_unwritable_file_is_named(in_process, tmp_path):
    in_process.json("suppress", "--email", "ann@example.com")
    nowhere = tmp_path / "no" / "file"
    for verb, what in (("export", "written"), ("import", "read")):
        done = in_process("suppressions", verb, str(nowhere))
        assert done.stderr == f"Error: {nowhere} cannot be {what}: No such file or directory\n"
