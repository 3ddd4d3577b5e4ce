"""Numbers and other types where texts are expected. All people and companies are made up."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from firmograph.security.record_ids import Entity
from prepared_files import PreparedFile, prepare

pytestmark = pytest.mark.no_database

CASES = Path(__file__).parents[1] / "cases"


def test_numbers_are_names_of_employers_in_a_workbook():
    rows, rejects, counts = prepare(CASES / "numeric_company.xlsx")
    names = [row.get("company", {}).get("name") for row in rows]
    assert names == ["4711", "360", None, "2021-03-01"]
    assert rows[0]["company"]["domain"] == "c4711.example"
    # the last person has nothing but a number with a fraction
    assert [reject.line for reject in rejects] == [6]
    assert counts.unread["Company"].lines == [4, 6]


def test_numbers_are_names_of_companies_in_a_workbook():
    rows, rejects, _ = prepare(CASES / "numeric_names.xlsx", Entity.COMPANY)
    assert [row["name"] for row in rows] == ["4711", "360", "99", "2021-03-01"]
    assert not rejects


def test_wrong_types_in_json_cost_the_value_and_no_row():
    rows, rejects, counts = prepare(CASES / "typed_values.jsonl", Entity.COMPANY)
    assert [row.get("name") for row in rows] == ["4711", "99", None, None]
    assert not rejects
    assert counts.unread["name"].lines == [3, 4]


def as_json_lines(path: Path, column: str, value: Any) -> Path:
    path.write_text(json.dumps({column: value, "domain": "c.example"}))
    return path


def as_workbook(path: Path, column: str, value: Any) -> Path:
    book = Workbook()
    assert book.active is not None
    book.active.append([column, "domain"])
    book.active.append([value, "c.example"])
    book.save(path)
    return path


def as_parquet(path: Path, column: str, value: Any) -> Path:
    pq.write_table(pa.table({column: [value], "domain": ["c.example"]}), path)
    return path


FORMATS = {"a.jsonl": as_json_lines, "a.xlsx": as_workbook, "a.parquet": as_parquet}


@pytest.fixture(params=FORMATS)
def prepared_value(request, tmp_path):
    """Prepare a company with one value in a file of each format."""

    def write(column: str, value: Any) -> PreparedFile:
        return prepare(FORMATS[request.param](tmp_path / request.param, column, value), Entity.COMPANY)

    return write


@pytest.mark.parametrize(
    ("column", "value", "stored"),
    [
        ("name", 4711, "4711"),
        ("name", 4711.0, "4711"),
        ("description", 2001, "2001"),
        ("companyOffering", -5.0, "-5"),
    ],
)
def test_a_whole_number_in_a_text_column_is_its_digits(prepared_value, column, value, stored):
    (row,), _, counts = prepared_value(column, value)
    assert row[column] == stored
    assert not counts.unread


@pytest.mark.parametrize("value", [2025550143, 12025550143.0])
def test_a_whole_number_in_a_phone_column_is_its_digits(tmp_path, value):
    row = {
        "fullName": "Ada Lowe",
        "sourceId": 7.0,
        "location": {"country": "US"},
        "phones": [{"number": value}],
    }
    (stored,) = prepare(as_object(tmp_path, row)).records
    assert stored["phones"][0]["number"] == "+12025550143"


def as_object(folder: Path, row: dict[str, Any]) -> Path:
    path = folder / "a.jsonl"
    path.write_text(json.dumps(row))
    return path


def test_numbers_in_lists_and_short_forms_are_their_digits(tmp_path):
    row = {
        "fullName": "Ada Lowe",
        "company": 4711,
        "jobTitle": 360,
        "skills": [3, "SQL", 4.0],
        "certifications": 27001,
        "location": {"city": 99.0},
    }
    (stored,), _, counts = prepare(as_object(tmp_path, row))
    assert stored["company"]["name"] == "4711"
    assert stored["jobTitle"]["title"] == "360"
    assert (stored["skills"], stored["certifications"]) == (["3", "SQL", "4"], ["27001"])
    assert stored["location"]["city"] == "99"
    assert not counts.unread


@pytest.mark.parametrize("value", [1.5, True, {"value": "X"}, ["A", "B"], 1e300])
def test_another_type_in_a_text_field_costs_the_value_and_is_counted(tmp_path, value):
    (stored,), rejects, counts = prepare(
        as_object(tmp_path, {"name": value, "domain": "c.example"}), Entity.COMPANY
    )
    assert "name" not in stored
    assert not rejects
    assert counts.unread["name"].lines == [1]


@pytest.mark.parametrize(("value", "name"), [(Decimal("4711.00"), "4711"), (Decimal("15.50"), "15.50")])
def test_a_decimal_without_fraction_is_its_digits(tmp_path, value, name):
    (stored,) = prepare(as_parquet(tmp_path / "a.parquet", "name", value), Entity.COMPANY).records
    assert stored["name"] == name


@pytest.mark.parametrize("figure", [15_000, 15_000.0, "15000", "15,000"])
def test_a_figure_in_thousands_is_multiplied_as_a_number_and_as_text(tmp_path, figure):
    header = ["Company Name", "ZoomInfo Company ID", "Revenue (in 000s USD)"]
    book = Workbook()
    assert book.active is not None
    book.active.append(header)
    book.active.append(["Acme", 7, figure])
    book.save(tmp_path / "a.xlsx")
    (stored,) = prepare(tmp_path / "a.xlsx", Entity.COMPANY).records
    assert stored["revenueRange"]["min"] <= 15_000_000 <= stored["revenueRange"]["max"]
