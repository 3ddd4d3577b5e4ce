"""DuckDB: columns in an order that allows skipping row groups, scanned by all cores.

Contacts are ordered by country and city, so that a query of either reads only its row groups. Multiple values of a row
are in tables of their own, by value, with the column that queries filter as well: two such tables are joined by
hash. Departments are bits of a number.
"""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from bench.engines.engine import Answer, Engine, Search
from bench.extract import ID_MASK, order_key, read_extract
from bench.shapes import PAGE, Shape
from firmograph.directory.vocabulary import DEPARTMENTS

_BIT = {name: 1 << place for place, name in enumerate(DEPARTMENTS)}

_BUILD = """
CREATE TYPE country AS ENUM (SELECT DISTINCT country FROM source WHERE country IS NOT NULL ORDER BY country);
CREATE TABLE contacts AS
    SELECT key, country::country AS country, city, seniority::UTINYINT AS seniority,
        departments::USMALLINT AS departments, size::UTINYINT AS size, industry::UTINYINT AS industry,
        has_phone, has_work_email
    FROM source ORDER BY country, city, key;
CREATE TABLE technologies AS
    SELECT technology, departments::USMALLINT AS departments, key
    FROM (SELECT unnest(technologies) AS technology, departments, key FROM source) ORDER BY technology, key;
CREATE TABLE words AS
    SELECT word, country::country AS country, key
    FROM (SELECT unnest(words) AS word, country, key FROM source) ORDER BY word, country, key;
"""


class DuckDB(Engine):
    name = "DuckDB"

    def build(self, extract: Path) -> None:
        table = read_extract(extract)
        columns = {name: table[name] for name in table.column_names if name != "departments"}
        source = pa.table(columns | {"key": order_key(table), "departments": bits(table["departments"])})
        with duckdb.connect(str(self.folder / "contacts.duckdb")) as connection:
            connection.register("source", source)
            connection.execute(_BUILD)
            connection.execute("CHECKPOINT")

    def open(self) -> None:
        self._connection = duckdb.connect(str(self.folder / "contacts.duckdb"), read_only=True)

    def close(self) -> None:
        self._connection.close()

    def release(self) -> str:
        return duckdb.__version__

    def prepare(self, shape: Shape) -> Search:
        cursor = self._connection
        statement = f"SELECT count(*), min(key, {PAGE}) {_from(shape)}"

        def run() -> Answer:
            total, keys = cursor.execute(statement).fetchone()  # type: ignore[misc]
            return total, [key & ID_MASK for key in keys or ()]

        return run


def _from(shape: Shape) -> str:
    if shape.technologies:
        return _meeting("technologies", "technology", shape.technologies, _department(shape))
    if shape.words:
        return _meeting("words", "word", shape.words, _one_of("country", shape.country))
    conditions = [
        _one_of("country", shape.country),
        _one_of("city", (shape.city,) if shape.city else ()),
        _one_of("seniority", shape.seniority),
        f"seniority <> {shape.not_seniority}" if shape.not_seniority else "",
        _department(shape),
        _one_of("size", shape.size),
        _one_of("industry", shape.industry),
        "has_phone" if shape.phone else "",
        "has_work_email" if shape.work_email else "",
    ]
    return f"FROM contacts WHERE {' AND '.join(filter(None, conditions))}"


def _meeting(table: str, column: str, values: tuple[str, ...], condition: str) -> str:
    first, *others = (
        f"(SELECT key FROM {table} WHERE {column} = '{value}' AND {condition})" for value in values
    )
    return f"FROM {first} " + " ".join(f"SEMI JOIN {other} USING (key)" for other in others)


def _department(shape: Shape) -> str:
    return f"departments & {_BIT[shape.department]} <> 0" if shape.department else ""


def _one_of(column: str, values: tuple[Any, ...]) -> str:
    if not values:
        return ""
    texts = [f"'{value}'" if isinstance(value, str) else str(value) for value in values]
    return f"{column} = {texts[0]}" if len(texts) == 1 else f"{column} IN ({', '.join(texts)})"


def bits(departments: pa.ChunkedArray) -> Any:
    """Return a number for each row: one bit for each of its departments."""
    lists = departments.combine_chunks()
    weights = np.array([_BIT[name] for name in lists.values.to_pylist()], np.int32)
    sums = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
    ends = lists.offsets.to_numpy()
    return (sums[ends[1:]] - sums[ends[:-1]]).astype(np.int32)
