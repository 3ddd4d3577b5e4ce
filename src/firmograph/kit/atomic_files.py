"""Files that are whole or not there: made in a private folder beside their place, then renamed.

Nothing of them can be read by others of the machine, and what a killed process left is cleared away by the next one
that makes the same file, or by `clear_abandoned`.
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
    folder = _folder(path)
    folder.mkdir(mode=0o700, exist_ok=True)
    handle = _lock(folder)
    if handle is None:
        raise Refused(f"Another process is at work on {path}; try again when it has ended")
    try:
        for left in folder.iterdir():
            left.unlink()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)


def clear_abandoned(path: Path) -> None:
    """Remove what a killed process left of making a file; nothing while a process makes it.

    Raises OSError when it cannot be removed.
    """
    folder = _folder(path)
    handle = _lock(folder)
    if handle is None:
        return
    try:
        shutil.rmtree(folder)
    finally:
        os.close(handle)


def _folder(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def _lock(folder: Path) -> int | None:
    """A handle by which the folder is this process's alone, until it is closed or the process is gone.

    None while it is another's, and where it is not there or not there any more. Raises OSError when it cannot be read.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # whoever had it before may have removed it, and a third one made another of the same name
        if os.path.samestat(os.fstat(handle), folder.stat()):
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(handle)
    return None


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
