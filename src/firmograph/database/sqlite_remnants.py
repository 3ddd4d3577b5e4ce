"""Removal of deleted data that SQLite leaves in the unused space of pages.

`secure_delete` overwrites a deleted row in its place. But when cells move to other pages to keep the tree balanced,
copies of them remain in the unused middle of the old page and outlive the rows. SQLite has no statement that clears
them, so they are overwritten in the file under the writer's lock.
"""

import os
import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

_HEADER: Final = struct.Struct(">BHHH")
"""Header of a tree page: kind, first free block, number of cells, start of their content."""
_HEADER_SIZES: Final = {2: 12, 5: 12, 10: 8, 13: 8}
"""Sizes of the headers by kind: inner pages and leaves of indexes and tables."""
_FILE_HEADER: Final = 100
_MOST_PAGES: Final = 1 << 25
"""Limit on the pages: above it, the page number at the start of other pages could be mistaken for a tree's kind."""
_ZEROS: Final = bytes(1 << 16)
_CHUNK: Final = 256
_AT_ONCE: Final = 500
"""Pages cleared in one write transaction, which takes a few milliseconds."""


def clear_gaps(file: Path, hold_writer: Callable[[sqlite3.Connection], bool]) -> bool:
    """Overwrite the space between the cells of all pages; return whether that was possible.

    `hold_writer` begins a write transaction with an empty log and returns whether it could; nobody else writes the file
    then. Each transaction is committed, so that other connections discard their cached pages.
    """
    # never closed: closing would release all locks of this process on the file, including those of SQLite
    handle = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as raw:
        size, count, moving, version = (
            raw.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_size", "page_count", "auto_vacuum", "user_version")
        )
        if count >= _MOST_PAGES or moving:
            return False
        pages = [page for page, _ in _gaps(handle, size, range(count))]
        for start in range(0, len(pages), _AT_ONCE):
            if not hold_writer(raw):
                return False
            try:
                for page, (begin, end) in _gaps(handle, size, pages[start : start + _AT_ONCE]):
                    os.pwrite(handle, _ZEROS[: end - begin], page * size + begin)
                os.fsync(handle)
                raw.execute(f"PRAGMA user_version = {version}")
            finally:
                raw.execute("COMMIT")
    return True


def _gaps(handle: int, size: int, pages: "range | list[int]") -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the pages, numbered from 0, with bytes other than zero between their cells, and the ranges."""
    for first in range(0, len(pages), _CHUNK):
        some = pages[first : first + _CHUNK]
        if some[-1] - some[0] == len(some) - 1:
            block = os.pread(handle, len(some) * size, some[0] * size)
            contents = [block[at : at + size] for at in range(0, len(block), size)]
        else:
            contents = [os.pread(handle, size, page * size) for page in some]
        for page, content in zip(some, contents, strict=False):
            begin, end = _gap(content, 0 if page else _FILE_HEADER)
            if not _ZEROS.startswith(content[begin:end]):
                yield page, (begin, end)


def _gap(page: bytes, at: int) -> tuple[int, int]:
    """Return the range between the cell pointers of a page and the content; empty for other kinds of pages."""
    if len(page) < at + _HEADER.size:
        return 0, 0
    kind, _, cells, content = _HEADER.unpack_from(page, at)
    header = _HEADER_SIZES.get(kind)
    if header is None:
        return 0, 0
    begin, end = at + header + 2 * cells, content or len(_ZEROS)
    return (begin, end) if begin <= end <= len(page) else (0, 0)
