"""SQLite: b-trees that end in the order key, so that each combination of values is one ordered range.

A query with alternatives is a union of such ranges: their counts are added, and the first of each make the first page.
Two technologies, or two words, are intersected in a full-text index whose row number is the order key and whose
tokens are pairs of a word and its country: its lists are merged in C, which takes a seventh of the time of probing one
b-tree for each row of another. These indexes answer the seven queries and little else.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from bench.engines.columns import columns, meeting, ranges
from bench.engines.engine import Answer, Engine, Search
from bench.extract import ID_MASK
from bench.shapes import PAGE, Shape

_PRAGMAS = """
PRAGMA page_size = 8192;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -500000;
PRAGMA mmap_size = 68719476736;
PRAGMA temp_store = MEMORY;
"""
_TABLES = """
CREATE TABLE codes (field TEXT, value TEXT, code INTEGER, PRIMARY KEY (field, value)) WITHOUT ROWID;
CREATE TABLE contacts (
    key INTEGER PRIMARY KEY, country INTEGER, city INTEGER, seniority INTEGER, size INTEGER, industry INTEGER,
    phone INTEGER, email INTEGER
);
CREATE TABLE by_department (
    department INTEGER, country INTEGER, seniority INTEGER, key INTEGER,
    PRIMARY KEY (department, country, seniority, key)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE pairs USING fts5(tokens, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
"""
_INDEXES = """
INSERT INTO pairs (pairs) VALUES ('optimize');
CREATE INDEX by_size ON contacts (seniority, country, industry, size);
CREATE INDEX by_city ON contacts (city, industry);
CREATE INDEX by_phone ON contacts (country, seniority) WHERE phone = 1;
CREATE INDEX by_email ON contacts (country) WHERE email = 1;
ANALYZE;
"""


class SQLite(Engine):
    name = "SQLite"

    def build(self, extract: Path) -> None:
        loaded = columns(extract)
        connection = sqlite3.connect(self.folder / "contacts.db", isolation_level=None)
        connection.executescript(_PRAGMAS + _TABLES)
        connection.execute("BEGIN")
        codes = ((field, value, code) for (field, value), code in loaded.codes.items())
        connection.executemany("INSERT INTO codes VALUES (?, ?, ?)", codes)
        for name, table in (("contacts", loaded.contacts), ("by_department", loaded.by_department)):
            marks = ", ".join("?" * len(table))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", _rows(table.values()))
        tokens = _tokens(loaded.by_technology, loaded.by_word)
        connection.executemany("INSERT INTO pairs (rowid, tokens) VALUES (?, ?)", tokens)
        connection.execute("COMMIT")
        connection.executescript(_INDEXES)
        connection.close()

    def open(self) -> None:
        self._connection = sqlite3.connect(self.folder / "contacts.db", isolation_level=None)
        self._connection.executescript(_PRAGMAS)
        codes = self._connection.execute("SELECT field, value, code FROM codes")
        self._codes = {(field, value): code for field, value, code in codes}

    def close(self) -> None:
        self._connection.close()

    def release(self) -> str:
        return sqlite3.sqlite_version

    def prepare(self, shape: Shape) -> Search:
        tokens = self._full_text_query(shape)
        found = [f"pairs WHERE pairs MATCH '{tokens}'"] if tokens else list(ranges(shape, self._codes))
        key = "rowid" if tokens else "key"
        count = "SELECT " + " + ".join(f"(SELECT count(*) FROM {one})" for one in found)
        pages = (f"SELECT * FROM (SELECT {key} AS k FROM {one} ORDER BY k LIMIT {PAGE})" for one in found)
        page = f"SELECT k FROM ({' UNION ALL '.join(pages)}) ORDER BY k LIMIT {PAGE}"
        execute = self._connection.execute

        def run() -> Answer:
            return execute(count).fetchone()[0], [key & ID_MASK for (key,) in execute(page)]

        return run

    def _full_text_query(self, shape: Shape) -> str:
        """Return the full-text query of a shape with technologies or words."""
        pair = meeting(shape, self._codes)
        if pair is None:
            return ""
        return " AND ".join(f"{pair.field[0]}{value}x{pair.paired_value}" for value in pair.values)


def _rows(arrays_of_table: Iterable[Any]) -> Iterator[tuple[int, ...]]:
    arrays = list(arrays_of_table)
    for start in range(0, len(arrays[0]), 100_000):
        yield from zip(*(array[start : start + 100_000].tolist() for array in arrays), strict=True)


def _tokens(by_technology: dict[str, Any], by_word: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield ascending order keys with the tokens of their rows."""
    kinds = [
        ("t", by_technology["technology"], by_technology["department"], by_technology["key"]),
        ("w", by_word["word"], by_word["country"], by_word["key"]),
    ]
    keys = np.concatenate([key for _, _, _, key in kinds])
    kind = np.concatenate([np.full(len(key), place, np.int8) for place, (_, _, _, key) in enumerate(kinds)])
    values = np.concatenate([value for _, value, _, _ in kinds])
    paired = np.concatenate([other for _, _, other, _ in kinds])
    order = np.argsort(keys, kind="stable")
    rows = _rows([column[order] for column in (keys, kind, values, paired)])
    for key, group in groupby(rows, key=itemgetter(0)):
        yield key, " ".join(f"{'tw'[kind]}{value}x{other}" for _, kind, value, other in group if other >= 0)
