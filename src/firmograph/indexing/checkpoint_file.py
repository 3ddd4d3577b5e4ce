"""Checkpoint file: an index on disk, so that a start need not read every record again.

The file states its format, its database and its position in the change sequence; a checksum over all of it detects
damage. It is written under a temporary name, flushed to disk and renamed, so that only the disk itself can damage
it.

The file is mapped into memory. An index may use immutable arrays in place.
"""

import hashlib
import mmap
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

_MAGIC = b"FGINDEX1"
_DIGEST = 32
_ALIGN = 64

T = TypeVar("T")


class CheckpointUnusable(Exception):
    """Raised when a checkpoint cannot be used, with the reason. Everything in it can be rebuilt from the records."""


class _Piece(msgspec.Struct):
    kind: str
    """Numpy type of the values."""
    start: int
    size: int
    """In bytes."""


class _Head(msgspec.Struct):
    format: str
    identity: str
    applied: int
    pieces: dict[str, _Piece]
    facts: msgspec.Raw


# --- writing ---


class CheckpointWriter:
    """Content of a checkpoint: named blocks, and facts for the head of the file."""

    def __init__(self) -> None:
        self.facts: Any = []
        """Anything that MessagePack can hold; read as a whole when the file is opened, so it should be small."""
        self._pieces: dict[str, _Piece] = {}
        self._blocks: list[bytes | memoryview] = []
        self._at = 0

    def add(self, name: str, values: npt.NDArray[Any] | bytes | memoryview) -> None:
        """Add a block. Arrays are not copied, and must not change until the file is written."""
        plain = np.frombuffer(values, dtype=np.uint8) if isinstance(values, bytes | memoryview) else values
        block = np.ascontiguousarray(plain).view(np.uint8).data
        self._pieces[name] = _Piece(plain.dtype.str, self._at, len(block))
        padding = -len(block) % _ALIGN
        self._blocks += [block, bytes(padding)]
        self._at += len(block) + padding

    def write(self, path: Path, format: str, identity: str, applied: int) -> None:
        """Write the file. Raises OSError and leaves no partial file under the name."""
        facts = msgspec.Raw(msgspec.msgpack.encode(self.facts))
        head = msgspec.msgpack.encode(_Head(format, identity, applied, self._pieces, facts))
        _write(path, head, self._blocks)


def _write(path: Path, head: bytes, blocks: list[bytes | memoryview]) -> None:
    draft = path.with_name(path.name + ".part")
    digest = hashlib.blake2b(digest_size=_DIGEST)
    start = _MAGIC + len(head).to_bytes(8, "little") + head
    start += bytes(-(len(start) + _DIGEST) % _ALIGN)
    draft.unlink(missing_ok=True)
    try:
        with open(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(bytes(_DIGEST))
            for block in [start, *blocks]:
                digest.update(block)
                file.write(block)
            file.seek(0)
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


# --- reading ---


class CheckpointReader:
    """Content of an intact checkpoint."""

    def __init__(self, data: memoryview, head: _Head) -> None:
        self._data = data
        self._pieces = head.pieces
        self._facts = head.facts
        self.applied = head.applied
        """Position in the change sequence."""

    def facts(self, type: type[T]) -> T:
        """Return the facts of the head."""
        return msgspec.msgpack.decode(self._facts, type=type)

    def raw(self, name: str) -> memoryview:
        """Return a block in place."""
        piece = self._pieces[name]
        return self._data[piece.start : piece.start + piece.size]

    def get(self, name: str) -> npt.NDArray[Any]:
        """Return an array in place."""
        return np.frombuffer(self.raw(name), dtype=self._pieces[name].kind)


def read(path: Path, format: str, identity: str, load: Callable[[CheckpointReader], T]) -> T:
    """Load the index from a file.

    Raises CheckpointUnusable if there is none, or none usable for this format and database.
    """
    mapped = _mapped(path)
    data = memoryview(mapped)
    if hashlib.blake2b(data[_DIGEST:], digest_size=_DIGEST).digest() != data[:_DIGEST]:
        raise CheckpointUnusable("it is damaged")
    head, blocks = _read_head(data)
    if head.format != format:
        raise CheckpointUnusable("it was written by another version")
    if head.identity != identity:
        raise CheckpointUnusable("it belongs to another database")
    index = load(CheckpointReader(data[blocks:], head))
    # every page was just read for the checksum; release them, so that only pages used later stay in memory
    mapped.madvise(mmap.MADV_DONTNEED)
    return index


class CheckpointState(NamedTuple):
    """What a checkpoint says of itself, without a check of its content."""

    bytes: int
    identity: str
    """Of the database that it was made of."""
    applied: int
    written_at: float


def read_state(path: Path) -> CheckpointState:
    """Read the head of a checkpoint. Raises CheckpointUnusable if there is none."""
    mapped = _mapped(path)
    head = _read_head(memoryview(mapped))[0]
    return CheckpointState(len(mapped), head.identity, head.applied, path.stat().st_mtime)


def _read_head(data: memoryview) -> tuple[_Head, int]:
    """Return the head, and where the blocks begin."""
    size = int.from_bytes(data[_DIGEST + 8 : _DIGEST + 16], "little")
    start = _DIGEST + 16
    try:
        head = msgspec.msgpack.decode(data[start : start + size], type=_Head)
    except msgspec.MsgspecError as error:
        raise CheckpointUnusable("it was written by another version") from error
    blocks = start + size
    return head, blocks + -blocks % _ALIGN


def _mapped(path: Path) -> mmap.mmap:
    try:
        # opening a pipe in blocking mode would wait for a writer
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise CheckpointUnusable("it is not a regular file")
            mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    except FileNotFoundError:
        raise CheckpointUnusable("it does not exist") from None
    except (OSError, ValueError) as error:
        raise CheckpointUnusable("it cannot be read") from error
    if len(mapped) < _DIGEST + 16 or mapped[_DIGEST : _DIGEST + 8] != _MAGIC:
        raise CheckpointUnusable("it is not a checkpoint")
    return mapped
