"""Detection of the encoding where signs, not letters, are beyond ASCII."""

import contextlib
import io
from collections.abc import Iterator
from typing import IO

import pytest

from firmograph.ingest.reading.encodings import detect_encoding, encoding_label
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database

WORDS = (
    "Jürgen Björn Käthe Jörg Günter Größe Süd Österreich Förster Bäcker Müller Köhler Schäfer Krüger Böhm"
    " Lößnitz Straße Weiß Fröhlich Hübner Jäger Grün Röder Löwe"
).split()


def detected(content: bytes) -> str:
    @contextlib.contextmanager
    def opened() -> Iterator[IO[bytes]]:
        yield io.BytesIO(content)

    return detect_encoding(opened, "file")


def table_of(names: list[str]) -> str:
    return "First Name,Last Name,Company\n" + "".join(f"Ann,Lee,{name}\n" for name in names)


def read(text: str, encoding: str) -> str:
    """Return the text as an import reads it, empty if the file is refused with its encoding among the names."""
    content = text.encode(encoding)
    try:
        return content.decode(detected(content))
    except Refused as refused:
        reason = str(refused)
    assert encoding_label(encoding) in reason
    return ""


RIGHT = [
    *(("Cool {}°C Ltd", one) for one in ("cp1252", "iso8859-15", "mac-roman", "cp850", "cp437")),
    *(("Room {}°", one) for one in ("cp1252", "mac-roman", "cp850", "cp437")),
    *(("Area {}m² Ltd", one) for one in ("cp1252", "iso8859-15", "cp850", "cp437")),
    *(("CO² Zero {}", one) for one in ("cp1252", "iso8859-15", "cp850")),
    *(("±{} Labs", one) for one in ("cp1252", "iso8859-15", "mac-roman", "cp850")),
    *(("Rate ±{}", one) for one in ("cp1252", "cp437")),
    *(("{}×{} Systems", one) for one in ("cp1252", "iso8859-15", "cp850")),
    *(("A×{} Ltd", one) for one in ("cp1252", "iso8859-15", "cp850")),
    *(("µ{} Micro", one) for one in ("cp1252", "iso8859-15", "mac-roman", "cp850")),
    *(("€{} Shop", one) for one in ("cp1252", "mac-roman")),
    *(("Acme{}® Inc", one) for one in ("cp1252", "iso8859-15", "mac-roman")),
    *(("Acme{}™ Inc", one) for one in ("cp1252", "mac-roman")),
    *(("Joe{}’s Bar", one) for one in ("cp1252", "mac-roman")),
    *(("“Quote {}” Ltd", one) for one in ("cp1252", "mac-roman")),
    *(("North – South {}", one) for one in ("cp1252", "mac-roman")),
    *(("Nº {}", one) for one in ("cp1252", "iso8859-15", "mac-roman")),
    *(("£{} Shop", one) for one in ("cp1252", "iso8859-15", "mac-roman", "cp850")),
]


@pytest.mark.parametrize(("name", "encoding"), RIGHT)
@pytest.mark.parametrize("rows", [1, 25])
def test_a_sign_next_to_digits_and_words_is_read_as_that_sign(name, encoding, rows):
    text = table_of([name.replace("{}", str(number)) for number in range(rows)])
    assert read(text, encoding) == text


@pytest.mark.parametrize(
    "name", ["Area 30m² Ltd", "CO² Zero Ltd", "Rate ±5", "Heating 25°C", "10² Labs", "3×3 Systems"]
)
def test_one_sign_among_many_rows_of_ascii_is_enough(name):
    text = table_of([*["Delta Ltd"] * 180, name])
    assert read(text, "cp1252") == text


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("Bar 7¼", "cp1252"),
        ("Acme® Ltd", "cp850"),
        ("5 § Law", "mac-roman"),
        ("50 € Club", "iso8859-15"),
        ("• Item", "mac-roman"),
        ("1ª Loja", "mac-roman"),
        ("½ Price", "cp850"),
        ("Nº 5", "cp437"),
    ],
)
def test_a_sign_that_is_another_elsewhere_is_read_right_or_its_encoding_is_named(name, encoding):
    text = table_of([name])
    names = {"cp437": "cp850"}  # the same bytes for these signs
    assert read(text, names.get(encoding, encoding)) in (text, "")


@pytest.mark.parametrize("sign", ["–", "—", "…", "•", "™", "€", "’", "„"])
@pytest.mark.parametrize("often", [True, False])
def test_windows_1252_is_told_from_iso_8859_15_by_a_sign_that_stands_alone(sign, often):
    names = [f"{word} {sign} Haus" for word in WORDS] if often else [*WORDS * 20, f"Haus {sign} Hof"]
    assert detected(table_of(names).encode("cp1252")) == "cp1252"


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("دمشق", "cp1256"),
        ("健一 仙台", "euc_jp"),
        ("1С Франчайзи", "cp1251"),
        ("Склад № 5", "cp866"),
        ("田中ビル5階", "cp932"),
        ("ｱｶﾞﾀ株式会社", "cp932"),
        ("한빛전자 3팀", "cp949"),
        ("北京3号店", "gb18030"),
        ("台北3號店", "cp950"),
        ("Κατάστημα 5α", "cp1253"),
    ],
)
def test_words_of_other_scripts_next_to_digits_are_read_right_or_refused_with_their_encoding(name, encoding):
    text = table_of([name])
    assert read(text, encoding) in (text, "")


def test_control_characters_rule_an_encoding_out():
    # the byte of the dash is a control character in ISO 8859-15
    assert detected(b"Name;City\nHaus \x96 Hof;Bonn\n") == "cp1252"
