"""Tables of results on terminals of any width, and on pipes."""

import re
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.cells import cell_len

from firmograph.cli.output import Column, Details, write_fields, write_table
from firmograph.cli.sentences import say
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database

ROWS = [
    ("Ann Example", "Vice President of Engineering and Operations", "acme.example", 12_000, "v1.aaaaaaaaaaaaaaaa"),
    ("王小明" * 6, "Clerk [bold]", "b.example", None, "v1.bbbbbbbbbbbbbbbb"),
]  # fmt: skip
COLUMNS = [
    Column("NAME", lambda row: row[0]),
    Column("TITLE", lambda row: row[1], 1, least=20),
    Column("DOMAIN", lambda row: row[2], 2, whole=True),
    Column("EMPLOYEES", lambda row: row[3], 3),
    Column("ID", lambda row: row[4], is_id=True),
]
WHY = Details(
    "WHY", lambda row: [f"because of {row[0]} and of a reason that takes more than a line", "0.1 other"]
)


class Terminal(StringIO):
    def isatty(self):
        return True


@pytest.fixture
def shown(monkeypatch):
    """Return a function that returns the lines of a table on a terminal of a width."""

    def show(width, rows=ROWS, columns=COLUMNS, **options):
        set_width(monkeypatch, width)
        out = Terminal()
        write_table(rows, columns, out, **options)
        return out.getvalue().splitlines()

    return show


def set_width(monkeypatch, width):
    for name, value in (("TERM", "dumb"), ("COLUMNS", str(width)), ("LINES", "25")):
        monkeypatch.setenv(name, value)


def heads(line):
    return line.split()


@pytest.mark.parametrize("width", [20, 36, 40, 60, 80, 100, 160])
def test_no_line_is_longer_than_the_terminal(shown, width):
    for ids in (False, True):
        assert max(map(cell_len, shown(width, ids=ids, details=WHY))) <= width


def test_columns_of_the_highest_rank_go_first(shown):
    assert heads(shown(80)[0]) == ["NAME", "TITLE", "DOMAIN", "EMPLOYEES"]
    assert heads(shown(55)[0]) == ["NAME", "TITLE", "DOMAIN"]
    assert heads(shown(40)[0]) == ["NAME", "TITLE"]
    assert heads(shown(20)[0]) == ["NAME"]


def test_a_column_without_values_goes_before_all_others(shown):
    columns = [*COLUMNS[:2], Column("EMPTY", lambda row: None), *COLUMNS[2:4]]
    assert heads(shown(80, columns=columns)[0]) == ["NAME", "TITLE", "DOMAIN", "EMPLOYEES"]
    assert "EMPTY" in shown(160, columns=columns)[0]


def test_texts_end_in_an_ellipsis_and_keep_their_least_width(shown):
    _, ann, clerk = shown(55)
    assert re.match(r"Ann Example +Vice President of \w*…  acme\.example *$", ann)
    assert re.match(r"(王小明)+[王小]*…  Clerk \[bold\]", clerk) or "…" in clerk.split("  ")[0]


def test_domains_numbers_and_ids_are_never_cut(shown):
    lines = shown(100, ids=True)
    assert lines[1].split()[-3:] == ["acme.example", "12,000", "v1.aaaaaaaaaaaaaaaa"]
    assert "v1.bbbbbbbbbbbbbbbb" in shown(40, ids=True)[2]


def test_an_id_in_a_column_of_texts_is_never_cut_and_a_path_keeps_its_end(shown):
    id = "v1.wXz07i0N9oHgHAbbyFnQzX8Er60bht-2"
    columns = [
        Column("FIELD", lambda row: row[0], least=20, ends=True),
        Column("VALUE", lambda row: row[1]),
        Column("SOURCE", lambda row: row[2], least=9),
    ]
    row = ("previousEmployment.0.company.linkedinUrl", id, "an-export-with-a-long-name")
    for width in (68, 80, 100):
        (line,) = shown(width, [row], columns)[1:]
        assert id in line
        assert len(line) <= width
    assert shown(68, [row], columns)[1].startswith("…company.linkedinUrl")


def test_a_sentence_breaks_between_words_on_a_terminal_and_not_on_a_pipe(monkeypatch):
    set_width(monkeypatch, 40)
    text = "\nThe file marks 1 person as opted out; `firmograph import opted-out` lists them"
    for out, lines in (
        (
            Terminal(),
            ["", "The file marks 1 person as opted out;", "  `firmograph import opted-out` lists", "  them"],
        ),
        (StringIO(), text.split("\n")),
    ):
        monkeypatch.setattr(sys, "stdout", out)
        say(text)
        assert out.getvalue().splitlines() == lines


def test_ids_come_last_and_only_if_requested(shown):
    assert heads(shown(160)[0])[-1] == "EMPLOYEES"
    assert heads(shown(160, ids=True)[0])[-1] == "ID"


def test_each_row_is_a_block_where_no_table_fits(shown):
    lines = shown(30, ids=True)
    assert lines[0].split() == ["NAME", "Ann", "Example"]
    assert "ID         v1.aaaaaaaaaaaaaaaa" in [line.rstrip() for line in lines]
    assert lines.count("") == 1


def test_details_are_indented_lines_under_their_row(shown):
    lines = shown(80, details=WHY)
    assert lines[1].startswith("Ann Example ")
    assert lines[2].rstrip() == "    because of Ann Example and of a reason that takes more than a line"
    assert lines[3] == "    0.1 other"
    assert lines[4].startswith("王小明")


def test_a_pipe_gets_whole_values_separated_by_tabs_with_a_header():
    out = StringIO()
    rows = [("a\tb", "line\r\nbreak", "x" * 200, 12_000, "id")]
    write_table(rows, COLUMNS, out, ids=True, details=Details("WHY", lambda row: ["one", "two"]))
    assert out.getvalue() == (
        "NAME\tTITLE\tDOMAIN\tEMPLOYEES\tID\tWHY\n" + f"a b\tline break\t{'x' * 200}\t12000\tid\tone; two\n"
    )


def test_without_rows_a_terminal_shows_a_text_and_a_pipe_the_header(shown):
    assert shown(80, rows=[], empty="No [people]") == ["No [people]"]
    assert shown(80, rows=[]) == []
    out = StringIO()
    write_table([], COLUMNS, out, empty="No people")
    assert out.getvalue() == "NAME\tTITLE\tDOMAIN\tEMPLOYEES\n"


def test_control_characters_do_not_reach_a_terminal(shown):
    line = shown(80, rows=[("\x1b[31mred\x07", "a\nb", "", 1, "")])[1]
    assert "\x1b" not in line
    assert re.match(r" \[31mred +a b +1$", line)


def test_fields_of_one_record_are_lines_of_name_and_value(monkeypatch):
    set_width(monkeypatch, 20)
    fields = [("Records", 12_000), ("Path", "a long path with words"), ("Last", None)]
    terminal, pipe = Terminal(), StringIO()
    for out in (terminal, pipe):
        write_fields(fields, out)
    assert [line.rstrip() for line in terminal.getvalue().splitlines()] == [
        "Records  12,000",
        "Path     a long path",
        "         with words",
    ]
    assert pipe.getvalue() == "Records\t12000\nPath\ta long path with words\n"


def test_a_full_disk_is_refused_in_one_line(monkeypatch):
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(Refused, match="The output cannot be written: No space left on device"):
            write_table(ROWS, COLUMNS)
