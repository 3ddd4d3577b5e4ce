"""Files that are whole or not there: made in a private folder beside their place, then renamed.

Nothing of them can be read by others of the machine, and what a killed process left is cleared away by the next one
that makes the same file.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firmograph.kit.errors import Refused


@contextmanager
def folder_aside(path: Path) -> Iterator[Path]:
    """A folder `.NAME.part` beside a file, of mode 700, for what the file is made of; it goes at the end.

    Raises Refused while another process makes the same file, OSError when the folder cannot be made.
    """
    folder = path.with_name(f".{path.name}.part")
    folder.mkdir(mode=0o700, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"Another process is at work on {path}; try again when it has ended") from None
        for left in folder.iterdir():
            left.unlink()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)


@contextmanager
def written_aside(path: Path, *, replace: bool) -> Iterator[Path]:
    """The place to write a file to; it takes its own place, flushed to the disk and of mode 600, once that is done.

    Raises Refused when there is a file already that it may not replace.
    """
    with folder_aside(path) as folder:
        _refuse_existing(path, replace)
        draft = folder / path.name
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield draft
        _flush(draft)
        _refuse_existing(path, replace)
        draft.replace(path)
        _flush(path.parent)


def _refuse_existing(path: Path, replace: bool) -> None:
    if path.is_dir():
        raise Refused(f"{path} is a folder; name a file")
    if path.exists() and not replace:
        raise Refused(f"{path} exists already; choose another name, or replace it with --force")


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
