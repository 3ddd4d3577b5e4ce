"""Files of page views, recognised by content, plain or packed (docs/reference/visit-tracking.md#import)."""

import io
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from firmograph.ingest.reading.compression import PACKING_ERRORS, describe_damage, unpack
from firmograph.ingest.reading.lines import Lines
from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.kit.errors import Refused
from firmograph.visits.reading.access_log import AccessLog, fits, is_common
from firmograph.visits.reading.json_lines import PageViewLines
from firmograph.visits.reading.page_rule import Found, LineCounts

_SAMPLE: Final = 200
"""Lines of which one has to be of a known form."""


class _Reader(Protocol):
    def read(self, lines: Lines) -> Iterator[Found]: ...


class VisitFile:
    """An open file of page views."""

    def __init__(self, path: Path, raw: io.BufferedReader) -> None:
        self._path = path
        self._raw = raw
        self.lines = Lines(unpack(raw, path).stream)

    def read(self, reader: _Reader) -> Iterator[Found]:
        """Yield what a reader finds. Raises Refused where packed data are broken."""
        try:
            yield from reader.read(self.lines)
        except PACKING_ERRORS as error:
            raise Refused(
                f"{self._path} cannot be read after line {self.lines.number:,}: {describe_damage(error)}; page views"
                " up to there are kept"
            ) from None

    def bytes_read(self) -> int:
        return self._raw.tell()


MakeReader = Callable[[str, float, LineCounts, ColumnCounts], _Reader]
"""Function that returns a reader for a domain and the time after which lines lie in the future."""


@contextmanager
def open_visits(path: Path) -> Iterator[VisitFile]:
    """Open a file. Raises Refused if it cannot be read."""
    try:
        raw = path.open("rb")
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None
    with raw:
        try:
            file = VisitFile(path, raw)
        except PACKING_ERRORS as error:
            raise Refused(f"{path} cannot be read: {describe_damage(error)}") from None
        yield file


def recognise(path: Path) -> MakeReader:
    """Return how to read a file, by its first lines. Raises Refused for one of another form."""
    with open_visits(path) as file:
        try:
            sample = [line for line, _ in zip(file.lines, range(_SAMPLE), strict=False) if line.strip()]
        except PACKING_ERRORS as error:
            raise Refused(f"{path} cannot be read: {describe_damage(error)}") from None
    if not sample:
        raise Refused(f"{path} is empty")
    if sample[0].removeprefix(BOM_UTF8).lstrip().startswith(b"{"):
        return PageViewLines
    if any(map(fits, sample)):
        return lambda domain, latest, counts, values: AccessLog(domain, latest, counts)
    if any(map(is_common, sample)):
        raise Refused(
            f"{path} is an access log in common format, which names no user agents, so that bots cannot be recognised;"
            " write it in combined format"
        )
    raise Refused(
        f"{path} is neither an access log in combined format nor JSON Lines of page views, such as"
        ' {"time": "2026-03-31T14:00:00Z", "url": "https://acme.com/pricing", "ip": "198.51.100.7"}'
    )
