"""Backup files, and the refusal of damaged ones before a restore."""

import hashlib
import io
import stat
import tarfile
from random import Random

import msgspec
import pytest
from installation import no_progress

from effort import examples
from firmograph.backup import archive
from firmograph.backup.archive import ArchiveContents, Manifest
from firmograph.kit.errors import Refused
from record_factory import KEYRING

pytestmark = pytest.mark.no_database

MANIFEST = Manifest(
    made_at="2026-01-01T00:00:00.000Z",
    release="1",
    kind="sqlite",
    schema="0003",
    keyring=KEYRING.fingerprint(),
    holds=ArchiveContents(1, 2, 3, 4),
)
DATABASE = Random(1).randbytes(3_000)
PROGRESS = no_progress("")


@pytest.fixture
def written(tmp_path, file):
    (tmp_path / "database").write_bytes(DATABASE)
    archive.write_archive(file, MANIFEST, tmp_path / "database", KEYRING, 1_790_000_000.0, PROGRESS)
    return file


def read(path):
    """Return everything that a restore reads from a file."""
    with archive.open_archive(path) as backup:
        backup.check(PROGRESS)
        with backup.database() as (database, size):
            return backup.manifest, backup.keyring(), database.read(), size


def test_a_backup_file_is_read_as_it_was_written(written):
    assert read(written) == (MANIFEST, KEYRING, DATABASE, len(DATABASE))


def test_the_checksums_can_be_verified_without_this_program(written):
    with tarfile.open(written) as tar:
        assert all(stat.S_IMODE(member.mode) == 0o600 for member in tar)
        sums = tar.extractfile("SHA256SUMS").read().decode().splitlines()
        assert len(sums) == len(tar.getnames()) - 2
        for line in sums:
            digest, name = line.split("  ")
            assert hashlib.sha256(tar.extractfile(name).read()).hexdigest() == digest


def test_a_flipped_bit_is_refused_or_changes_nothing(written, tmp_path):
    whole, damaged, draws = written.read_bytes(), tmp_path / "damaged", Random(2)
    flips, refused = examples(1_500), 0
    for position in draws.sample(range(len(whole)), flips):
        content = bytearray(whole)
        content[position] ^= 1 << draws.randrange(8)
        damaged.write_bytes(content)
        try:
            assert read(damaged) == (MANIFEST, KEYRING, DATABASE, len(DATABASE))
        except Refused:
            refused += 1
    # the other bits are padding
    assert refused > flips // 3


def test_a_truncated_file_is_refused(written, tmp_path):
    whole, cut = written.read_bytes(), tmp_path / "cut"
    with tarfile.open(written) as tar:
        end = tar.getmember("SHA256SUMS").offset_data + tar.getmember("SHA256SUMS").size
    for length in Random(3).sample(range(end), examples(200)):
        cut.write_bytes(whole[:length])
        with pytest.raises(Refused):
            read(cut)


@pytest.mark.parametrize("content", [b"", b"text", b"\0" * 20_000, b"SQLite format 3\0" * 1_000])
def test_a_file_of_another_format_is_refused_as_no_backup(file, content):
    file.write_bytes(content)
    with pytest.raises(Refused, match="is not a backup that this program made"):
        read(file)


def tar_of(file, **members):
    with tarfile.open(file, "w") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name.replace("_", "."))
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


def test_another_tar_file_is_refused_as_no_backup(file):
    tar_of(file, letter_txt=b"Dear Sir")
    with pytest.raises(Refused, match="is not a backup"):
        read(file)


def test_a_format_of_a_newer_release_is_refused_with_its_name(file):
    tar_of(file, manifest_json=b'{"format": "firmograph backup 2", "unheard": "of"}')
    with pytest.raises(Refused, match=r"was made by a newer release \(firmograph backup 2\)"):
        read(file)


def test_a_backup_without_its_database_is_damaged(file):
    tar_of(file, manifest_json=msgspec.json.encode(MANIFEST))
    with pytest.raises(Refused, match="is damaged"):
        read(file)


def test_a_backup_with_a_missing_member_is_damaged(written, file, tmp_path):
    incomplete = tmp_path / "incomplete"
    with tarfile.open(written) as tar, tarfile.open(incomplete, "w") as other:
        for member in tar:
            if member.name != "keys.json":
                other.addfile(member, tar.extractfile(member))
    with pytest.raises(Refused, match="differ from its checksum list"):
        read(incomplete)
