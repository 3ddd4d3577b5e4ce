"""Checkpoint file: the index on disk, so that a start need not read every record again.

The file states its format, its database and its position in the change sequence; a checksum over all of it detects
damage. It is written under a temporary name, flushed to disk and renamed, so that only the disk itself can damage
it.

The file is mapped into memory. Immutable arrays are used in place; the others are copied.
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

from firmograph.prospecting.engines.memory.company_attributes import CompanyAttributes
from firmograph.prospecting.engines.memory.documents import Documents
from firmograph.prospecting.engines.memory.employment import EmploymentIndex
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.figures import FigureColumns
from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.positions import Positions
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.segment import FIELDS, Segment, derivations
from firmograph.prospecting.engines.memory.texts import TermIndex, Texts
from firmograph.security.record_ids import Entity

FORMAT = "firmograph search 4"
"""Change it with the file format and with the content of entries (`analysis.py`, `*_entry.py`, signals)."""

_MAGIC = b"FGSEARCH"
_DIGEST = 32
_ALIGN = 64


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
    pairs: list[tuple[str, str]]


# --- writing ---


class _Writer:
    def __init__(self) -> None:
        self.pieces: dict[str, _Piece] = {}
        self.blocks: list[bytes | memoryview] = []
        self._at = 0

    def add(self, name: str, values: npt.NDArray[Any] | bytes | memoryview) -> None:
        plain = np.frombuffer(values, dtype=np.uint8) if isinstance(values, bytes | memoryview) else values
        block = np.ascontiguousarray(plain).view(np.uint8).data
        self.pieces[name] = _Piece(plain.dtype.str, self._at, len(block))
        padding = -len(block) % _ALIGN
        self.blocks += [block, bytes(padding)]
        self._at += len(block) + padding

    def bitmaps(self, name: str, bitmaps: Mapping[str, BitMap]) -> None:
        values = sorted(bitmaps)
        self.lexicon(f"{name}/values", Lexicon.from_sorted(values))
        blocks = [bitmaps[value].serialize() for value in values]
        self.add(f"{name}/ends", np.cumsum([len(block) for block in blocks], dtype=np.uint64))
        self.add(f"{name}/bitmaps", b"".join(blocks))

    def lexicon(self, name: str, lexicon: Lexicon) -> None:
        self.add(f"{name}/text", lexicon.block)
        self.add(f"{name}/text-ends", np.ascontiguousarray(lexicon.ends))

    def postings(self, name: str, postings: Postings) -> None:
        self.lexicon(name, postings.lexicon)
        self.add(f"{name}/starts", postings.starts)
        self.add(f"{name}/documents", postings.documents)
        self.bitmaps(f"{name}/live", postings.live)

    def term_index(self, name: str, index: TermIndex) -> None:
        self.lexicon(name, index.terms)
        self.add(f"{name}/starts", index.starts)
        self.add(f"{name}/places", index.ordinals)

    def segment(self, name: str, segment: Segment) -> None:
        self.add(f"{name}/ranks", segment.documents.ranks)
        self.add(f"{name}/dead", segment.documents.dead.serialize())
        for field, postings in segment.terms.items():
            self.postings(f"{name}/{field}", postings)
        for field, texts in segment.texts.items():
            self.postings(f"{name}/{field}", texts.postings)
            self.term_index(f"{name}/{field}/keys", texts.keys)
            self.term_index(f"{name}/{field}/words", texts.words)
        for field, figures in segment.figures.items():
            documents, low, high = figures.columns()
            self.add(f"{name}/{field}/at", documents)
            self.add(f"{name}/{field}/low", low)
            self.add(f"{name}/{field}/high", high)
        for column, degrees in zip(("latitudes", "longitudes"), segment.positions.columns(), strict=True):
            self.add(f"{name}/{column}", degrees)


def write(engine: MemoryEngine, path: Path, identity: str, *, in_service: bool = False) -> None:
    """Write an index to a file. Raises OSError and leaves no partial file under the name.

    An index in service is copied first, so that searches wait for the copy instead of the disk. Any other index
    must not change until this returns.
    """
    with engine.lock:
        head, blocks = _content(engine, identity)
        if in_service:
            blocks = [bytes(block) for block in blocks]
    _write(path, head, blocks)


def _content(engine: MemoryEngine, identity: str) -> tuple[bytes, list[bytes | memoryview]]:
    """Return the head of the file and the blocks after it. The arrays of the engine are not copied."""
    writer = _Writer()
    writer.segment("contacts", engine.contacts)
    writer.segment("companies", engine.companies)
    writer.add("employers", engine.employment.employers)
    attributes, starts, indexes = engine.company_attributes.to_arrays()
    writer.add("carried/starts", starts)
    writer.add("carried/held", indexes)
    for field, postings in engine.company_attributes.postings.items():
        writer.postings(f"carried/{field}", postings)
    head = _Head(FORMAT, identity, engine.applied, writer.pieces, attributes)
    return msgspec.msgpack.encode(head), writer.blocks


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


class _Reader:
    def __init__(self, data: memoryview, pieces: dict[str, _Piece], include: Callable[[str], bool]) -> None:
        self._data = data
        self._pieces = pieces
        self.include = include

    def raw(self, name: str) -> memoryview:
        piece = self._pieces[name]
        return self._data[piece.start : piece.start + piece.size]

    def get(self, name: str) -> npt.NDArray[Any]:
        return np.frombuffer(self.raw(name), dtype=self._pieces[name].kind)

    def lexicon(self, name: str) -> Lexicon:
        return Lexicon(self.raw(f"{name}/text"), self.get(f"{name}/text-ends"))

    def bitmaps(self, name: str) -> dict[str, BitMap]:
        block, start = self.raw(f"{name}/bitmaps"), 0
        bitmaps = {}
        ends = self.get(f"{name}/ends").tolist()
        for value, end in zip(self.lexicon(f"{name}/values"), ends, strict=True):
            bitmaps[value] = BitMap.deserialize(bytes(block[start:end]))
            start = end
        return bitmaps

    def postings(self, name: str) -> Postings:
        return Postings(
            self.lexicon(name),
            self.get(f"{name}/starts"),
            self.get(f"{name}/documents"),
            self.bitmaps(f"{name}/live"),
        )

    def term_index(self, name: str) -> TermIndex:
        return TermIndex(self.lexicon(name), self.get(f"{name}/starts"), self.get(f"{name}/places"))

    def texts(self, name: str, field: str) -> Texts:
        keys, words = self.term_index(f"{name}/keys"), self.term_index(f"{name}/words")
        return Texts(self.postings(name), keys, words, *derivations(field))

    def segment(self, entity: Entity, name: str) -> Segment:
        dead = BitMap.deserialize(bytes(self.raw(f"{name}/dead")))
        names = FIELDS[entity]
        include = {field for fields in names for field in fields if self.include(f"{name}/{field}")}
        return Segment(
            entity,
            Documents(self.get(f"{name}/ranks"), dead),
            Positions(self.get(f"{name}/latitudes"), self.get(f"{name}/longitudes"))
            if self.include(f"{name}/positions")
            else Positions.from_pairs([], 0),
            {field: self.postings(f"{name}/{field}") for field in sorted(names.terms & include)},
            {field: self.texts(f"{name}/{field}", field) for field in sorted(names.texts & include)},
            {
                field: FigureColumns(
                    *(self.get(f"{name}/{field}/{column}") for column in ("at", "low", "high"))
                )
                for field in sorted(names.figures & include)
            },
        )


def read(path: Path, identity: str, include: Callable[[str], bool] = lambda field: True) -> MemoryEngine:
    """Load the index from a file. Raises Unusable if there is none, or none usable for this database.

    `include` selects fields (`contacts/title`, `carried/technology`), to measure the memory of each.
    """
    mapped = _mapped(path)
    data = memoryview(mapped)
    if hashlib.blake2b(data[_DIGEST:], digest_size=_DIGEST).digest() != data[:_DIGEST]:
        raise CheckpointUnusable("it is damaged")
    size = int.from_bytes(data[_DIGEST + 8 : _DIGEST + 16], "little")
    start = _DIGEST + 16
    try:
        head = msgspec.msgpack.decode(data[start : start + size], type=_Head)
    except msgspec.MsgspecError as error:
        raise CheckpointUnusable("it was written by another version") from error
    if head.format != FORMAT:
        raise CheckpointUnusable("it was written by another version")
    if head.identity != identity:
        raise CheckpointUnusable("it belongs to another database")
    blocks = start + size
    blocks += -blocks % _ALIGN
    reader = _Reader(data[blocks:], head.pieces, include)
    contacts = reader.segment(Entity.CONTACT, "contacts")
    companies = reader.segment(Entity.COMPANY, "companies")
    employers = reader.get("employers")
    carried = {
        field: reader.postings(f"carried/{field}")
        for field in CompanyAttributes.empty().postings
        if include(f"carried/{field}")
    }
    # every page was just read for the checksum; release them, so that only pages searched later stay in memory
    mapped.madvise(mmap.MADV_DONTNEED)
    return MemoryEngine(
        contacts,
        companies,
        EmploymentIndex(employers, contacts.documents.living_mask()),
        CompanyAttributes(carried, head.pairs, reader.get("carried/starts"), reader.get("carried/held")),
        head.applied,
    )


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
