"""Reading of files of dated facts, in the formats of records."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from firmograph.ingest.feeds.feed import Feed
from firmograph.ingest.reading.clean_texts import clean_value
from firmograph.ingest.reading.conversion import DroppedValue, convert_row
from firmograph.ingest.reading.field_paths import field_kind
from firmograph.ingest.reading.json_rows import load_json_line
from firmograph.ingest.reading.readers import AUTODETECT, RawRow, ReadOptions, RowFile, open_rows
from firmograph.ingest.reading.row_layout import Layout, MappedColumn
from firmograph.ingest.reading.table_rows import ColumnCheck, accepts
from firmograph.ingest.reading.unknown_keys import find_unknown_keys
from firmograph.ingest.records.preparation import Unusable, reject_reason
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.unread_values import ColumnCounts, unread_by_column
from firmograph.kit.errors import Refused

F = TypeVar("F")

_BATCH_SIZE = 1000


class FactBatch(NamedTuple, Generic[F]):
    """Consecutive facts of one file."""

    facts: list[F]
    rejects: list[Reject]
    bytes_read: int
    values: ColumnCounts


class FileCheck(NamedTuple):
    """The columns and reading of a file, found before its import."""

    unused: list[str]
    """Columns of a table without a field of the feed."""
    options: ReadOptions
    delimiter: str
    """Delimiter of CSV, else empty."""
    other_sheets: list[str]
    """Sheets of a workbook that are not read."""
    list_read: str
    """List in a JSON object that is read."""
    other_lists: list[str]
    """Further lists, which are not read."""


def read_facts(path: Path, feed: Feed[F], reading: ReadOptions = AUTODETECT) -> Iterator[FactBatch[F]]:
    """Yield the facts of a file in batches. Raise Refused when the file is unreadable."""
    with open_rows(path, reading, _fits(path, feed)) as rows:
        reader = _FactReader(rows, feed)
        read = reader.read_fact
        facts: list[F] = []
        rejects: list[Reject] = []
        for raw in rows:
            if raw.is_skipped:
                reader.count_skipped(raw)
                rejects.append(Reject(raw.line, raw.problem, is_lost=False))
                continue
            try:
                facts.append(read(raw))
            except (ValueError, ArithmeticError, RecursionError) as error:
                rejects.append(Reject(raw.line, reject_reason(error)))
            if len(facts) + len(rejects) == _BATCH_SIZE:
                yield FactBatch(facts, rejects, rows.bytes_read(), reader.take_counts())
                facts, rejects = [], []
        yield FactBatch(facts, rejects, rows.bytes_read(), reader.take_counts())


def check_file(path: Path, feed: Feed[Any], reading: ReadOptions = AUTODETECT) -> FileCheck:
    """Return how a file is read. Raise Refused when it cannot be imported."""
    with open_rows(path, reading, _fits(path, feed)) as rows:
        layout = _FactReader(rows, feed).layout
    used = {column.position for column in layout.columns} if layout else set()
    header = layout.header if layout else ()
    unused = [name for index, name in enumerate(header) if index not in used]
    return FileCheck(
        unused, rows.options, rows.delimiter, rows.other_sheets, rows.list_read, rows.other_lists
    )


def _fits(path: Path, feed: Feed[Any]) -> ColumnCheck:
    return accepts(lambda header: _layout(path, header, feed))


class _FactReader(Generic[F]):
    def __init__(self, rows: RowFile, feed: Feed[F]) -> None:
        self._feed = feed
        self.layout = None if rows.columns is None else _layout(rows.path, rows.columns, feed)
        self._values = ColumnCounts()
        if rows.repaired_header:
            self._values.add_repaired(rows.repaired_header)

    def take_counts(self) -> ColumnCounts:
        """Return the values by column since the last call, with cells that are not text counted as unread."""
        values, self._values = self._values, ColumnCounts()
        if self.layout:
            values.add_given(self.layout.take_filled())
            values.add_unknown(self.layout.take_unknown())
        return values

    def count_skipped(self, raw: RawRow) -> None:
        self._values.add_skipped(raw.line)

    def read_fact(self, raw: RawRow) -> F:
        if raw.is_repaired:
            self._values.add_repaired(raw.line)
        if raw.problem:
            raise Unusable(raw.problem)
        if isinstance(raw.value, bytes):
            value = clean_value(load_json_line(raw.value))
            self._values.add_unknown(dict.fromkeys(find_unknown_keys(self._feed.row, value), 1))
        else:
            assert self.layout is not None
            assert raw.value is not None
            value = self.layout.build_record(raw.value)
        dropped: list[DroppedValue] = []
        try:
            row, dropped = convert_row(value, self._feed.row)
        finally:
            if dropped or (self.layout and self.layout.unreadable):
                cells = raw.value if isinstance(raw.value, list) else []
                unread = [(one.path(), one.value) for one in dropped]
                self._values.add_unread(unread_by_column(self.layout, cells, unread), raw.line)
        try:
            return self._feed.read_fact(raw.line, row)
        except ValueError:
            if dropped:
                raise dropped[0].error from None
            raise


def _layout(path: Path, header: Sequence[str], feed: Feed[Any]) -> Layout:
    columns = _qualify_whole_columns(
        [
            MappedColumn(index, found)
            for index, name in enumerate(header)
            if (found := _field(name, feed)) is not None
        ]
    )
    roots = {column.path.partition(".")[0] for column in columns}
    missing = [name for name in feed.needs if name not in roots]
    if missing:
        names = ", ".join(header[:50]) or "none"
        raise Refused(
            f"{path} has no column {missing[0]!r}, which an import of {feed.kind} needs; it has: {names}. "
            f"Name its columns {', '.join(feed.needs)}"
        )
    return Layout(header, columns, {}, "", feed.row)


def _qualify_whole_columns(columns: list[MappedColumn]) -> list[MappedColumn]:
    """Rename a column such as `company` next to `company.domain` to its name, so that it does not hide the others."""
    whole = {column.path.partition(".")[0] for column in columns if "." in column.path}
    return [
        column._replace(path=f"{column.path}.name") if column.path in whole else column for column in columns
    ]


def _field(name: str, feed: Feed[Any]) -> str | None:
    """Return the field of a column by name, ignoring case and separators."""
    if field_kind(feed.row, name) is not None:
        return name
    plain = re.sub(r"[^\w]|_", "", name.casefold())
    fields = {field.encode_name.casefold(): field.encode_name for field in msgspec.structs.fields(feed.row)}
    return fields.get(plain) or feed.aliases.get(plain)
