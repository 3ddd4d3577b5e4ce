"""Text files in encodings other than UTF-8. All names are made up."""

import gzip
from pathlib import Path

import pytest

from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.reading.encodings import resolve_encoding
from firmograph.ingest.reading.readers import AUTODETECT, ReadOptions, open_rows
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from record_factory import KEYRING
from stored_records import stored_contacts

pytestmark = pytest.mark.any_database

WESTERN = {
    "French": "Hélène Lefèvre, François Côté, Benoît Gagné, Anaïs Crête, Gaël Lévêque, Jérôme Bœuf",
    "German": "Jürgen Müller, Björn Groß, Käthe Schäfer, Günther Weiß, Jörg Köhler, Sören Böhm",
    "Spanish": "José Muñoz, Íñigo Peña, Ángel Núñez, María Ibáñez, Andrés Gómez, Begoña Ordóñez",
    "Danish": "Søren Kjær, Jørgen Ågård, Åse Bjørn, Mæthe Sørensen, Bjørn Håkon, Øystein Brændgård",
    "Portuguese": "João Gonçalves, Conceição Simões, Luís Magalhães, Inês Guimarães, Antônio Leitão",
}
CENTRAL = {
    "Polish": "Łukasz Wiśniewski, Paweł Wójcik, Małgorzata Zięba, Agnieszka Kamińska, Józef Źdźbło",
    "Czech": "Jiří Dvořák, Tomáš Růžička, Tereza Kučerová, Zdeněk Černý, Ondřej Šťastný",
    "Hungarian": "László Győri, Erzsébet Szűcs, Gergő Kőszegi, Zoltán Tóth, Ágnes Fűrész, Ödön Erdős",
    "Romanian": "Ştefan Ionaşcu, Mădălina Pătraşcu, Cătălin Brânză, Ionuţ Măcelaru",
    "Croatian": "Božidar Šarić, Željka Đurić, Krešimir Kovačić, Nikola Matić",
}
CASES = [
    *((names, encoding) for encoding in ("cp1252", "mac-roman") for names in WESTERN.values()),
    *((names, "cp1250") for names in CENTRAL.values()),
    *((", ".join(WESTERN.values()), encoding) for encoding in ("cp1252", "mac-roman")),
]


def people(names: str) -> str:
    return "Name;City\n" + "".join(f"{name};“Paris” – 1\n" for name in names.split(", "))


def written(tmp_path: Path, content: bytes, name: str = "people.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def names_in(path: Path, reading: ReadOptions = AUTODETECT) -> list[object]:
    with open_rows(path, reading) as rows:
        return [row.value[0] for row in rows if isinstance(row.value, list)]


@pytest.mark.parametrize(("names", "encoding"), CASES)
def test_the_encoding_is_recognised_by_the_language_of_the_names(tmp_path, names, encoding):
    text = "Name;City\n" + names.replace(", ", ";\n")
    path = written(tmp_path, text.encode(encoding))
    assert names_in(path) == names.split(", ")
    with open_rows(path) as rows:
        assert resolve_encoding(rows.options.encoding) == encoding


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        (WESTERN["German"], "cp1252"),
        (WESTERN["French"], "mac-roman"),
        (CENTRAL["Polish"], "cp1250"),
        (CENTRAL["Czech"], "utf-16"),
    ],
)
def test_an_export_in_another_encoding_is_stored_with_its_letters(database, tmp_path, names, encoding):
    rows = "".join(f"{name},{name.split()[1]} Sp. z o.o.\n" for name in names.split(", "))
    path = written(tmp_path, f"Full Name,Company\n{rows}".encode(encoding))
    job = ImportTask(entity=Entity.CONTACT, paths=[str(path)], source="crm", keyring=KEYRING)
    summary = import_files(database, job, SetClock(), lambda file, reject: None, lambda progress: None)
    assert (summary.created, summary.values.unread) == (len(names.split(", ")), {})
    assert [record.full_name for record, _ in stored_contacts(database).values()] == names.split(", ")


@pytest.mark.parametrize(("sample", "encoding"), [(n, "cp1252") for n in WESTERN.values()])
def test_quotation_marks_and_dashes_of_word_processors_are_weak_evidence(tmp_path, sample, encoding):
    assert names_in(written(tmp_path, people(sample).encode(encoding))) == sample.split(", ")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_is_recognised_with_and_without_a_byte_order_mark(tmp_path, encoding):
    names = WESTERN["French"]
    for name, pack in (("people.csv", bytes), ("people.csv.gz", gzip.compress)):
        path = written(tmp_path, pack(people(names).encode(encoding)), name)
        assert names_in(path) == names.split(", ")
        with open_rows(path) as rows:
            assert rows.columns == ["Name", "City"]


def test_one_letter_after_much_plain_text_is_enough_to_decide(tmp_path):
    plain = "".join(f"Jane Doe{n};Rome\n" for n in range(70_000))
    assert len(plain) > 1 << 20, "more than is read at once"
    path = written(tmp_path, f"Name;City\n{plain}José Peña;Rome\n".encode("cp1252"))
    assert names_in(path)[-1] == "José Peña"


def test_a_letter_at_the_edge_of_a_block_is_complete(tmp_path):
    text = f"Name;City\n{'x' * ((1 << 20) - 11)}é;Rome\n"
    assert text.encode()[(1 << 20) - 1 :].startswith("é".encode())
    with open_rows(written(tmp_path, text.encode())) as rows:
        assert rows.options.encoding == "utf-8"


def test_a_file_in_utf_8_with_damaged_lines_stays_in_utf_8(tmp_path):
    path = written(tmp_path, "Name;City\nJosé;Rome\nZoë;Rome\n".encode() + b"Jos\xe9;Rome\n")
    assert names_in(path) == ["José", "Zoë", UNREADABLE]


def test_an_invalid_byte_affects_its_cell_alone(tmp_path):
    text = "Name;City\n" + WESTERN["French"].replace(", ", ";Rome\n")
    path = written(tmp_path, text.encode("cp1252") + b";Rome\nJane\x81;Rome\nBob;Rome\n")
    assert names_in(path)[-2:] == [UNREADABLE, "Bob"]


def test_a_named_encoding_is_used(tmp_path):
    path = written(tmp_path, "Name;City\nИрина Петрова;Rome\n".encode("cp1251"))
    assert names_in(path, ReadOptions(encoding=resolve_encoding("windows-1251"))) == ["Ирина Петрова"]


def test_json_lines_are_utf_8_with_an_optional_byte_order_mark(tmp_path):
    path = written(tmp_path, '{"fullName": "Zoë"}\n'.encode("utf-16"), "people.jsonl")
    with open_rows(path) as rows:
        assert next(iter(rows)).value == '{"fullName": "Zoë"}\n'.encode()
    path = written(tmp_path, b'{"fullName": "Jos\xe9"}\n', "more.jsonl")
    with open_rows(path) as rows:
        assert rows.options.encoding == "utf-8"


@pytest.mark.parametrize(
    "name", ["windows-1252", "CP1252", "Mac Roman", "macroman", "UTF-16", "latin1", "utf-8-sig"]
)
def test_encodings_are_known_by_their_usual_names(name):
    assert resolve_encoding(name)


@pytest.mark.parametrize("name", ["klingon", "base64", "rot13", ""])
def test_an_unknown_encoding_is_refused(name):
    with pytest.raises(Refused, match="is no encoding"):
        resolve_encoding(name)
