"""The file that a backup is: a tar of a manifest, the database, perhaps its keys, the checksums of these, and a MAC.

`tar -xf FILE && sha256sum -c SHA256SUMS` looks into it and checks it without this program. The MAC is HMAC-SHA256 of
the checksums under the hash key, so nobody can make one without the key file.
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
_SIGNED: Final = b"firmograph backup\n"
"""What precedes the checksums in what is signed: the hash key has other uses."""
_DAMAGES: Final = tarfile.TarError, EOFError, ValueError, OverflowError
"""What `tarfile` raises for headers that make no sense."""
_BLOCK: Final = 1 << 20
_MOST_SMALL: Final = 1 << 20
"""Bytes that a member other than the database has at most."""

Kind = Literal["sqlite", "postgresql"]
DATABASES: Final[dict[Kind, str]] = {"sqlite": "database.sqlite", "postgresql": "database.pgdump"}
"""What the database is called inside, and so which program reads it."""

Told = Callable[[int, int], None]
"""Called with how many bytes are done, and of how many."""


class Holds(msgspec.Struct, frozen=True):
    """How much a database holds."""

    contacts: int
    companies: int
    accounts: int
    suppressions: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    format: str = FORMAT
    made_at: str
    release: str
    kind: Kind
    schema: str
    """The revision of the schema (migrations/versions)."""
    keyring: str | None
    """The fingerprint of the keys that it was written under; null when it has none yet."""
    holds: Holds


class _Format(msgspec.Struct):
    format: str


def write(
    draft: Path,
    manifest: Manifest,
    database: Path,
    keyring: Keyring | None,
    at: float,
    told: Told,
    *,
    with_keys: bool = True,
) -> None:
    """Write the tar, under a MAC if there is a keyring. Raises OSError."""
    small = {MANIFEST: msgspec.json.format(msgspec.json.encode(manifest))}
    if keyring is not None and with_keys:
        small[KEYS] = msgspec.json.format(msgspec.json.encode(keyring))
    with tarfile.open(draft, "w", format=tarfile.PAX_FORMAT) as tar:
        sums = ""
        for name, content in small.items():
            sums += _add(tar, name, io.BytesIO(content), len(content), at)
        size = database.stat().st_size
        with database.open("rb") as file:
            reading = _Told(file, size, told)
            sums += _add(tar, DATABASES[manifest.kind], reading, size, at)
        _add(tar, SUMS, io.BytesIO(sums.encode()), len(sums), at)
        if keyring is not None:
            mac = _mac(sums.encode(), keyring)
            _add(tar, MAC, io.BytesIO(mac), len(mac), at)


def _mac(sums: bytes, keyring: Keyring) -> bytes:
    return hmac.digest(keyring.hash_key(), _SIGNED + sums, "sha256").hex().encode()


def _add(tar: tarfile.TarFile, name: str, content: "io.BytesIO | _Told", size: int, at: float) -> str:
    """Add a member; its line of the checksums."""
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, 0o600, int(at)
    summed = _Summed(content)
    tar.addfile(member, summed)
    return f"{summed.sum.hexdigest()}  {name}\n"


class _Told:
    """A file that tells how far it was read."""

    def __init__(self, file: IO[bytes], size: int, told: Told) -> None:
        self._file = file
        self._size = size
        self._told = told
        self._done = 0

    def read(self, most: int = -1) -> bytes:
        block = self._file.read(most)
        self._done += len(block)
        self._told(self._done, self._size)
        return block


class _Summed:
    """A file of which the checksum of what was read is known."""

    def __init__(self, file: "io.BytesIO | IO[bytes] | _Told") -> None:
        self._file = file
        self.sum = hashlib.sha256()

    def read(self, most: int = -1) -> bytes:
        block = self._file.read(most)
        self.sum.update(block)
        return block


class Archive:
    """A backup that was opened, its manifest understood. Every method raises Refused when it is damaged."""

    def __init__(self, path: Path, tar: tarfile.TarFile) -> None:
        self._path = path
        self._tar = tar
        self.manifest = self._read_manifest()

    def damaged(self, why: str) -> Refused:
        return Refused(f"The backup {self._path} is damaged ({why}); restore another one")

    def check(self, told: Told) -> None:
        """Compare every member with its checksum."""
        with self._undamaged():
            for member in self._tar.getmembers():
                self._check_regular(member)
        lines = (line.split("  ", 1) for line in self._small(SUMS).decode(errors="replace").splitlines())
        sums = {line[1]: line[0] for line in lines if len(line) == 2}
        database = DATABASES[self.manifest.kind]
        present = [name for name in (MANIFEST, KEYS, database) if self._has(name)]
        if set(present) != set(sums):
            raise self.damaged("it does not hold what it lists")
        for name in present:
            with self._opened(name) as file:
                size = self._tar.getmember(name).size
                summed = _Summed(_Told(file, size, told) if name == database else file)
                while summed.read(_BLOCK):
                    pass
            if summed.sum.hexdigest() != sums[name]:
                raise self.damaged(f"the checksum of {name} differs")

    def is_signed(self) -> bool:
        """Whether it carries a MAC."""
        return self._has(MAC)

    def is_signed_by(self, keyring: Keyring) -> bool:
        """Whether its MAC was made with these keys, for just these checksums."""
        return hmac.compare_digest(self._small(MAC), _mac(self._small(SUMS), keyring))

    def keyring(self) -> Keyring | None:
        """The keys, if they are in it."""
        if not self._has(KEYS):
            return None
        return parse_keyring(self._small(KEYS), f"{KEYS} in {self._path}")

    def extract(self, to: Path, told: Told) -> None:
        """Write the database to a new file."""
        with self.database() as (file, size), to.open("xb") as written:
            shutil.copyfileobj(_Told(file, size, told), written, _BLOCK)

    @contextmanager
    def database(self) -> Iterator[tuple[IO[bytes], int]]:
        """The database, to be read from its beginning, and its size."""
        name = DATABASES[self.manifest.kind]
        with self._opened(name) as file:
            yield file, self._tar.getmember(name).size

    def _read_manifest(self) -> Manifest:
        text = self._small(MANIFEST) if self._has(MANIFEST) else b""
        try:
            form = msgspec.json.decode(text, type=_Format).format
        except (msgspec.MsgspecError, UnicodeDecodeError):
            form = ""
        if not form.startswith(_FORMATS):
            raise _no_backup(self._path)
        if form != FORMAT:
            raise Refused(
                f"{self._path} was made by a newer release ({form}); install that one to restore it"
            )
        try:
            return msgspec.json.decode(text, type=Manifest)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise self.damaged(f"its {MANIFEST} cannot be understood") from error

    def _has(self, name: str) -> bool:
        with self._undamaged():
            return name in self._tar.getnames()

    def _small(self, name: str) -> bytes:
        with self._opened(name) as file:
            return file.read(_MOST_SMALL)

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        if not self._has(name):
            raise self.damaged(f"{name} is missing")
        with self._undamaged():
            member = self._tar.getmember(name)
            self._check_regular(member)
            file = self._tar.extractfile(member)
            assert file is not None
            with file:
                yield file

    def _check_regular(self, member: tarfile.TarInfo) -> None:
        # a link would be read as whatever it leads to
        if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
            raise self.damaged(f"{_shown(member.name)} is no regular file")

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGES as error:
            raise self.damaged("it ends too soon") from error


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open a backup. Raises Refused when it is none, or of a newer release, or damaged; OSError."""
    with path.open("rb") as file:
        try:
            tar = tarfile.TarFile(fileobj=file)
        except _DAMAGES as error:
            raise _no_backup(path) from error
        with tar:
            yield Archive(path, tar)


def _shown(name: str) -> str:
    """A name from the file, on one line."""
    return " ".join(name.split())[:100] if name.isprintable() else ascii(name)[:100]


def _no_backup(path: Path) -> Refused:
    return Refused(f"{path} is not a backup that this program made")
