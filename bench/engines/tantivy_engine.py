"""tantivy: an inverted index in Rust, in one segment, ordered by a fast field.

Documents are added in the order of results, so that their order keys are read in sequence. Each filter value is a
required term; alternatives are in one should-clause.
"""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from tantivy import Occur, Order, Query

from bench.engines.engine import Answer, Engine, Search
from bench.extract import ID_MASK, order_key, read_extract
from bench.shapes import PAGE, Shape

_TERMS = ("country", "city", "seniority", "department", "size", "industry", "technology", "word", "has")
_MEMORY = 1 << 30


class Tantivy(Engine):
    name = "tantivy"

    def build(self, extract: Path) -> None:
        table = read_extract(extract)
        keys = order_key(table)
        order = np.argsort(keys)
        schema = _schema()
        index = tantivy.Index(schema, path=str(self.folder))
        # one thread, so that documents keep their order
        writer = index.writer(_MEMORY, 1)
        for start in range(0, len(order), 50_000):
            places = order[start : start + 50_000]
            for key, row in zip(keys[places].tolist(), table.take(places).to_pylist(), strict=True):
                writer.add_document(_document(key, row))
        writer.commit()
        writer.wait_merging_threads()
        self._merge(index)

    def _merge(self, index: Any) -> None:
        """Merge into one segment."""
        # the binding has no call for it; a fresh writer merges by its policy when it commits
        for _ in range(5):
            index.reload()
            if index.searcher().num_segments <= 1:
                return
            writer = index.writer(_MEMORY, 1)
            writer.commit()
            writer.wait_merging_threads()

    def open(self) -> None:
        self._schema = _schema()
        self._index = tantivy.Index.open(str(self.folder))
        self._index.reload()
        self._searcher = self._index.searcher()

    def close(self) -> None:
        del self._searcher, self._index

    def release(self) -> str:
        return version("tantivy")

    def prepare(self, shape: Shape) -> Search:
        query = self._query(shape)
        search = self._searcher.search

        def run() -> Answer:
            found: Any = search(query, PAGE, count=True, order_by_field="key", order=Order.Asc)
            return found.count, [key & ID_MASK for key, _ in found.hits]

        return run

    def _query(self, shape: Shape) -> Any:
        clauses = [
            (Occur.Must, self._any("country", shape.country)),
            (Occur.Must, self._any("city", (shape.city,))),
            (Occur.Must, self._any("seniority", map(str, shape.seniority))),
            (Occur.Must, self._any("department", (shape.department,))),
            (Occur.Must, self._any("size", map(str, shape.size))),
            (Occur.Must, self._any("industry", map(str, shape.industry))),
            *((Occur.Must, self._any("technology", (one,))) for one in shape.technologies),
            *((Occur.Must, self._any("word", (one,))) for one in shape.words),
            (Occur.Must, self._any("has", ("phone",) if shape.phone else ())),
            (Occur.Must, self._any("has", ("email",) if shape.work_email else ())),
        ]
        if shape.not_seniority:
            clauses.append((Occur.MustNot, self._any("seniority", (str(shape.not_seniority),))))
        return Query.boolean_query([(occur, query) for occur, query in clauses if query is not None])

    def _any(self, field: str, values: Any) -> Any:
        terms = [Query.term_query(self._schema, field, value, "basic") for value in values if value]
        if len(terms) < 2:
            return terms[0] if terms else None
        return Query.boolean_query([(Occur.Should, term) for term in terms])


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("key", fast=True)
    for name in _TERMS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _document(key: int, row: dict[str, Any]) -> Any:
    document = tantivy.Document()
    document.add_unsigned("key", key)
    for name in ("country", "city", "seniority", "size", "industry"):
        if row[name]:
            document.add_text(name, str(row[name]))
    for name, values in (("department", row["departments"]), ("technology", row["technologies"])):
        for value in values:
            document.add_text(name, value)
    for value in row["words"]:
        document.add_text("word", value)
    if row["has_phone"]:
        document.add_text("has", "phone")
    if row["has_work_email"]:
        document.add_text("has", "email")
    return document
