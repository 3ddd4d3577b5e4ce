"""Detection of a text file's encoding, and recoding as UTF-8.

If a file is not valid UTF-8, a sample decides: the encoding wins whose letters fit some language best. General
detectors need more text than names have; see docs/benchmarks.md#encodings.
"""

import codecs
import io
import re
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import IO

from firmograph.ingest.reading.encoding_choice import is_poor, open_choices, rank
from firmograph.ingest.reading.encoding_sample import read_sample
from firmograph.kit.errors import Refused

UTF_8 = "utf-8"
_BLOCK = 1 << 20
_MIN_UTF_8 = 0.5
_MOST_NAMED = 3
"""Encodings that a refusal names, where more are as likely."""
_LABELS = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-16": "UTF-16",
    **{f"cp125{digit}": f"Windows-125{digit}" for digit in range(9)},
    **{f"iso8859-{part}": f"ISO 8859-{part}" for part in (1, 2, 9, 15)},
    **{f"cp{page}": f"CP{page}" for page in (437, 850, 852, 866)},
    "mac-roman": "Mac Roman",
    "koi8-r": "KOI8-R",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
    "gb18030": "GB18030",
    "cp950": "Big5",
}
_ALIASES = {
    "macroman": "mac-roman",
    "windows-latin-1": "cp1252",
    "ansi": "cp1252",
    "utf-8-sig": "utf-8",
    # the forms with more characters, which files under these names are mostly in
    "shift-jis": "cp932",
    "sjis": "cp932",
    "euc-kr": "cp949",
    "big5": "cp950",
}

OpenBytes = Callable[[], AbstractContextManager[IO[bytes]]]
"""A function that opens the unpacked bytes of a file at their beginning."""


def encoding_label(encoding: str) -> str:
    """Return the usual name of an encoding."""
    return _LABELS.get(encoding, encoding)


def resolve_encoding(given: str) -> str:
    """Return Python's name of an encoding. Raises Refused for an unknown one."""
    plain = re.sub(r"[\s_-]+", "-", given.strip().casefold())
    plain = _ALIASES.get(plain, plain)
    try:
        found = codecs.lookup(plain)
        "".encode(found.name)
    except (LookupError, ValueError):
        raise Refused(
            f"{given!r} is no encoding; give utf-8, utf-16, windows-1252, windows-1250 or mac-roman with --encoding"
        ) from None
    return found.name


def detect_encoding(opened: OpenBytes, what: str) -> str:
    """Return the encoding of a text. Raises Refused when no usual encoding fits its words."""
    with opened() as stream:
        head = stream.read(4096)
    if wide := _detect_utf_16(head):
        return wide
    with opened() as stream:
        if _is_utf_8(stream):
            return UTF_8
    with opened() as stream:
        sample = read_sample(stream)
    if sample.utf_8_share >= _MIN_UTF_8:
        # UTF-8 with damaged lines, whose cells count as unread
        return UTF_8
    return _likeliest_encoding(sample.units, what)


_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def _detect_utf_16(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16-le" if head.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    high, low = head[::2], head[1::2]
    for encoding, empty, full in (("utf-16-le", low, high), ("utf-16-be", high, low)):
        # the low bytes of quotation marks and dashes are control characters
        controls = len(_CONTROLS.findall(full))
        if len(head) >= 4 and empty.count(0) > 0.7 * len(empty) and controls < 0.3 * len(full):
            return encoding
    return ""


def _is_utf_8(stream: IO[bytes]) -> bool:
    decode = codecs.getincrementaldecoder(UTF_8)().decode
    pending = False
    try:
        while block := stream.read(_BLOCK):
            if pending or not block.isascii():
                decode(block)
                pending = not block[-1:].isascii()
        decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _likeliest_encoding(units: Sequence[bytes], what: str) -> str:
    ranked = rank(units)
    best = ranked[0]
    if is_poor(best, units):
        raise Refused(
            f"{what} is in no usual encoding; name its encoding with --encoding, or save it as UTF-8"
        )
    choices = open_choices(ranked)[:_MOST_NAMED]
    if len(choices) > 1:
        labels = [encoding_label(fit.encoding) for fit in choices]
        options = [f"--encoding {label.lower().replace(' ', '-')}" for label in labels]
        raise Refused(
            f"{what} may be in {', in '.join(labels[:-1])} or in {labels[-1]}, with other letters;"
            f" import it with {', '.join(options[:-1])} or with {options[-1]}, or save it as UTF-8"
        )
    return best.encoding


# --- recoding ---


class _Composer:
    """Composition of letters and the marks after them, which Windows-1258 has apart."""

    def __init__(self) -> None:
        self._held = ""

    def compose(self, text: str, *, final: bool) -> str:
        """Return the composed text but for a last letter, which may have marks in the next one."""
        text = self._held + text
        end = len(text)
        while end and not final:
            end -= 1
            if not unicodedata.combining(text[end]):
                break
        self._held = text[end:]
        return unicodedata.normalize("NFC", text[:end])


class _RecodedStream(io.RawIOBase):
    """UTF-8 bytes of a text in another encoding.

    Undecodable bytes become a byte that is not UTF-8.
    """

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder(encoding)(errors="replace").decode
        self._compose = _Composer().compose if encoding == "cp1258" else None
        self._rest = b""
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        while not self._rest:
            block = self._stream.read(1 << 16)
            text = self._decode(block, final=not block)
            if self._compose:
                text = self._compose(text, final=not block)
            if text and not self._begun:
                text, self._begun = text.removeprefix("\ufeff"), True
            self._rest = text.replace("\ufffd", "\udcff").encode(errors="surrogateescape")
            if not block:
                break
        some = self._rest[: len(buffer)]
        self._rest = self._rest[len(some) :]
        buffer[: len(some)] = some
        return len(some)


def recode_as_utf_8(stream: IO[bytes], encoding: str) -> IO[bytes]:
    """Return the text in UTF-8, without a byte order mark."""
    if encoding != UTF_8:
        return io.BufferedReader(_RecodedStream(stream, encoding), 1 << 16)
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    if buffered.peek(3).startswith(codecs.BOM_UTF8):
        buffered.read(3)
    return buffered
