"""PostgreSQL, from its packages: a server of the bench on the loopback interface, ended with it.

The same b-trees as SQLite's, read without the table (the rows are vacuumed, so all pages are known to be visible), by
two workers where that pays. Two technologies, or two words, are intersected by merging two ranges.
"""

import io
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.csv

from bench.engines.columns import Meeting, columns, meeting, merged, ranges
from bench.engines.engine import Answer, Engine, Search
from bench.extract import ID_MASK
from bench.servers import free_port
from bench.shapes import PAGE, Shape

_USER = "postgres"
"""User of the server when the bench runs as root, which PostgreSQL refuses."""
_SETTINGS = {
    "shared_buffers": "4GB",
    "work_mem": "256MB",
    "maintenance_work_mem": "1GB",
    "effective_cache_size": "16GB",
    "random_page_cost": "1.0",
    "max_parallel_workers_per_gather": "2",
    "jit": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "8GB",
    "autovacuum": "off",
    "unix_socket_directories": "''",
}
_TABLES = """
CREATE TABLE codes (field text, value text, code integer);
CREATE TABLE contacts (
    key bigint, country smallint, city integer, seniority smallint, size smallint, industry smallint,
    phone smallint, email smallint
);
CREATE TABLE by_department (department smallint, country smallint, seniority smallint, key bigint);
CREATE TABLE by_technology (technology integer, department smallint, key bigint);
CREATE TABLE by_word (word integer, country smallint, key bigint);
"""
_INDEXES = (
    "CREATE INDEX ON by_department (department, country, seniority, key)",
    "CREATE INDEX ON by_technology (technology, department, key)",
    "CREATE INDEX ON by_word (word, country, key)",
    "CREATE INDEX ON contacts (seniority, country, industry, size, key)",
    "CREATE INDEX ON contacts (city, industry, key)",
    "CREATE INDEX ON contacts (country, seniority, key) WHERE phone = 1",
    "CREATE INDEX ON contacts (country, key) WHERE email = 1",
    "VACUUM (FREEZE, ANALYZE)",
    "CHECKPOINT",
)


class PostgreSQL(Engine):
    name = "PostgreSQL"

    def build(self, extract: Path) -> None:
        data = self.folder / "data"
        data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(data, _USER, _USER)
        _run("initdb", "-D", str(data), "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C")
        loaded = columns(extract)
        fields, values = zip(*loaded.codes, strict=True)
        tables = {
            "codes": {"field": list(fields), "value": list(values), "code": list(loaded.codes.values())}
        }
        tables |= {name: getattr(loaded, name) for name in loaded._fields if name != "codes"}
        self.open()
        self._connection.execute(_TABLES)
        for name, table in tables.items():
            _copy(self._connection, name, table)
        for statement in _INDEXES:
            self._connection.execute(statement)
        self.close()

    def open(self) -> None:
        port = free_port()
        options = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
        options += f" -c port={port} -c listen_addresses=127.0.0.1"
        data = str(self.folder / "data")
        _run("pg_ctl", "start", "-w", "-s", "-t", "120", "-D", data, "-l", f"{data}/log", "-o", options)
        self._connection: Any = psycopg.connect(
            f"host=127.0.0.1 port={port} user=bench dbname=postgres", autocommit=True, prepare_threshold=None
        )
        try:
            codes = self._connection.execute("SELECT field, value, code FROM codes").fetchall()
        except psycopg.errors.UndefinedTable:
            codes = []
        self._codes = {(field, value): code for field, value, code in codes}

    def close(self) -> None:
        self._connection.close()
        _run("pg_ctl", "stop", "-s", "-m", "fast", "-D", str(self.folder / "data"))

    def release(self) -> str:
        return str(self._connection.execute("SHOW server_version").fetchone()[0]).split()[0]

    def prepare(self, shape: Shape) -> Search:
        pair = meeting(shape, self._codes)
        statement = self._intersection(pair) if pair else self._united(shape)
        cursor: Any = self._connection.cursor(binary=True)

        def run() -> Answer:
            total, keys = cursor.execute(statement, prepare=True).fetchone()
            return total, [key & ID_MASK for key in keys]

        return run

    def _united(self, shape: Shape) -> str:
        # one index scan covers alternatives in several of its columns, faster than 18 ranges
        found = [merged(shape, self._codes)] if shape.size else list(ranges(shape, self._codes))
        count = " + ".join(f"(SELECT count(*) FROM {one})" for one in found)
        pages = (f"(SELECT a.key FROM {one} ORDER BY a.key LIMIT {PAGE})" for one in found)
        page = f"SELECT key FROM ({' UNION ALL '.join(pages)}) a ORDER BY key LIMIT {PAGE}"
        return f"SELECT {count}, ARRAY({page})"

    def _intersection(self, pair: Meeting) -> str:
        where = f"{pair.paired_field} = {pair.paired_value} AND {pair.field}"
        each = (f"(SELECT key FROM by_{pair.field} WHERE {where} = {value})" for value in pair.values)
        joined = " JOIN ".join(f"{one} {name}" for one, name in zip(each, "ab", strict=True))
        found = f"FROM {joined} USING (key)"
        return f"SELECT (SELECT count(*) {found}), ARRAY(SELECT key {found} ORDER BY key LIMIT {PAGE})"


def _copy(connection: Any, name: str, table: dict[str, Any]) -> None:
    rows = pa.table(table)
    with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)") as copy:
        for text in _csv(rows):
            copy.write(text)


def _csv(rows: pa.Table) -> Iterator[bytes]:
    options = pa.csv.WriteOptions(include_header=False)
    for batch in rows.to_batches(max_chunksize=500_000):
        out = io.BytesIO()
        pa.csv.write_csv(batch, out, options)
        yield out.getvalue()


def _run(program: str, *arguments: str) -> None:
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = {"user": _USER, "group": _USER, "extra_groups": []}
    # a file, as a pipe would stay open as long as the server started by pg_ctl
    with TemporaryFile() as output:
        done = subprocess.run(
            [str(_binaries() / program), *arguments],
            cwd="/",
            check=False,
            stdout=output,
            stderr=output,
            **user,
        )
        output.seek(0)
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {output.read().decode()[-2000:]}")


def _binaries() -> Path:
    """Return the folder of the newest installed server. Raises if there is none."""
    found: Sequence[Path] = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if found:
        return found[-1].parent
    installed = shutil.which("postgres")
    if installed is None:
        raise FileNotFoundError("PostgreSQL is not installed: its package is called postgresql")
    return Path(installed).parent
