"""Atomic creation of files: written in a private folder next to their path, then renamed.

Other users of the machine cannot read partial files. Files left by a killed process are removed by the next process
that writes the same file, or by `remove_abandoned`.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firmograph.kit.errors import Refused


@contextmanager
def private_folder(path: Path) -> Iterator[Path]:
    """Create a folder `.NAME.part` of mode 700 next to a file for its temporary files, and remove it at the end.

    Raises Refused while another process writes the same file, and OSError if the folder cannot be created.
    """
    folder = _folder(path)
    folder.mkdir(mode=0o700, exist_ok=True)
    handle = _lock(folder)
    if handle is None:
        raise Refused(f"Another process is writing {path}; try again when it has finished")
    try:
        for abandoned in folder.iterdir():
            abandoned.unlink()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)


def remove_abandoned(path: Path) -> None:
    """Remove the temporary files of a killed process; do nothing while a process writes the file.

    Raises OSError if they cannot be removed.
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
    """Lock the folder for this process until the returned handle is closed or the process ends.

    Returns None if another process holds the lock or the folder does not exist. Raises OSError if it cannot be opened.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # the previous owner may have removed the folder, and a third process created another of the same name
        if os.path.samestat(os.fstat(handle), folder.stat()):
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(handle)
    return None


@contextmanager
def atomic_write(path: Path, *, replace: bool) -> Iterator[Path]:
    """Yield a draft path; at the end the draft, of mode 600 and flushed to disk, is renamed to `path`.

    Raises Refused if the file exists and may not be replaced.
    """
    with private_folder(path) as folder:
        check_replaceable(path, replace)
        draft = folder / path.name
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield draft
        _flush(draft)
        check_replaceable(path, replace)
        draft.replace(path)
        _flush(path.parent)


def check_replaceable(path: Path, replace: bool) -> None:
    """Raise Refused if a file exists and may not be replaced, or the path is a folder's."""
    if path.is_dir():
        raise Refused(f"{path} is a folder; name a file")
    if path.exists() and not replace:
        raise Refused(f"{path} already exists; choose another name, or replace it with --force")


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
