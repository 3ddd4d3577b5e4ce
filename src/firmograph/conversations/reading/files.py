"""Files of conversations: which form each has, one conversation after another, and their metadata."""

import gzip
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import msgspec

from firmograph.conversations.reading.building import SpokenText, build_transcript
from firmograph.conversations.reading.captions import is_captions, read_captions
from firmograph.conversations.reading.metadata import Metadata, TranscriptError, read_metadata
from firmograph.conversations.reading.name_prefixes import split_prefixes
from firmograph.conversations.reading.recorders import read_recording
from firmograph.conversations.transcript import Transcript
from firmograph.ingest.reading.encodings import detect_encoding
from firmograph.kit.errors import Refused

MOST_BYTES: Final = 8 << 20
"""Bytes of one conversation in its file."""
_TOO_LARGE: Final = "it is larger than 8 MiB"
_GZIP: Final = b"\x1f\x8b"
_decode = msgspec.json.decode

_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DIGITS: Final = re.compile(r"(?<![\w.])\+?\(?\d(?:[\s().-]{0,2}\d){6,18}(?!\w)")
_CARD: Final = range(13, 20)
_PHONE: Final = range(7, 16)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}")


class FoundConversation(NamedTuple):
    """Conversation of a file."""

    line: int
    """Line at which it begins, from 1."""
    source_id: str
    transcript: Transcript


class UnusableConversation(NamedTuple):
    """Conversation of a file that cannot be imported, with the reason."""

    line: int
    reason: str
    source_id: str = ""


class ReadingOptions(NamedTuple):
    """Options of the command."""

    metadata: Metadata = Metadata()
    """Replaces what the files state."""
    redacts: bool = False
    encoding: str = ""
    """Of captions; detected if empty."""


def read_file(path: Path, options: ReadingOptions) -> Iterator[FoundConversation | UnusableConversation]:
    """Yield the conversations of a file. Raises Refused if the file cannot be read."""
    given = options.metadata.over(_read_sidecar(path))
    try:
        with _open(path) as file:
            yield from _read(path, file, given, options)
    except (OSError, EOFError) as error:
        raise Refused(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is damaged'}"
        ) from None


def _open(path: Path) -> IO[bytes]:
    file = path.open("rb")
    if file.peek(2)[:2] != _GZIP:
        return file
    return io.BufferedReader(gzip.GzipFile(fileobj=file))


def _read(
    path: Path, file: IO[bytes], given: Metadata, options: ReadingOptions
) -> Iterator[FoundConversation | UnusableConversation]:
    first = file.readline(MOST_BYTES + 1)
    lone = _as_object(first)
    if lone is None:
        yield _read_whole(path, first + file.read(MOST_BYTES + 1), given, options)
        return
    second = _next_line(file)
    if second is None:
        yield _read_object(lone, given, options, 1, path.name)
        return
    if given != Metadata():
        raise Refused(
            f"{path} holds several conversations; --title, --started-at and other metadata are for a file of one"
        )
    yield _read_object(lone, given, options, 1, "")
    line, number = second, 2
    while line:
        if len(line) > MOST_BYTES:
            yield UnusableConversation(number, _TOO_LARGE)
            while line and not line.endswith(b"\n"):
                line = file.readline(MOST_BYTES + 1)
        elif line.strip():
            content = _as_object(line)
            if content is None:
                yield UnusableConversation(number, "the line is no JSON object")
            else:
                yield _read_object(content, given, options, number, "")
        number += 1
        line = file.readline(MOST_BYTES + 1)


def _next_line(file: IO[bytes]) -> bytes | None:
    """Return the next line that is not blank; None at the end."""
    while line := file.readline(MOST_BYTES + 1):
        if line.strip():
            return line
    return None


def _as_object(line: bytes) -> dict[str, Any] | None:
    try:
        content = _decode(line.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return content if isinstance(content, dict) else None


def _read_whole(
    path: Path, content: bytes, given: Metadata, options: ReadingOptions
) -> FoundConversation | UnusableConversation:
    """Read a file that holds one conversation."""
    if len(content) > MOST_BYTES:
        return UnusableConversation(1, _TOO_LARGE)
    whole = _as_object(content)
    if whole is not None:
        return _read_object(whole, given, options, 1, path.name)
    try:
        text = _decode_text(path, content, options.encoding)
        if not is_captions(text[:4_096]):
            raise TranscriptError("it is no transcript: neither JSON nor WebVTT nor SRT")
        return _build(given, read_captions(text), options, 1, path.name)
    except TranscriptError as error:
        return UnusableConversation(1, str(error))


def _decode_text(path: Path, content: bytes, encoding: str) -> str:
    """Return the text of captions. Raises TranscriptError if its encoding is not known."""
    try:
        name = encoding or detect_encoding(lambda: io.BytesIO(content), path.name)
        text = content.decode(name)
    except (Refused, UnicodeDecodeError):
        raise TranscriptError(
            "its encoding is not clear; save it as UTF-8, or name it with --encoding"
        ) from None
    return text.removeprefix("\ufeff").replace("\0", "").lstrip("\r\n\t ")


def _read_object(
    content: dict[str, Any], given: Metadata, options: ReadingOptions, line: int, name: str
) -> FoundConversation | UnusableConversation:
    try:
        stated, spoken = read_recording(content)
        if spoken and not any(one.speaker for one in spoken):
            spoken = split_prefixes(spoken)
        return _build(given.over(stated), spoken, options, line, name)
    except TranscriptError as error:
        source_id = content.get("sourceId")
        return UnusableConversation(line, str(error), source_id if isinstance(source_id, str) else "")


def _build(
    metadata: Metadata, spoken: list[SpokenText], options: ReadingOptions, line: int, name: str
) -> FoundConversation:
    source_id = metadata.source_id or name
    if not source_id:
        raise TranscriptError("it has no sourceId, which a file of several conversations needs")
    metadata = metadata._replace(title=metadata.title or Path(source_id).stem)
    if options.redacts:
        spoken = [redact(one) for one in spoken]
        metadata = metadata._replace(title=redact(SpokenText("", metadata.title)).text)
    return FoundConversation(line, source_id, build_transcript(metadata, spoken))


def _read_sidecar(path: Path) -> Metadata:
    """Return the metadata of `FILE.meta.json`, if there is one. Raises Refused if it is invalid."""
    sidecar = path.with_name(f"{path.name}.meta.json")
    if not sidecar.exists():
        return Metadata()
    content = _as_object(sidecar.read_bytes())
    if content is None:
        raise Refused(f"{sidecar} is no JSON object")
    try:
        return read_metadata(content)
    except TranscriptError as error:
        raise Refused(f"{sidecar}: {error}") from None


# --- redaction ---


def redact(one: SpokenText) -> SpokenText:
    """Return a segment with `[card]`, `[email]` and `[phone]` for such values."""
    text = _EMAIL.sub("[email]", one.text) if "@" in one.text else one.text
    return one._replace(text=_DIGITS.sub(_mask, text))


def _mask(found: re.Match[str]) -> str:
    digits = "".join(filter(str.isdigit, found[0]))
    if len(digits) in _CARD and _passes_checksum(digits):
        return "[card]"
    is_phone = len(digits) in _PHONE and not _DATE.fullmatch(found[0])
    return "[phone]" if is_phone and (len(digits) > 8 or not found[0].isdigit()) else found[0]


def _passes_checksum(digits: str) -> bool:
    """Return whether the Luhn sum of a card number fits."""
    doubled = (int(digit) * (2 if index % 2 else 1) for index, digit in enumerate(reversed(digits)))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0
