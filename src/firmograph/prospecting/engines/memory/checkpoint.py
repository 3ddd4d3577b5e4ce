"""An index in a file, so that a start need not read every record again.

The file says which format it has, which database it is of and which place in the change sequence it stands for; a
checksum over all of it tells damage. It is written under another name, flushed to the disk and then renamed, so a
file under the right name is whole, unless the disk lost something of it, which the checksum tells.

Arrays that never change are read where they lie (the file is mapped into memory), the others are copied.
"""

import hashlib
import mmap
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.company_attributes import Carried
from firmograph.prospecting.engines.memory.documents import Documents
from firmograph.prospecting.engines.memory.employment import Staff
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.figures import Figures
from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.positions import Positions
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.segment import FIELDS, Space, derivations
from firmograph.prospecting.engines.memory.texts import Roots, Texts
from firmograph.security.record_ids import Entity

FORMAT = "firmograph search 4"
"""Another one whenever the file, or what an entry holds of a record changes (`analysis.py`, `*_entry.py`, signals)."""

_MAGIC = b"FGSEARCH"
_DIGEST = 32
_ALIGN = 64


class Unusable(Exception):
    """A checkpoint cannot be used; the text says why. Everything in it can be made again from the records."""


class _Piece(msgspec.Struct):
    kind: str
    """The numpy type of its numbers."""
    start: int
    size: int
    """Bytes."""


class _Head(msgspec.Struct):
    format: str
    identity: str
    applied: int
    pieces: dict[str, _Piece]
    pairs: list[tuple[str, str]]


# --- writing ---


class _Pieces:
    def __init__(self) -> None:
        self.pieces: dict[str, _Piece] = {}
        self.blocks: list[bytes | memoryview] = []
        self._at = 0

    def put(self, name: str, values: npt.NDArray[Any] | bytes | memoryview) -> None:
        plain = np.frombuffer(values, dtype=np.uint8) if isinstance(values, bytes | memoryview) else values
        block = np.ascontiguousarray(plain).view(np.uint8).data
        self.pieces[name] = _Piece(plain.dtype.str, self._at, len(block))
        padding = -len(block) % _ALIGN
        self.blocks += [block, bytes(padding)]
        self._at += len(block) + padding

    def bitmaps(self, name: str, held: Mapping[str, BitMap]) -> None:
        values = sorted(held)
        self.lexicon(f"{name}/values", Lexicon.of(values))
        blocks = [held[value].serialize() for value in values]
        self.put(f"{name}/ends", np.cumsum([len(block) for block in blocks], dtype=np.uint64))
        self.put(f"{name}/bitmaps", b"".join(blocks))

    def lexicon(self, name: str, lexicon: Lexicon) -> None:
        self.put(f"{name}/text", lexicon.block)
        self.put(f"{name}/text-ends", np.ascontiguousarray(lexicon.ends))

    def postings(self, name: str, held: Postings) -> None:
        self.lexicon(name, held.lexicon)
        self.put(f"{name}/starts", held.starts)
        self.put(f"{name}/documents", held.documents)
        self.bitmaps(f"{name}/live", held.live)

    def roots(self, name: str, held: Roots) -> None:
        self.lexicon(name, held.derived)
        self.put(f"{name}/starts", held.starts)
        self.put(f"{name}/places", held.places)

    def space(self, name: str, space: Space) -> None:
        self.put(f"{name}/ranks", space.documents.ranks)
        self.put(f"{name}/dead", space.documents.dead.serialize())
        for field, postings in space.terms.items():
            self.postings(f"{name}/{field}", postings)
        for field, texts in space.texts.items():
            self.postings(f"{name}/{field}", texts.postings)
            self.roots(f"{name}/{field}/keys", texts.keys)
            self.roots(f"{name}/{field}/words", texts.words)
        for field, figures in space.figures.items():
            at, low, high = figures.columns()
            self.put(f"{name}/{field}/at", at)
            self.put(f"{name}/{field}/low", low)
            self.put(f"{name}/{field}/high", high)
        for column, degrees in zip(("latitudes", "longitudes"), space.positions.columns(), strict=True):
            self.put(f"{name}/{column}", degrees)


def write(engine: MemoryEngine, path: Path, identity: str, *, in_service: bool = False) -> None:
    """Write an index down. Raises OSError, and leaves no half file under the name.

    One in service is copied first, so that searches wait for the copy and not for the disk. Any other must not be
    changed by anyone until this returns.
    """
    with engine.lock:
        head, blocks = _content(engine, identity)
        if in_service:
            blocks = [bytes(block) for block in blocks]
    _write(path, head, blocks)


def _content(engine: MemoryEngine, identity: str) -> tuple[bytes, list[bytes | memoryview]]:
    """The head of the file and the blocks that follow it; arrays of the engine are not copied."""
    pieces = _Pieces()
    pieces.space("contacts", engine.contacts)
    pieces.space("companies", engine.companies)
    pieces.put("employers", engine.staff.employers)
    pairs, starts, held = engine.carried.flat()
    pieces.put("carried/starts", starts)
    pieces.put("carried/held", held)
    for field, postings in engine.carried.postings.items():
        pieces.postings(f"carried/{field}", postings)
    head = _Head(FORMAT, identity, engine.applied, pieces.pieces, pairs)
    return msgspec.msgpack.encode(head), pieces.blocks


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


class _Read:
    def __init__(self, data: memoryview, pieces: dict[str, _Piece], wanted: Callable[[str], bool]) -> None:
        self._data = data
        self._pieces = pieces
        self.wanted = wanted

    def raw(self, name: str) -> memoryview:
        piece = self._pieces[name]
        return self._data[piece.start : piece.start + piece.size]

    def get(self, name: str) -> npt.NDArray[Any]:
        return np.frombuffer(self.raw(name), dtype=self._pieces[name].kind)

    def lexicon(self, name: str) -> Lexicon:
        return Lexicon(self.raw(f"{name}/text"), self.get(f"{name}/text-ends"))

    def bitmaps(self, name: str) -> dict[str, BitMap]:
        block, start = self.raw(f"{name}/bitmaps"), 0
        held = {}
        ends = self.get(f"{name}/ends").tolist()
        for value, end in zip(self.lexicon(f"{name}/values"), ends, strict=True):
            held[value] = BitMap.deserialize(bytes(block[start:end]))
            start = end
        return held

    def postings(self, name: str) -> Postings:
        return Postings(
            self.lexicon(name),
            self.get(f"{name}/starts"),
            self.get(f"{name}/documents"),
            self.bitmaps(f"{name}/live"),
        )

    def roots(self, name: str) -> Roots:
        return Roots(self.lexicon(name), self.get(f"{name}/starts"), self.get(f"{name}/places"))

    def texts(self, name: str, field: str) -> Texts:
        keys, words = self.roots(f"{name}/keys"), self.roots(f"{name}/words")
        return Texts(self.postings(name), keys, words, *derivations(field))

    def space(self, entity: Entity, name: str) -> Space:
        dead = BitMap.deserialize(bytes(self.raw(f"{name}/dead")))
        names = FIELDS[entity]
        wanted = {field for held in names for field in held if self.wanted(f"{name}/{field}")}
        return Space(
            entity,
            Documents(self.get(f"{name}/ranks"), dead),
            Positions(self.get(f"{name}/latitudes"), self.get(f"{name}/longitudes"))
            if self.wanted(f"{name}/positions")
            else Positions.of([], 0),
            {field: self.postings(f"{name}/{field}") for field in sorted(names.terms & wanted)},
            {field: self.texts(f"{name}/{field}", field) for field in sorted(names.entries & wanted)},
            {
                field: Figures(*(self.get(f"{name}/{field}/{column}") for column in ("at", "low", "high")))
                for field in sorted(names.figures & wanted)
            },
        )


def read(path: Path, identity: str, wanted: Callable[[str], bool] = lambda field: True) -> MemoryEngine:
    """The index in a file. Raises Unusable when there is none, or none that can be used for this database.

    `wanted` may leave out fields (`contacts/title`, `carried/technology`), to measure what each takes.
    """
    mapped = _mapped(path)
    data = memoryview(mapped)
    if hashlib.blake2b(data[_DIGEST:], digest_size=_DIGEST).digest() != data[:_DIGEST]:
        raise Unusable("it is damaged")
    size = int.from_bytes(data[_DIGEST + 8 : _DIGEST + 16], "little")
    start = _DIGEST + 16
    try:
        head = msgspec.msgpack.decode(data[start : start + size], type=_Head)
    except msgspec.MsgspecError as error:
        raise Unusable("it was written by another version") from error
    if head.format != FORMAT:
        raise Unusable("it was written by another version")
    if head.identity != identity:
        raise Unusable("it belongs to another database")
    blocks = start + size
    blocks += -blocks % _ALIGN
    reading = _Read(data[blocks:], head.pieces, wanted)
    contacts = reading.space(Entity.CONTACT, "contacts")
    companies = reading.space(Entity.COMPANY, "companies")
    employers = reading.get("employers")
    carried = {
        field: reading.postings(f"carried/{field}")
        for field in Carried.empty().postings
        if wanted(f"carried/{field}")
    }
    # the whole file was just read: let go of its pages, so that only what searches touch stays in memory
    mapped.madvise(mmap.MADV_DONTNEED)
    return MemoryEngine(
        contacts,
        companies,
        Staff(employers, contacts.documents.alive()),
        Carried(carried, head.pairs, reading.get("carried/starts"), reading.get("carried/held")),
        head.applied,
    )


def _mapped(path: Path) -> mmap.mmap:
    try:
        # opening a pipe would wait for somebody to write into it
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unusable("it is no regular file")
            mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    except FileNotFoundError:
        raise Unusable("there is none") from None
    except (OSError, ValueError) as error:
        raise Unusable("it cannot be read") from error
    if len(mapped) < _DIGEST + 16 or mapped[_DIGEST : _DIGEST + 8] != _MAGIC:
        raise Unusable("it is no checkpoint")
    return mapped
