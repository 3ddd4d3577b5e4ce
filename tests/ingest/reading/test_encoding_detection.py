"""Detection of the encoding by words of many languages. All names are made up."""

import contextlib
import io
import random
import unicodedata
from pathlib import Path

import pytest

from firmograph.ingest.reading.encoding_choice import CANDIDATES
from firmograph.ingest.reading.encoding_sample import read_sample
from firmograph.ingest.reading.encodings import encoding_label, resolve_encoding
from firmograph.ingest.reading.readers import AUTODETECT, ReadOptions, open_rows
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database

CASES = Path(__file__).parents[1] / "cases"

NAMES = {
    "French": "Hélène Lefèvre, François Côté, Benoît Gagné, Anaïs Crête, Gaël Lévêque, Société Générale",
    "German": "Jürgen Müller, Björn Groß, Käthe Schäfer, Günther Weiß, Jörg Köhler, Geschäftsführer Nord",
    "Spanish": "José Muñoz, Íñigo Peña, Ángel Núñez, María Ibáñez, Andrés Gómez, Compañía Española",
    "Polish": "Łukasz Wiśniewski, Paweł Wójcik, Małgorzata Zięba, Agnieszka Kamińska, Józef Źdźbło",
    "Czech": "Jiří Dvořák, Tomáš Růžička, Tereza Kučerová, Zdeněk Černý, Ondřej Šťastný",
    "Hungarian": "László Győri, Erzsébet Szűcs, Gergő Kőszegi, Zoltán Tóth, Ágnes Fűrész",
    "Turkish": "Çağrı Güneş, Ayşe Yılmaz, Öztürk İnşaat, Doğuş Şahin, Gülşah Işık",
    "Russian": "Иван Петров, Анна Сидорова, Юлия Соколова, Пётр Волков, Игорь Лебедев",
    "Bulgarian": "Георги Димитров, Мария Стоянова, Николай Тодоров, Цветанка Желева, Щерьо Янков",
    "Ukrainian": "Олексій Шевченко, Наталія Бойко, Андрій Ткаченко, Їжакевич Євген, Юрій Мельник",
    "Greek": "Γιώργος Παπαδόπουλος, Μαρία Νικολάου, Ελένη Γεωργίου, Δημήτρης Ιωάννου",
    "Hebrew": "דוד כהן, שרה לוי, יעקב מזרחי, רחל פרץ, חברת הצפון",
    "Arabic": "محمد أحمد, فاطمة علي, خالد الحسن, شركة الشمال للتجارة, مريم يوسف",
    "Lithuanian": "Jonas Kazlauskas, Živilė Jankauskienė, Šarūnas Žukauskas, Rūta Vaičiūnaitė, Ąžuolas Dėdė",
    "Latvian": "Jānis Bērziņš, Kristīne Kalniņa, Andris Ozoliņš, Līga Krūmiņa, Mārtiņš Šķēle",
    "Japanese": "山田太郎, 佐藤花子, 鈴木一郎, 株式会社ノルド, 高橋さくら",
    "Korean": "김민수, 이영희, 박지훈, 최수진, 주식회사 북항",
    "Simplified": "王小明, 李娜, 张伟, 刘洋, 北港贸易有限公司",
    "Traditional": "陳怡君, 林志豪, 黃淑芬, 張家瑋, 北港貿易股份有限公司",
}
FILES = [
    *((language, "cp1252") for language in ("French", "German", "Spanish")),
    *((language, "cp850") for language in ("French", "German", "Spanish")),
    *((language, "mac-roman") for language in ("French", "German", "Spanish")),
    *((language, "iso8859-15") for language in ("French", "German")),
    *((language, "cp437") for language in ("German",)),
    *(
        (language, encoding)
        for language in ("Polish", "Czech", "Hungarian")
        for encoding in ("cp1250", "iso8859-2", "cp852")
    ),
    ("Turkish", "cp1254"),
    ("Turkish", "iso8859-9"),
    *((language, "cp1251") for language in ("Russian", "Bulgarian", "Ukrainian")),
    *((language, "cp866") for language in ("Russian", "Bulgarian")),
    *((language, "koi8-r") for language in ("Russian", "Bulgarian")),
    ("Greek", "cp1253"),
    ("Hebrew", "cp1255"),
    ("Arabic", "cp1256"),
    ("Lithuanian", "cp1257"),
    ("Latvian", "cp1257"),
    ("Japanese", "shift_jis"),
    ("Japanese", "euc_jp"),
    ("Korean", "euc_kr"),
    ("Simplified", "gb18030"),
    ("Traditional", "big5"),
]


def cells_of(path: Path, reading: ReadOptions = AUTODETECT) -> list[list[object]]:
    with open_rows(path, reading) as rows:
        return [row.value for row in rows if isinstance(row.value, list)]


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(("language", "encoding"), FILES)
def test_a_few_names_of_a_language_are_read_in_their_encoding(tmp_path, language, encoding):
    names = NAMES[language].split(", ")
    text = "Name;City\n" + "".join(f"{name};\n" for name in names)
    assert [row[0] for row in cells_of(written(tmp_path, text.encode(encoding)))] == names


@pytest.mark.parametrize(("language", "encoding"), FILES)
def test_one_name_is_read_right_or_refused(tmp_path, language, encoding):
    names = NAMES[language].split(", ")
    found = [cell_or_none(tmp_path, name, encoding) for name in names]
    assert all(one in (name, None) for one, name in zip(found, names, strict=True))
    assert found.count(None) < len(names)


def cell_or_none(tmp_path: Path, name: str, encoding: str) -> object:
    """Return the only cell of a file, None if the file is refused."""
    path = written(tmp_path, f"Name;City\n{name};\n".encode(encoding))
    with contextlib.suppress(Refused):
        return cells_of(path)[0][0]
    return None


def test_vietnamese_is_read_with_its_tones(tmp_path):
    names = ["Nguyễn Văn Hùng", "Trần Thị Hương", "Lê Đức Thắng", "Phạm Quốc Bảo"]
    path = written(
        tmp_path, ("Name;City\n" + "".join(f"{with_tones_apart(name)};\n" for name in names)).encode("cp1258")
    )
    assert [row[0] for row in cells_of(path)] == names


def test_tones_at_the_edges_of_blocks_stay_with_their_letters(tmp_path):
    row = with_tones_apart("Trần Thị Hương;Huế\n")
    path = written(tmp_path, ("Name;City\n" + row * 20_000).encode("cp1258"))
    assert {tuple(map(str, row)) for row in cells_of(path)} == {("Trần Thị Hương", "Huế")}


def with_tones_apart(text: str) -> str:
    """Return the text as Windows-1258 has it."""
    tones = dict.fromkeys("\u0300\u0301\u0303\u0309\u0323")
    out = []
    for letter in text:
        apart = unicodedata.normalize("NFD", letter)
        base = unicodedata.normalize("NFC", "".join(mark for mark in apart if mark not in tones))
        out.append(base + "".join(mark for mark in apart if mark in tones))
    return "".join(out)


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("cp850.csv", ["Jürgen", "Lefèvre"], "Größe GmbH"),
        ("cp437.csv", ["José", "Müller"], None),
        ("cp1254.csv", ["Mehmet", "Yılmaz"], None),
        ("cp1251.csv", ["Иван", "Петров"], "ООО Ромашка"),
        ("sjis.csv", ["太郎", "山田"], "株式会社ノルド"),
    ],
)
def test_files_of_other_systems_are_read_with_their_letters(name, first, last):
    rows = cells_of(CASES / name)
    assert rows[0][:2] == first
    assert last is None or rows[-1][3] == last


@pytest.mark.parametrize("name", ["macroman_cr.csv", "mixed_eol.csv"])
def test_lines_that_end_with_a_carriage_return_are_rows(name):
    rows = cells_of(CASES / name)
    assert [row[0] for row in rows] == {
        "macroman_cr.csv": ["Jürgen", "Zoë"],
        "mixed_eol.csv": ["Ada", "Ben"],
    }[name]


@pytest.mark.parametrize(
    "content",
    [
        "Name;City\rAda;Rome\rBen;Bonn\r",
        "Name;City\r\nAda;Rome\rBen;Bonn\n",
        "Name;City\nAda;Rome\rBen;Bonn",
        "Name;City\r\r\nAda;Rome\r\r\nBen;Bonn\r\r\n",
        'Name;City\r"Ada";Rome\r"Ben";Bonn\r',
    ],
)
def test_line_ends_of_every_system_are_line_ends_also_in_one_file(tmp_path, content):
    assert cells_of(written(tmp_path, content.encode())) == [["Ada", "Rome"], ["Ben", "Bonn"]]


def test_carriage_returns_at_the_edges_of_blocks_end_one_line_each(tmp_path):
    for ending in ("\r", "\r\n"):
        rows = [[f"Ada{number:05}", "Rome"] for number in range(20_000)]
        text = ending.join(["Name;City", *(";".join(row) for row in rows)])
        assert cells_of(written(tmp_path, text.encode())) == rows


def test_damaged_utf_8_whose_lines_end_with_carriage_returns_stays_utf_8(tmp_path):
    path = written(tmp_path, "Name;City\rJosé;Rome\rZoë;Rome\r".encode() + b"Jos\xe9;Rome\r")
    with open_rows(path) as rows:
        assert rows.options.encoding == "utf-8"


def test_a_refusal_names_the_encodings_and_the_options_that_read_them(tmp_path):
    # the same letter of Lithuanian, Western and Central European words
    path = written(tmp_path, b"Name;City\nMigl\xeb;\n\xc0\xfeuolas;\n")
    with pytest.raises(Refused) as caught:
        cells_of(path)
    options = [part.split()[0].strip(",;") for part in str(caught.value).split("--encoding ")[1:]]
    assert len(options) == 3
    for option in options:
        assert encoding_label(resolve_encoding(option)) in str(caught.value)
        assert cells_of(path, ReadOptions(encoding=resolve_encoding(option)))


@pytest.mark.parametrize("encoding", CANDIDATES)
def test_the_name_of_each_encoding_can_be_given(encoding):
    assert resolve_encoding(encoding_label(encoding)) == encoding


def test_bytes_that_are_no_text_are_refused(tmp_path):
    source = random.Random(7)
    path = written(tmp_path, b"Name;City\n" + bytes(source.randrange(128, 256) for _ in range(4000)) + b"\n")
    with pytest.raises(Refused, match=r"no usual encoding.*--encoding"):
        cells_of(path)


def test_a_rare_letter_after_many_common_ones_decides(tmp_path):
    text = "Name;City\n" + "Jürgen Müller;Köln\n" * 30_000 + "Łukasz Świątek;Łódź\nPaweł Źrebię;Kraków\n"
    assert cells_of(written(tmp_path, text.encode("cp1250")))[-1][0] == "Paweł Źrebię"


@pytest.mark.parametrize(
    "run", [b"x" * 3_000_000 + b"\xe9", b"\xe9" + b"x" * 3_000_000, b"\xe9x" * 1_500_000]
)
def test_a_long_run_of_letters_is_read_once_and_leaves_a_small_sample(run):
    class Counted(io.BytesIO):
        taken = 0

        def readline(self, size: int | None = -1) -> bytes:
            line = super().readline(size)
            self.taken += len(line)
            return line

    stream = Counted(run)
    units = read_sample(stream).units
    assert stream.taken == len(run)
    assert 0 < sum(map(len, units)) < 1000


def test_the_sample_of_a_large_text_is_as_small_as_that_of_a_smaller_one():
    source = random.Random(3)
    letters = "abcdefgäöüßéèñ"
    words = ["".join(source.choices(letters, k=8)) for _ in range(20_000)]
    small, large = (
        read_sample(io.BytesIO("\n".join(words[:n]).encode("cp1252"))).units for n in (2_000, 20_000)
    )
    assert small == large
