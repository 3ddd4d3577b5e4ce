"""Other engines over the same rows, each with suitable indexes, for comparison in `make bench`.

Each uses the order key of a row (`bench.extract.order_key`) to order its results: one number that can be
computed from a record alone, so that no engine is favoured by an order that needs a rebuild.
"""

from bench.engines.duckdb_engine import DuckDB
from bench.engines.engine import Engine
from bench.engines.postgresql import PostgreSQL
from bench.engines.sqlite_engine import SQLite
from bench.engines.tantivy_engine import Tantivy

ENGINES: tuple[type[Engine], ...] = (Tantivy, DuckDB, SQLite, PostgreSQL)
