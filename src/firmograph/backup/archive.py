"""Backup file format.

A backup is a tar of a manifest, the database, optionally its keys, the checksums of these and a MAC. `tar -xf FILE &&
sha256sum -c SHA256SUMS` unpacks and checks it without this program. The MAC is HMAC-SHA256 of the checksums under the
hash key, so nobody can forge one without the key file.
"""

import hashlib
import hmac
import io
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Literal

import msgspec

from firmograph.kit.errors import Refused
from firmograph.security.keyring import Keyring, parse_keyring

FORMAT: Final = "firmograph backup 1"
_FORMATS: Final = "firmograph backup "
MANIFEST, KEYS, SUMS, MAC = "manifest.json", "keys.json", "SHA256SUMS", "HMAC-SHA256"
_MAC_PREFIX: Final = b"firmograph backup\n"
"""Prefix of the signed text, as the hash key has other uses."""
_TAR_ERRORS: Final = tarfile.TarError, EOFError, ValueError, OverflowError
"""Errors of `tarfile` for malformed headers."""
_BLOCK: Final = 1 << 20
_MAX_SMALL_MEMBER: Final = 1 << 20
"""Size limit in bytes of every member but the database."""

Kind = Literal["sqlite", "postgresql"]
DATABASES: Final[dict[Kind, str]] = {"sqlite": "database.sqlite", "postgresql": "database.pgdump"}
"""Member name of the database, by kind."""

Progress = Callable[[int, int], None]
"""Callback with the number of bytes done and in total."""


class ArchiveContents(msgspec.Struct, frozen=True):
    """Row counts of a database."""

    contacts: int
    companies: int
    accounts: int
    suppressions: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Description of a backup."""

    format: str = FORMAT
    made_at: str
    release: str
    kind: Kind
    schema: str
    """Schema revision (migrations/versions)."""
    keyring: str | None
    """Fingerprint of the keys the database is written under; null if it has none yet."""
    holds: ArchiveContents


class _Format(msgspec.Struct):
    format: str


def write_archive(
    draft: Path,
    manifest: Manifest,
    database: Path,
    keyring: Keyring | None,
    at: float,
    progress: Progress,
    *,
    with_keys: bool = True,
) -> None:
    """Write the tar, with a MAC if there is a keyring. Raises OSError."""
    members = {MANIFEST: msgspec.json.format(msgspec.json.encode(manifest))}
    if keyring is not None and with_keys:
        members[KEYS] = msgspec.json.format(msgspec.json.encode(keyring))
    with tarfile.open(draft, "w", format=tarfile.PAX_FORMAT) as tar:
        sums = ""
        for name, content in members.items():
            sums += _add(tar, name, io.BytesIO(content), len(content), at)
        size = database.stat().st_size
        with database.open("rb") as file:
            reader = _ProgressReader(file, size, progress)
            sums += _add(tar, DATABASES[manifest.kind], reader, size, at)
        _add(tar, SUMS, io.BytesIO(sums.encode()), len(sums), at)
        if keyring is not None:
            mac = _mac(sums.encode(), keyring)
            _add(tar, MAC, io.BytesIO(mac), len(mac), at)


def _mac(sums: bytes, keyring: Keyring) -> bytes:
    return hmac.digest(keyring.hash_key(), _MAC_PREFIX + sums, "sha256").hex().encode()


def _add(
    tar: tarfile.TarFile, name: str, content: "io.BytesIO | _ProgressReader", size: int, at: float
) -> str:
    """Add a member and return its checksum line."""
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, 0o600, int(at)
    hashed = _HashingReader(content)
    tar.addfile(member, hashed)
    return f"{hashed.sum.hexdigest()}  {name}\n"


class _ProgressReader:
    """File with progress reports on reads."""

    def __init__(self, file: IO[bytes], size: int, progress: Progress) -> None:
        self._file = file
        self._size = size
        self._progress = progress
        self._done = 0

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self._done += len(block)
        self._progress(self._done, self._size)
        return block


class _HashingReader:
    """File with a running hash of the content read."""

    def __init__(self, file: "io.BytesIO | IO[bytes] | _ProgressReader") -> None:
        self._file = file
        self.sum = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self.sum.update(block)
        return block


class Archive:
    """Opened backup with its manifest.

    Every method raises Refused if the file is damaged.
    """

    def __init__(self, path: Path, tar: tarfile.TarFile) -> None:
        self._path = path
        self._tar = tar
        self.manifest = self._read_manifest()

    def damaged(self, reason: str) -> Refused:
        """Return the error for a damaged backup."""
        return Refused(f"The backup {self._path} is damaged ({reason}); restore another one")

    def check(self, progress: Progress) -> None:
        """Compare every member with its checksum."""
        with self._refuse_damage():
            for member in self._tar.getmembers():
                self._check_regular(member)
        lines = (
            line.split("  ", 1) for line in self._read_member(SUMS).decode(errors="replace").splitlines()
        )
        sums = {line[1]: line[0] for line in lines if len(line) == 2}
        database = DATABASES[self.manifest.kind]
        present = [name for name in (MANIFEST, KEYS, database) if self._contains(name)]
        if set(present) != set(sums):
            raise self.damaged("its members differ from its checksum list")
        for name in present:
            with self._open_member(name) as file:
                size = self._tar.getmember(name).size
                hashed = _HashingReader(_ProgressReader(file, size, progress) if name == database else file)
                while hashed.read(_BLOCK):
                    pass
            if hashed.sum.hexdigest() != sums[name]:
                raise self.damaged(f"the checksum of {name} differs")

    def is_signed(self) -> bool:
        """Return whether it has a MAC."""
        return self._contains(MAC)

    def is_signed_by(self, keyring: Keyring) -> bool:
        """Return whether these keys made its MAC for exactly these checksums."""
        return hmac.compare_digest(self._read_member(MAC), _mac(self._read_member(SUMS), keyring))

    def keyring(self) -> Keyring | None:
        """Return the keys, if it has them."""
        if not self._contains(KEYS):
            return None
        return parse_keyring(self._read_member(KEYS), f"{KEYS} in {self._path}")

    def extract(self, to: Path, progress: Progress) -> None:
        """Write the database to a new file."""
        with self.database() as (file, size), to.open("xb") as written:
            shutil.copyfileobj(_ProgressReader(file, size, progress), written, _BLOCK)

    @contextmanager
    def database(self) -> Iterator[tuple[IO[bytes], int]]:
        """Open the database for reading; yield the file and its size."""
        name = DATABASES[self.manifest.kind]
        with self._open_member(name) as file:
            yield file, self._tar.getmember(name).size

    def _read_manifest(self) -> Manifest:
        text = self._read_member(MANIFEST) if self._contains(MANIFEST) else b""
        try:
            format_name = msgspec.json.decode(text, type=_Format).format
        except (msgspec.MsgspecError, UnicodeDecodeError):
            format_name = ""
        if not format_name.startswith(_FORMATS):
            raise _not_a_backup(self._path)
        if format_name != FORMAT:
            raise Refused(
                f"{self._path} was made by a newer release ({format_name}); install that one to restore it"
            )
        try:
            return msgspec.json.decode(text, type=Manifest)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise self.damaged(f"its {MANIFEST} cannot be parsed") from error

    def _contains(self, name: str) -> bool:
        with self._refuse_damage():
            return name in self._tar.getnames()

    def _read_member(self, name: str) -> bytes:
        with self._open_member(name) as file:
            return file.read(_MAX_SMALL_MEMBER)

    @contextmanager
    def _open_member(self, name: str) -> Iterator[IO[bytes]]:
        if not self._contains(name):
            raise self.damaged(f"{name} is missing")
        with self._refuse_damage():
            member = self._tar.getmember(name)
            self._check_regular(member)
            file = self._tar.extractfile(member)
            assert file is not None
            with file:
                yield file

    def _check_regular(self, member: tarfile.TarInfo) -> None:
        # tarfile follows links
        if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
            raise self.damaged(f"{_printable(member.name)} is not a regular file")

    @contextmanager
    def _refuse_damage(self) -> Iterator[None]:
        try:
            yield
        except _TAR_ERRORS as error:
            raise self.damaged("it is truncated") from error


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a backup. Raises Refused if it is none, damaged or of a newer release; OSError."""
    with path.open("rb") as file:
        try:
            tar = tarfile.TarFile(fileobj=file)
        except _TAR_ERRORS as error:
            raise _not_a_backup(path) from error
        with tar:
            yield Archive(path, tar)


def _printable(name: str) -> str:
    """Return a member name on one line."""
    return " ".join(name.split())[:100] if name.isprintable() else ascii(name)[:100]


def _not_a_backup(path: Path) -> Refused:
    return Refused(f"{path} is not a backup that this program made")
