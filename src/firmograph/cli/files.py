"""Files of rows that commands write: their format, and how they appear."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from firmograph.cli.output import guard_standard_output
from firmograph.kit.atomic_files import atomic_write, check_replaceable
from firmograph.kit.errors import Refused
from firmograph.kit.table_files.formats import TEXT_FORMATS, FileFormat

STANDARD_OUTPUT: Final = "-"
_NAMES: Final = {FileFormat.PARQUET: "Parquet", FileFormat.EXCEL: "Excel"}


def choose_file_format(file: str, given: FileFormat | None) -> FileFormat:
    """Return the given format, else that of the file's name. Raises Refused if there is none, or it does not fit."""
    if given is None:
        extension = "" if file == STANDARD_OUTPUT else Path(file).suffix.removeprefix(".").lower()
        if extension not in list(FileFormat):
            what = "standard output has no name" if file == STANDARD_OUTPUT else f"{file} has no known ending"
            *others, last = (f"--format {format}" for format in FileFormat)
            raise Refused(f"The format is not given and {what}; give {', '.join(others)} or {last}")
        given = FileFormat(extension)
    if file == STANDARD_OUTPUT and given not in TEXT_FORMATS:
        check_standard_output(given)
    return given


def check_standard_output(format: FileFormat) -> None:
    """Raise Refused for a format that standard output cannot take."""
    if format is FileFormat.EXCEL:
        raise Refused("Excel is written to a file only; name one that ends in .xlsx")
    if format not in TEXT_FORMATS and sys.stdout.isatty():
        raise Refused(
            f"{_NAMES[format]} is not text for a terminal; name a file, or pass it on to a program with |"
        )


def check_file(file: str, *, replace: bool) -> None:
    """Raise Refused if `open_file` would because of a file at the path, before any work is done for it."""
    if file == STANDARD_OUTPUT:
        return
    if Path(file).exists() and not Path(file).is_file():
        raise Refused(f"{file} is no regular file; name one, or redirect standard output, which is -")
    check_replaceable(Path(file), replace)


@contextmanager
def open_file(file: str, *, replace: bool) -> Iterator[BinaryIO]:
    """Yield standard output, or a file that appears once it is whole, readable by its owner only.

    Raises Refused if it cannot be written, or exists and may not be replaced.
    """
    check_file(file, replace=replace)
    if file == STANDARD_OUTPUT:
        with guard_standard_output() as out:
            yield out.buffer
        return
    try:
        with atomic_write(Path(file), replace=replace) as draft, draft.open("wb") as out:
            yield out
    except OSError as error:
        raise Refused(f"{file} cannot be written: {error.strerror}") from error
