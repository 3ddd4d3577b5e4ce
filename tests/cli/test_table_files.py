"""`firmograph table add|export`: files of rows read and written."""

import csv
import io
import json
import os

import pytest
from openpyxl import Workbook
from prospect_command import PEOPLE
from pyarrow import parquet
from table_command import DANA

from firmograph.cli import files
from firmograph.cli.table import addition
from firmograph.kit.errors import Refused
from firmograph.kit.table_files import columns
from firmograph.kit.table_files.formats import FileFormat

pytestmark = pytest.mark.any_database


def added(tables, kind, *lines):
    """Return the rows of a new table after the lines of a file were added, and the result."""
    table = tables.create("Read", kind)
    result = tables.add(table, *lines)
    name = "Full name" if kind == "contacts" else "Name"
    return [row[name] for row in tables.rows(table)], result


def rejects(tables, name="rows.csv.rejects.jsonl"):
    return [json.loads(line) for line in (tables.folder / name).read_text().splitlines()]


# --- add ---


def test_repaired_and_skipped_lines_are_shown_as_imports_show_them(tables):
    lines = ("First Name,Last Name,Email", 'Ann,"Roe,ann@acme.example.com', "", "Total: 1")
    names, result = added(tables, "contacts", *lines)
    assert (names, result["rejected"]) == (["Ann Roe"], 0)
    assert result["repaired"] == {"count": 1, "lines": [2]}
    assert result["skipped"] == {"count": 1, "lines": [4]}
    assert rejects(tables) == [{"line": 4, "reason": "a footer of the file, no record"}]
    assert result["rejects"] == str(tables.folder / "rows.csv.rejects.jsonl")
    assert (result["added"], result["alreadyPresent"]) == (1, 0)


def test_encoding_delimiter_and_unknown_columns_are_shown_as_imports_show_them(tables):
    _, result = added(
        tables, "contacts", "Email;Shoe Size;Note", "ann@acme.example.com;7;", "bea@acme.example.com;8;x"
    )
    assert (result["encoding"], result["delimiter"]) == ("UTF-8", ";")
    assert result["unknown"] == {"Shoe Size": 2, "Note": 1}
    path = tables.write(
        "rows.jsonl", '{"email": "ann@acme.example.com", "shoe": {"size": 7}, "note": "", "has": ["x"]}'
    )
    assert tables.answer("table", "add", tables.create("Second"), path)["unknown"] == {"shoe.size": 1}


def test_a_mark_dropped_in_the_header_is_counted_as_repaired(tables):
    _, result = added(tables, "contacts", 'Note,"Email', "x,ann@acme.example.com")
    assert (result["added"], result["repaired"]) == (1, {"count": 1, "lines": [1]})


PLACEHOLDERS = ["nan", "\\N", "#REF!", "(blank)", "-", "[object Object]", "N/A", "0", "unknown"]


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("Id,Work Email", "{},ann@acme.example.com"),
        ("LinkedIn Profile,Work Email", "{},ann@acme.example.com"),
        ("Work Email,LinkedIn Profile", "{},linkedin.com/in/ann-roe"),
        ("Work Email,First Name,Last Name,Company", "{},Ann,Roe,Acme"),
        ("First Name,Last Name,Company,Company Domain", "Ann,Roe,Acme,{}"),
        ("First Name,Last Name,Company,Company Domain", "Ann,Roe,{},acme.example.com"),
    ],
)
def test_a_placeholder_is_no_identifier(tables, header, line):
    names, result = added(tables, "contacts", header, *map(line.format, PLACEHOLDERS))
    assert (names, result["added"]) == (["Ann Roe"], 1)
    assert result["alreadyPresent"] == len(PLACEHOLDERS) - 1


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("fullName,company", "Zico,Birch Ltd"),
        ("name,company", "Zico,Birch Ltd"),
        ("Full Name,Company Domain", "Zico,birch.example.com"),
        ("Full Name,First Name,Company", "Zico,Zico,Birch Ltd"),
        ("First Name,Company", "Zico,Birch Ltd"),
        ("First Name,Last Name,Company", "Zico,,Birch Ltd"),
        ("First Name,Last Name,Company", "Zico,N/A,Birch Ltd"),
    ],
)
def test_a_person_with_one_name_is_found_by_it_and_the_employer(own_tables, header, line):
    people = own_tables.write(
        "people.csv", "Full Name,Company,Company Domain", "Zico,Birch Ltd,birch.example.com"
    )
    own_tables.answer("import", "contacts", people)
    assert added(own_tables, "contacts", header, line)[0] == ["Zico"]


@pytest.mark.parametrize("sign", ["-", "* ", "• ", "'", "--"])
def test_a_sign_before_an_address_is_dropped_and_counted(tables, sign):
    names, result = added(tables, "contacts", "email", f"{sign}ann@acme.example.com")
    assert (names, result["repaired"]) == (["Ann Roe"], {"count": 1, "lines": [2]})


@pytest.mark.parametrize("value", ["true", "1.5", "[true]", "1e999"])
def test_a_value_of_a_wrong_type_costs_no_row_and_is_counted(tables, value):
    table = tables.create()
    path = tables.write("rows.jsonl", f'{{"email": "ann@acme.example.com", "company.name": {value}}}')
    result = tables.answer("table", "add", table, path)
    assert (result["added"], result["unread"]) == (1, {"company.name": {"count": 1, "lines": [1]}})


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("email", "ANN@acme.example.com"),
        ("LinkedIn Profile", "linkedin.com/in/ann-roe/"),
        ("First Name,Last Name,Company", "Ann,Roe,Acme"),
        ("Full Name;Company Domain", "Ann Roe;www.acme.example.com"),
        ("fullName,companyName", '"Roe, Ann",Acme Inc'),
        ("Id,Work Email", "0031500001,ann@acme.example.com"),
        ("Id,Work Email", "CRM-17,ann@acme.example.com"),
        ("Vorname,Nachname,Firma", "Ann,Roe,Acme Inc"),
    ],
)
def test_contacts_are_found_as_search_finds_them(tables, header, line):
    assert added(tables, "contacts", header, line)[0] == ["Ann Roe"]


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("domain", "https://acme.example.com/about"),
        ("Website", "acme.example.com"),
        ("Company", '"Acme, Inc."'),
    ],
)
def test_companies_are_found_as_search_finds_them(tables, header, line):
    assert added(tables, "companies", header, line)[0] == ["Acme Inc"]


def test_records_are_found_by_the_ids_that_an_export_has(tables):
    names, _ = added(tables, "contacts", "email", "ann@acme.example.com", "bea@acme.example.com")
    assert tables("table", "export", "Read", *tables.account, "read.jsonl").returncode == 0
    again = tables.create("Again")
    result = tables.answer("table", "add", again, tables.folder / "read.jsonl")
    assert result["added"] == 2
    assert [row["Full name"] for row in tables.rows(again)] == names


@pytest.mark.any_database
def test_json_lines_may_be_nested(tables):
    lines = [
        {"emails": [{"email": "bea@acme.example.com"}]},
        {"firstName": "Cy", "lastName": "Roe", "company": {"domain": "birch.example.com"}},
        {"socialLinks": {"linkedin": "https://www.linkedin.com/in/ann-roe"}},
    ]
    path = tables.write("rows.jsonl", *map(json.dumps, lines), "[1]", "{")
    table = tables.create()
    result = tables.answer("table", "add", table, path)
    assert [row["Full name"] for row in tables.rows(table)] == ["Bea Roe", "Cy Roe", "Ann Roe"]
    assert result["rejected"] == 2
    assert rejects(tables, "rows.jsonl.rejects.jsonl") == [
        {"line": line, "reason": "not a JSON object"} for line in (4, 5)
    ]


@pytest.mark.any_database
def test_workbooks_are_read(tables):
    book = Workbook()
    for cells in (("Email", "Note"), ("ann@acme.example.com", 1), ("bea@acme.example.com", None)):
        book.active.append(cells)
    book.save(tables.folder / "rows.xlsx")
    assert tables.answer("table", "add", tables.create(), tables.folder / "rows.xlsx")["added"] == 2


@pytest.mark.any_database
def test_another_sheet_of_a_workbook_is_read_by_name_and_the_others_are_named(tables):
    book = Workbook()
    for cells in (("Email",), ("ann@acme.example.com",), ("bea@acme.example.com",)):
        book.active.append(cells)
    more = book.create_sheet("More")
    for cells in (("Email",), ("ann@acme.example.com",)):
        more.append(cells)
    path = tables.folder / "sheets.xlsx"
    book.save(path)
    assert tables.answer("table", "add", tables.create("More"), path, "--sheet", "More")["added"] == 1
    assert "sheet 'Sheet' is read, not More; --sheet NAME reads another" in (
        tables("table", "add", tables.create("First"), path).stderr
    )
    assert "has no sheet 'Other'" in tables.refusal(
        "table", "add", tables.create("Other"), path, "--sheet", "Other"
    )


@pytest.mark.any_database
def test_lines_without_a_record_go_to_the_rejects_with_the_reason_alone(tables):
    names, result = added(
        tables,
        "contacts",
        "email,firstName,lastName,company",
        "nobody@acme.example.com,,,",
        "ann@acme.example.com,,,",
        "not an address,,,",
        ",Nemo,Nobody,Acme",
        ",Ann,,Acme",
        ",,Roe,Acme",
    )
    assert names == ["Ann Roe"]
    assert (result["rejected"], result["rejects"]) == (5, str(tables.folder / "rows.csv.rejects.jsonl"))
    needed = "must have id, linkedinUrl, email, or firstName (and lastName) with companyName or companyDomain"
    assert rejects(tables) == [
        {"line": 2, "reason": "no such record"},
        {"line": 4, "reason": "email must be an email"},
        {"line": 5, "reason": "no such record"},
        {"line": 6, "reason": "no such record"},
        {"line": 7, "reason": needed},
    ]


def test_a_suppressed_person_is_rejected(own_tables):
    tables = own_tables
    assert tables("suppress", "--email", "ann@acme.example.com").returncode == 0
    path = tables.write("rows.csv", "email", "ann@acme.example.com")
    done = tables("table", "add", tables.create(), path, "--json")
    assert (done.returncode, json.loads(done.stdout)["rejected"]) == (0, 1)
    assert rejects(tables) == [{"line": 2, "reason": "suppressed"}]


@pytest.mark.any_database
def test_another_file_of_rejects_can_be_chosen_and_none_is_left_without_rejects(tables):
    table, path = tables.create(), tables.write("rows.csv", "email", "x@y.example")
    result = tables.answer("table", "add", table, path, "--rejects", tables.folder / "lost.jsonl")
    assert result["rejects"] == str(tables.folder / "lost.jsonl")
    tables.write("rows.csv", "email", "ann@acme.example.com")
    assert (
        tables.answer("table", "add", table, path, "--rejects", tables.folder / "lost.jsonl")["rejects"]
        is None
    )
    assert not (tables.folder / "lost.jsonl").exists()


@pytest.mark.any_database
def test_nothing_is_added_or_charged_if_the_rejects_cannot_be_written(tables):
    table = tables.create("Firms", "companies")
    path = tables.write("rows.csv", "domain", "acme.example.com", "nobody.example.com")
    lost = tables.folder / "missing" / "lost.jsonl"
    assert "cannot be written" in tables.refusal("table", "add", table, path, "--rejects", lost)
    assert tables.rows(table) == []
    assert len(tables.ledger()) == 1


def test_companies_are_charged_once_and_the_ledger_names_the_table(tables):
    table = tables.create("Firms", "companies")
    lines = ("domain", "acme.example.com", "birch.example.com", "acme.example.com")
    first = tables.add(table, *lines)
    assert (first["added"], first["alreadyPresent"], first["creditsCharged"]) == (2, 1, 2)
    again = tables.add(table, *lines)
    assert (again["added"], again["alreadyPresent"], again["creditsCharged"]) == (0, 3, 0)
    (charge,) = tables.ledger()[1:]
    assert (charge["action"], charge["credits"], charge["subject"]) == ("revealCompany", 2, f"table:{table}")


def test_short_credits_stop_the_addition_after_whole_batches_and_it_can_be_continued(tables, monkeypatch):
    monkeypatch.setattr(addition, "MOST_IDS", 1)
    tables.answer("account", "create", "poor", "--credits", "1")
    tables.answer("user", "add", "--account", "poor", DANA)
    made = tables.answer(
        "table", "create", "Firms", "--account", "poor", "--owner", DANA, "--entity", "companies"
    )
    path = tables.write("rows.csv", "domain", "acme.example.com", "birch.example.com")
    refused = tables.refusal("table", "add", made["tableId"], path)
    assert refused.startswith("Insufficient credits")
    assert "1 rows were added for 1 credits before line 3; add the file again to continue" in refused
    assert len(tables.rows(made["tableId"])) == 1
    tables.answer("credits", "grant", "--account", "poor", "1")
    assert tables.answer("table", "add", made["tableId"], path)["creditsCharged"] == 1
    assert len(tables.rows(made["tableId"])) == 2


@pytest.mark.any_database
def test_a_file_without_columns_that_name_records_is_refused_with_what_is_needed(tables):
    table = tables.create()
    path = tables.write("rows.csv", "age,first name", "7,Ann")
    refused = tables.refusal("table", "add", table, path)
    assert "has no columns that name records: an id, a LinkedIn URL, an e-mail" in refused
    assert refused.endswith("Its columns are: age, first name")
    assert "does not exist" in tables.refusal("table", "add", table, tables.folder / "none.csv")


# --- export ---


@pytest.fixture
def sales(tables):
    """Return a table of all people with three filled columns."""
    table = tables.create()
    lines = [f"{one['firstName']},Roe,{one['company']['domain']}" for one in PEOPLE]
    assert tables.add(table, "First Name,Last Name,Company Domain", *lines)["added"] == len(PEOPLE)
    tables.answer("table", "column", "add", table, "mobilePhone", "departments", "previousEmployment")
    tables.work()
    return table


def exported(tables, table, name, *words):
    done = tables("table", "export", table, name, *words)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert f"{len(PEOPLE)} rows written to {name}" in done.stderr
    return (tables.folder / name).read_bytes()


def test_every_row_is_written_in_each_format(tables, sales):
    names = [f"{one['firstName']} Roe" for one in PEOPLE]
    text = exported(tables, sales, "sales.csv").decode()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header[:5] == ["id", "Full name", "Job title", "Company name", "Mobile phone"]
    assert [row[1] for row in rows] == names
    assert rows[0][4] == "+12025550101"
    lines = [json.loads(line) for line in exported(tables, sales, "sales.jsonl").splitlines()]
    assert [(line["id"], line["Full name"]) for line in lines] == [(row[0], row[1]) for row in rows]
    assert lines[0]["Departments"] == rows[0][5].split("; ")
    table = parquet.read_table(io.BytesIO(exported(tables, sales, "sales.parquet")))
    assert table.column_names == header
    assert table["Full name"].to_pylist() == names


@pytest.mark.any_database
def test_statuses_are_written_on_demand(tables, sales):
    text = exported(tables, sales, "sales.csv", "--status").decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["Mobile phone status"] for row in rows] == ["success", "no_data", "no_data", "no_data"]


@pytest.mark.any_database
def test_standard_output_has_the_rows_alone(tables, sales):
    done = tables("table", "export", sales, "-", "--format", "csv")
    assert len(done.stdout.splitlines()) == 1 + len(PEOPLE)
    assert f"{len(PEOPLE)} rows written\n" in done.stderr


@pytest.mark.any_database
def test_formulas_are_made_harmless_unless_raw(own_tables):
    tables = own_tables
    person = {"firstName": "=HYPERLINK", "lastName": "Roe", "emails": [{"email": "h@x.example.com"}]}
    assert tables("import", "contacts", tables.write("p.jsonl", json.dumps(person))).returncode == 0
    table = tables.create()
    assert tables.add(table, "email", "h@x.example.com")["added"] == 1
    name = tables.rows(table)[0]["Full name"]
    assert name.startswith("=")
    for words, shown in (((), f"'{name}"), (("--raw",), name)):
        done = tables("table", "export", table, "-", "--format", "csv", *words)
        assert list(csv.reader(io.StringIO(done.stdout, newline="")))[1][1] == shown


@pytest.mark.any_database
def test_a_file_is_replaced_only_on_demand(tables, sales):
    exported(tables, sales, "sales.csv")
    refused = tables.refusal("table", "export", sales, "sales.csv")
    assert refused == "sales.csv already exists; choose another name, or replace it with --force"
    exported(tables, sales, "sales.csv", "--force")
    assert (tables.folder / "sales.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.any_database
def test_a_file_is_there_only_once_it_is_whole(tables, sales, monkeypatch):
    whole = columns.cell_text
    failing = iter([*["fine"] * 7, None])

    def fail_in_between(value):
        if next(failing) is None:
            raise OSError(28, "No space left on device")
        assert not (tables.folder / "sales.csv").exists()
        return whole(value)

    monkeypatch.setattr(columns, "cell_text", fail_in_between)
    refused = tables.refusal("table", "export", sales, "sales.csv")
    assert refused == "sales.csv cannot be written: No space left on device"
    assert [path for path in os.listdir(tables.folder) if "sales" in path] == []


@pytest.mark.any_database
def test_nothing_but_a_regular_file_is_replaced(tables, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    table = tables.create()
    for name in ("pipe.csv", "folder.csv"):
        refused = tables.refusal("table", "export", table, name, "--force")
        assert refused == f"{name} is no regular file; name one, or redirect standard output, which is -"
    assert (tmp_path / "pipe.csv").is_fifo()


@pytest.mark.any_database
def test_a_full_disk_behind_standard_output_is_reported(tables, sales):
    for format in ("csv", "parquet"):
        with open("/dev/full", "wb") as full:
            done = tables.stocked.forked("table", "export", sales, "-", "--format", format, stdout=full)
        assert done.returncode == 1
        assert done.stderr.endswith("Error: The output cannot be written: No space left on device\n")


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("sales", "sales has no known ending; give --format csv"),
        ("sales.txt", "sales.txt has no known ending; give --format csv"),
        ("-", "standard output has no name; give --format csv"),
        ("none/sales.csv", "none/sales.csv cannot be written: No such file or directory"),
    ],
)
def test_a_file_without_format_or_folder_is_refused(tables, file, problem):
    assert problem in tables.refusal("table", "export", tables.create(), file)


@pytest.mark.any_database
def test_parquet_is_not_written_to_a_terminal_and_excel_to_files_only(tables, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    with pytest.raises(Refused, match="Excel is written to a file only"):
        files.choose_file_format("-", FileFormat.EXCEL)
    monkeypatch.setattr(files.sys, "stdout", Terminal())
    with pytest.raises(Refused, match="Parquet is not text for a terminal"):
        files.choose_file_format("-", FileFormat.PARQUET)


@pytest.mark.any_database
def test_parquet_is_written_to_a_pipe(tables, sales):
    process = tables.stocked.command.start("table", "export", sales, "-", "--format", "parquet")
    content = process.stdout.buffer.read()
    assert process.wait() == 0
    assert parquet.read_table(io.BytesIO(content)).num_rows == len(PEOPLE)
