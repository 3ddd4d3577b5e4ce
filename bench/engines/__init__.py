"""Other engines over the same rows, each with the indexes that suit it: what `make bench` compares with.

Each keeps the order key of a row (`bench.extract.order_key`) as what its results are ordered by: one number that can be
computed from a record alone, so that no engine is favoured by an order that only a rebuild could give it.
"""

from bench.engines.duckdb_engine import DuckDB
from bench.engines.engine import Engine
from bench.engines.postgresql import PostgreSQL
from bench.engines.sqlite_engine import SQLite
from bench.engines.tantivy_engine import Tantivy

ENGINES: tuple[type[Engine], ...] = (Tantivy, DuckDB, SQLite, PostgreSQL)
