"""Detection of a text file's encoding, and recoding as UTF-8.

If a file is not valid UTF-8, a sample decides: the encoding wins whose letters make the most words fit some language.
General detectors need more text than names have; they take French names in Windows-1252 for Windows-1250.
"""

import codecs
import io
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import IO

from firmograph.kit.errors import Refused

UTF_8 = "utf-8"
_BLOCK = 1 << 20
_SAMPLE_BYTES = 256 << 10
_MAX_SAMPLED_LINE = 10_000
"""Bytes of one line in the sample."""
_CANDIDATES = ["cp1252", "mac_roman", "cp1250"]
"""The commoner ones first; they win a tie."""
_NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-16": "UTF-16"}
_NAMES |= {"cp1252": "Windows-1252", "cp1250": "Windows-1250", "mac-roman": "Mac Roman"}
_MIN_WORDS = 10
_MIN_SHARE = 0.5

OpenBytes = Callable[[], AbstractContextManager[IO[bytes]]]
"""A function that opens the unpacked bytes of a file at their beginning."""


def encoding_label(encoding: str) -> str:
    """Return the usual name of an encoding."""
    return _NAMES.get(encoding, encoding)


def resolve_encoding(given: str) -> str:
    """Return Python's name of an encoding. Raises Refused for an unknown one."""
    plain = re.sub(r"[\s_-]+", "-", given.strip().casefold())
    plain = {
        "macroman": "mac-roman",
        "windows-latin-1": "cp1252",
        "ansi": "cp1252",
        "utf-8-sig": "utf-8",
    }.get(plain, plain)
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
        sample = _read_sample(stream)
    utf_8 = sum(map(_is_valid_utf_8, sample))
    if 2 * utf_8 >= len(sample):
        # UTF-8 with damaged lines, whose cells count as unread
        return UTF_8
    return _likeliest_encoding(sample, what)


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


def _is_valid_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read_sample(stream: IO[bytes]) -> list[bytes]:
    """Return the first lines that are not ASCII."""
    found: list[bytes] = []
    size = 0
    while size < _SAMPLE_BYTES and (line := stream.readline(_MAX_SAMPLED_LINE)):
        if not line.isascii():
            found.append(line)
            size += len(line)
    return found


# --- encodings of one byte per letter ---

_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_SURROUNDING_SIGNS = "‘’‚“”„–—…™®©°·•\xa0«»‹›€£¿¡ªº†‡§"
"""Signs around words, never inside them."""
_SEPARATORS = re.compile("[’–—\xa0]")


_ONE_LANGUAGE_WEIGHT = 0.25
"""Weight of the best single language; all languages together fit almost any word."""


def _likeliest_encoding(sample: Iterable[bytes], what: str) -> str:
    words = {word for line in sample for word in _WORD.findall(line)}
    shares = {one: _explained_shares(words, one) for one in _CANDIDATES}
    best = max(_CANDIDATES, key=lambda one: shares[one][0] + _ONE_LANGUAGE_WEIGHT * shares[one][1])
    if len(words) >= _MIN_WORDS and shares[best][0] < _MIN_SHARE:
        names = ", ".join(map(encoding_label, [UTF_8, *_CANDIDATES]))
        raise Refused(f"{what} is in none of {names}; name its encoding with --encoding, or save it as UTF-8")
    return best


def _explained_shares(words: Collection[bytes], encoding: str) -> tuple[float, float]:
    """Return the share of words that fit any language, and the share that fits the best one."""
    total = 0.0
    by_language = [0] * len(_language_letters())
    for word in words:
        letters = _non_ascii_letters(word, encoding)
        found = [
            position for position, known in enumerate(_language_letters()) if letters and letters <= known
        ]
        for position in found:
            by_language[position] += 1
        # signs alone, such as quotation marks and dashes, are weak evidence
        total += bool(found) if letters else letters is not None and 0.5
    return total / max(len(words), 1), max(by_language) / max(len(words), 1)


def _non_ascii_letters(word: bytes, encoding: str) -> set[str] | None:
    """Return the letters of a word that are not ASCII; None if no language has such a word."""
    try:
        text = word.decode(encoding).strip(_SURROUNDING_SIGNS)
    except UnicodeDecodeError:
        return None
    parts = [part for part in _SEPARATORS.split(text) if not part.isascii()]
    if not all(part.isalpha() and _has_usual_case(part) for part in parts):
        return None
    return {sign for part in parts for sign in part.lower() if not sign.isascii()}


def _has_usual_case(text: str) -> bool:
    """Return whether the capitals beyond ASCII are where words have them."""
    return text.isupper() or not any(
        second.isupper() and not (second.isascii() and (first.isascii() or first.isupper()))
        for first, second in pairwise(text)
    )


@cache
def _language_letters() -> list[frozenset[str]]:
    """Return the non-ASCII letters of each language."""
    table = (files(__package__) / "data" / "letters.tsv").read_text("utf-8")
    lines = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return [frozenset(letters) for _, letters in lines]


# --- recoding ---


class _RecodedStream(io.RawIOBase):
    """UTF-8 bytes of a text in another encoding.

    Undecodable bytes become a byte that is not UTF-8.
    """

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder(encoding)(errors="replace").decode
        self._rest = b""
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        while not self._rest:
            block = self._stream.read(1 << 16)
            text = self._decode(block, final=not block)
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
