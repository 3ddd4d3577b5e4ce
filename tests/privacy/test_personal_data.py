"""Declarations of personal data against the schema and the modules that write files."""

from dataclasses import replace
from importlib import import_module

import pytest
import sqlalchemy as sa
from declaration_checks import check_files, check_schema, tables_of, writing_modules
from planted_person import PERSONAL_DATA

from firmograph.database.connection import metadata
from firmograph.privacy.declarations import Impersonal, PersonalData, TableData, in_order_of_use

pytestmark = pytest.mark.no_database

WITH_TABLES = [each for each in PERSONAL_DATA if each.tables]
WITH_FILES = [each for each in PERSONAL_DATA if each.files]


def without(declaration):
    return [each for each in PERSONAL_DATA if each is not declaration]


def named(declaration):
    return declaration.package


def test_every_table_and_every_free_column_is_declared_once():
    assert check_schema(metadata, PERSONAL_DATA) == []


@pytest.mark.parametrize("declaration", WITH_TABLES, ids=named)
def test_tables_of_a_package_that_declares_none_are_found(declaration):
    missing = {f"{table.table.name} is not declared" for table in declaration.tables}
    assert set(check_schema(metadata, without(declaration))) == missing


@pytest.mark.parametrize("type", [sa.Text, sa.JSON, sa.LargeBinary, sa.String(5)])
def test_a_column_that_nobody_declares_is_found(type):
    table = sa.Table("new", sa.MetaData(), sa.Column("id", sa.Integer), sa.Column("note", type))
    found = check_schema(table.metadata, [PersonalData("new", tables=(TableData(table),))])
    assert found == ["new.note is not declared"]


def test_a_column_with_record_numbers_that_nobody_declares_is_found():
    table = sa.Table(
        "new", sa.MetaData(), sa.Column("id", sa.Integer), sa.Column("company_id", sa.BigInteger)
    )
    found = check_schema(table.metadata, [PersonalData("new", tables=(TableData(table),))])
    assert found == ["new.company_id: what goes with its record?"]


def test_a_declared_table_or_column_that_does_not_exist_is_found():
    table = sa.Table("new", sa.MetaData(), sa.Column("id", sa.Integer))
    declared = PersonalData("new", tables=(TableData(table, impersonal={"note": Impersonal.CODE}),))
    assert check_schema(sa.MetaData(), [declared]) == ["new does not exist", "new.note does not exist"]


@pytest.mark.parametrize(
    ("given", "missing"),
    [({"place": "news"}, "new.find"), ({"find": lambda session, people: []}, "new.place")],
)
def test_personal_columns_need_a_finder_and_a_place(given, missing):
    table = sa.Table("new", sa.MetaData(), sa.Column("email", sa.Text))
    declared = TableData(table, erased=("email",), **given)
    found = check_schema(table.metadata, [PersonalData("new", tables=(declared,))])
    assert [problem for problem in found if problem.startswith(missing)]


def test_every_module_that_writes_files_is_declared_and_no_other():
    assert check_files(writing_modules(), PERSONAL_DATA) == []


@pytest.mark.parametrize("declaration", WITH_FILES, ids=named)
def test_files_of_a_package_that_declares_none_are_found(declaration):
    missing = {f"{file.module} is not declared" for file in declaration.files}
    assert set(check_files(writing_modules(), without(declaration))) == missing


@pytest.mark.parametrize(
    "statement",
    [
        "open('a', 'w')", "open('a', mode='ab')", "path.open('x')", "path.open('r+b')", "tempfile.mkstemp()",
        "path.write_text('')", "atomic_write(path)", "os.open(path, os.O_WRONLY)", "sqlite3.connect(path)",
        "tarfile.open(path, 'w')", "open(path, mode)", "open(path, **{}, mode=chosen())", "path.open(mode)",
        "path.open('ab' if more else 'wb')", "gzip.open(path, self.how)", "shutil.copy(one, other)",
        "shutil.move(one, other)", "shutil.copytree(one, other)", "copy2(one, other)", "session.raw.backup(copy)",
    ],
)  # fmt: skip
def test_a_module_that_writes_a_file_and_is_not_declared_is_found(tmp_path, statement):
    (tmp_path / "writer.py").write_text(statement)
    assert "writer is not declared" in check_files(writing_modules(tmp_path), PERSONAL_DATA)


@pytest.mark.parametrize(
    "statement",
    [
        "open('a')",
        "path.open('rb')",
        "tokens.open(kind, 'v1.x')",
        "'w'",
        "path.read_text()",
        "archive.open(member)",
    ],
)
def test_a_module_that_only_reads_is_not_found(tmp_path, statement):
    (tmp_path / "reader.py").write_text(statement)
    assert writing_modules(tmp_path) == set()


def test_declared_modules_exist():
    for declaration in PERSONAL_DATA:
        for file in declaration.files:
            if not file.module.endswith("__main__"):
                import_module(f"firmograph.{file.module}")


@pytest.mark.parametrize("listed", [PERSONAL_DATA, PERSONAL_DATA[::-1]])
def test_packages_come_after_those_they_use_however_they_are_listed(listed):
    ordered = [each.package for each in in_order_of_use(listed)]
    assert ordered == [each.package for each in in_order_of_use(PERSONAL_DATA)]
    for declaration in listed:
        assert all(ordered.index(used) < ordered.index(declaration.package) for used in declaration.uses)


def test_packages_that_use_each_other_are_refused():
    one, two = PersonalData("one", uses=("two",)), PersonalData("two", uses=("one",))
    with pytest.raises(ValueError, match="cycle"):
        in_order_of_use([one, two])


def test_a_finder_or_eraser_belongs_to_data_of_people():
    for declaration in PERSONAL_DATA:
        erased = [table for table in declaration.tables if table.erased]
        erasers = [*declaration.record_removers, *declaration.removers, *declaration.erasers]
        assert bool(erased) == bool(erasers), declaration.package


def test_a_table_that_is_declared_twice_is_found():
    (first, *others) = PERSONAL_DATA
    table = next(iter(tables_of(PERSONAL_DATA)))
    doubled = [replace(first, tables=(*first.tables, table)), *others]
    assert check_schema(metadata, doubled) == [f"{table.table.name} is declared 2 times"]
