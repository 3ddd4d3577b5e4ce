"""Unpacking of gzip files and ZIP archives in bounded memory."""

import gzip
import io
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import IO, NamedTuple

from firmograph.kit.errors import Refused

PACKING_ERRORS = EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile
_GZIP, _ZIP, _EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
_MAX_ON_DISK = 4 << 30
"""Bytes of an unpacked temporary file, needed because Parquet and workbooks are read from their end."""


class UnpackedFile(NamedTuple):
    stream: IO[bytes]
    """Buffered, at its beginning."""
    name: str
    """Name of the unpacked file, in lower case."""
    packed: bool
    is_workbook: bool = False


def unpack(raw: io.BufferedReader, path: Path) -> UnpackedFile:
    """Return the one file inside. Raises Refused, with advice, when it is not one file of rows."""
    head = raw.peek(4)
    if head.startswith(_GZIP):
        stream = io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 16)
        inner = UnpackedFile(stream, path.name.lower().removesuffix(".gz"), packed=True)
    elif head.startswith((_ZIP, _EMPTY_ZIP)):
        archive = zipfile.ZipFile(raw)
        if _is_workbook(archive, path):
            return UnpackedFile(raw, path.name.lower(), packed=False, is_workbook=True)
        inner = _only_member(archive, path)
    else:
        return UnpackedFile(raw, path.name.lower(), packed=False)
    head = inner.stream.peek(4)  # type: ignore[attr-defined]
    if head.startswith(_ZIP):
        file = copy_to_disk(inner.stream, path)
        with zipfile.ZipFile(file) as archive:
            if _is_workbook(archive, path):
                return UnpackedFile(file, inner.name, packed=True, is_workbook=True)
    if head.startswith((_GZIP, _ZIP)):
        raise Refused(f"{path} is packed twice; unpack it once")
    return inner


def copy_to_disk(stream: IO[bytes], path: Path) -> IO[bytes]:
    """Return the bytes of a stream as a temporary file at its beginning."""
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the reader is freed
    left = _MAX_ON_DISK
    while block := stream.read(1 << 20):
        left -= len(block)
        if left < 0:
            copy.close()
            raise Refused(f"{path} holds more than {_MAX_ON_DISK >> 30} GiB; unpack it first")
        copy.write(block)
    copy.seek(0)
    return copy


def describe_damage(error: Exception) -> str:
    """Return what is wrong with a packed file, for a message."""
    if isinstance(error, EOFError):
        return "it ends too early"
    return f"its {'ZIP' if isinstance(error, zipfile.BadZipFile) else 'packed'} data are broken"


def _is_workbook(archive: zipfile.ZipFile, path: Path) -> bool:
    names = set(archive.namelist())
    if "xl/workbook.bin" in names:
        raise Refused(f"{path} is a binary Excel workbook (.xlsb); save it as .xlsx or CSV")
    if "mimetype" in names and "content.xml" in names:
        raise Refused(f"{path} is an OpenDocument file; save it as .xlsx or CSV")
    return "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names)


def _is_of_system(name: str) -> bool:
    """Return whether a file of an archive belongs to the operating system that packed it."""
    *folders, last = name.casefold().replace("\\", "/").split("/")
    return "__macosx" in folders or last.startswith(".") or last in ("thumbs.db", "desktop.ini")


def _only_member(archive: zipfile.ZipFile, path: Path) -> UnpackedFile:
    members = [one for one in archive.infolist() if not one.is_dir() and not _is_of_system(one.filename)]
    if len(members) != 1:
        raise Refused(f"{path} holds {len(members)} files; it must hold exactly one, so unpack it first")
    (member,) = members
    if member.flag_bits & 1:
        raise Refused(f"{path} is protected by a password; unpack it first")
    try:
        stream = io.BufferedReader(archive.open(member), 1 << 16)  # type: ignore[type-var]
    except NotImplementedError:
        raise Refused(f"{path} is compressed in a way that cannot be read; unpack it first") from None
    return UnpackedFile(stream, Path(member.filename).name.lower(), packed=True)
