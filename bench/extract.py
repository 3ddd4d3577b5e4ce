"""The rows of all search engines, read once from the records of the loaded database.

See docs/reference/prospecting.md#order-and-pages.

Two processes decode the records, as the service itself would, into two Parquet files: a row for each contact, with the
fields of the seven shapes and of the order of results. The company's fields are repeated on the contact's row, so
that every engine may store them where it likes best.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.workspace import Workspace
from firmograph.directory.company_json import CompanyParts, decode_company
from firmograph.directory.contact_json import ContactParts, decode_contact
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.records import Company, Count
from firmograph.directory.vocabulary import SENIORITIES, SIZE_BANDS
from firmograph.prospecting.indexing.analysis import words
from firmograph.prospecting.indexing.completeness import contact_points

VERSION = 2
"""Increased when the columns or their meaning change."""

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("company_id", pa.int64()),
        ("points", pa.int16()),
        ("day", pa.int32()),
        ("country", pa.string()),
        ("city", pa.string()),
        ("seniority", pa.int8()),
        ("departments", pa.list_(pa.string())),
        ("words", pa.list_(pa.string())),
        ("has_phone", pa.bool_()),
        ("has_work_email", pa.bool_()),
        ("size", pa.int8()),
        ("industry", pa.int16()),
        ("technologies", pa.list_(pa.string())),
    ]
)
"""`day` counts from 1970; `seniority` and `industry` are ids of the API, `size` a position in `SIZE_BANDS`; 0: none."""

_ROWS = 50_000
_SENIORITY = {label: number for number, label in SENIORITIES.items()}
_INDUSTRY = {main.name: main.id for main in MAIN_INDUSTRIES}
_EPOCH = date(1970, 1, 1).toordinal()


class _Employer(NamedTuple):
    size: int
    industry: int
    technologies: list[str]


_NONE = _Employer(0, 0, [])


def path_of(workspace: Workspace) -> Path:
    """Return the folder of the Parquet files."""
    return workspace.folder / f"extract-{VERSION}"


def extract(workspace: Workspace, progress: Callable[[int], object]) -> Path:
    """Make missing files; `progress` gets the number of further contacts."""
    folder = path_of(workspace)
    if (folder / "whole").exists():
        return folder
    folder.mkdir(exist_ok=True)
    connection = sqlite3.connect(workspace.database)
    last = connection.execute("SELECT max(id) FROM contacts").fetchone()[0]
    connection.close()
    parts = [(str(workspace.database), str(folder / "0.parquet"), 0, last // 2)]
    parts.append((str(workspace.database), str(folder / "1.parquet"), last // 2, last))
    with get_context("spawn").Manager() as manager:
        done = manager.Queue()
        with get_context("spawn").Pool(2) as pool:
            running = pool.starmap_async(_part, [(*part, done) for part in parts])
            while not (running.ready() and done.empty()):
                with suppress(Empty):
                    progress(done.get(timeout=0.5))
            running.get()
    (folder / "whole").touch()
    return folder


def read_extract(folder: Path, columns: list[str] | None = None) -> pa.Table:
    return pa.concat_tables(pq.read_table(folder / f"{part}.parquet", columns=columns) for part in (0, 1))


def order_key(table: pa.Table) -> Any:
    """Return one number for each row that sorts as results do: most points, newest day with absent last, lowest id."""
    points = table["points"].to_numpy().astype(np.int64)
    day = table["day"].fill_null(0).to_numpy().astype(np.int64)
    numbers = table["id"].to_numpy()
    if points.min() < 0 or points.max() > 255 or day.max() >= 1 << 16 or numbers.max() >= 1 << 38:
        raise ValueError("A row does not fit its order key")
    return (255 - points) << 54 | ((1 << 16) - 1 - day) << 38 | numbers


ID_MASK = (1 << 38) - 1
"""The id in an order key."""


def _part(database: str, path: str, after: int, last: int, done: Any) -> None:
    connection = sqlite3.connect(database)
    employers = _employers(connection)
    rows = connection.execute(
        "SELECT id, company_id, preview, profile, emails, phones, extras FROM contacts"
        " WHERE id > ? AND id <= ? ORDER BY id",
        (after, last),
    )
    draft = Path(path + ".part")
    with pq.ParquetWriter(draft, SCHEMA) as writer:
        while chunk := list(islice(rows, _ROWS)):
            columns = zip(*(_row(row, employers) for row in chunk), strict=True)
            arrays = [pa.array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA))
            done.put(len(chunk))
    draft.rename(path)


def _employers(connection: sqlite3.Connection) -> dict[int, _Employer]:
    rows = connection.execute(
        "SELECT id, card, preview, profile, premium, extras, partial, tokens FROM companies"
    )
    return {row[0]: _employer(decode_company(CompanyParts(*row[1:]))) for row in rows}


def _employer(record: Company) -> _Employer:
    industry = _INDUSTRY.get(record.industry or "", 0)
    return _Employer(_size(record.employee_count), industry, record.technologies)


def _size(count: Count | None) -> int:
    """Return the size's band of the catalogue, counted from 1; generated records have no other bands."""
    if count is None:
        return 0
    figure = count.exact or count.min or 1
    return next(place for place, (_, high) in enumerate(SIZE_BANDS, 1) if high is None or figure <= high)


def _row(row: tuple[Any, ...], employers: dict[int, _Employer]) -> tuple[Any, ...]:
    record = decode_contact(ContactParts(*row[2:]))
    title, place = record.job_title, record.location
    employer = employers.get(row[1], _NONE)
    return (
        row[0],
        row[1],
        contact_points(record),
        date.fromisoformat(record.update_date).toordinal() - _EPOCH if record.update_date else None,
        place and place.country_iso2,
        place and place.city,
        _SENIORITY.get(title.seniority or "", 0) if title else 0,
        title.departments if title else [],
        list(dict.fromkeys(words(title.title))) if title else [],
        bool(record.phones),
        any(email.type == "work" for email in record.emails),
        employer.size,
        employer.industry,
        employer.technologies,
    )
