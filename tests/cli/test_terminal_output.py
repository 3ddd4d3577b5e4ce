"""What commands print on a terminal of 80 columns and on a pipe, over a part of the demo data."""

import json
import re
import sys
from functools import partial
from io import BytesIO, TextIOWrapper
from types import SimpleNamespace

import pytest
from rich.cells import cell_len

import database_fixtures
from command_fixtures import InProcess, Terminal, TerminalStream
from demo_factory import DEMO, demo_part
from firmograph.cli.webhooks.output import write_failures, write_subscriptions
from firmograph.security.record_ids import Entity
from firmograph.webhooks.types import DeadLetter, SubscriptionStatus

pytestmark = pytest.mark.any_database

WIDTH = 80
URL = "https://hooks.customer.example.com/firmograph/deliveries/of-signals?tenant=4711"
SUBSCRIPTIONS = [
    SubscriptionStatus(
        "3f1c7a52-0d53-4c57-a3a4-6b1f4d6d6b11", Entity.COMPANY, "v1.10B122RScj93-8Gc1-mV8UDQkXVawdYL",
        "surgeInHiring,headcountIncrease12m", None, URL, 1, None, None, 1_204, 0, 3,
    )
]  # fmt: skip
FAILURES = [
    DeadLetter(
        1, "8f14e45f-ceea-467f-ab6c-1f2e3d4c5b6a", 0, 1, 1, "3f1c7a52-0d53-4c57-a3a4-6b1f4d6d6b11",
        "v1.10B122RScj93-8Gc1-mV8UDQkXVawdYL", URL, 1, 1_790_000_000.0,
    )
]  # fmt: skip

TABLES = [
    "account list",
    "account list --ids",
    "key list --account acme",
    "user list --account acme --ids",
    "prospect contacts --country US --limit 8",
    "prospect contacts --country US --limit 8 --ids",
    "prospect companies --country US --limit 8",
    "prospect companies --country US --limit 8 --ids",
    "lookalike companies --seeds seeds.txt --limit 4",
    "lookalike companies --seeds seeds.txt --limit 4 --ids --explain",
    "lookalike contacts --seeds people.txt --limit 4 --explain",
    "buying-group --domain northwind.example.com",
    "buying-group --domain northwind.example.com --explain --ids",
    "signals list",
    "signals list --ids",
    "table list --account acme",
    "table runs Targets --account acme",
    "table column add Targets --account acme industry employeeCount",
    "table run Targets industry --account acme --dry-run",
]
"""Commands that print one table."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Return an installation with demo data, an account and a table, its commands on a terminal and on a pipe."""
    folder = tmp_path_factory.mktemp("demo")
    url = database_fixtures.fresh(folder)
    terminal, pipe = Terminal(folder, url), InProcess(folder, url)
    for kind, every in (("companies", 400), ("contacts", 400)):
        assert pipe("import", kind, str(demo_part(kind, folder, every))).returncode == 0
    assert pipe("import", "headcounts", str(DEMO / "signals" / "made-up-headcounts.jsonl.gz")).returncode == 0
    ids = {}
    for entity, file in (("contacts", "people.txt"), ("companies", "seeds.txt")):
        found = pipe.json("prospect", entity, "--country", "US", "--limit", "5")["results"]
        ids[entity] = [row["id"] for row in found]
        (folder / file).write_text("\n".join(["id", *ids[entity]]))
    (folder / "seeds.csv").write_text(
        "Company name,Website\n" + "Acme Incorporated of Springfield,acme.example\n" * 3
    )
    for line in (
        "account create acme --credits 1000",
        "account create another-account-with-quite-a-long-name-for-a-table",
        "key create --account acme",
        "user add --account acme dana.with.a.long.address@subsidiary.acme.example --role admin",
        "table create Targets --account acme --owner dana.with.a.long.address@subsidiary.acme.example"
        " --entity companies --shared",
        "table add Targets --account acme seeds.txt",
        "table column add Targets --account acme domain industry employeeCount revenueRange",
        "worker --once",
    ):
        done = pipe(*line.split())
        assert done.returncode == 0, done.stderr
    names = {"CONTACT": ids["contacts"][0], "COMPANY": ids["companies"][0]}
    yield SimpleNamespace(
        terminal=terminal, pipe=pipe, words=lambda line: [names.get(w, w) for w in line.split()]
    )
    database_fixtures.drop(url)


def assert_rows_fit(screen, piped):
    """Each row is one line of the screen, whose cells are whole or end in an ellipsis after at least ten characters."""
    heads, *rows = [line.split("\t") for line in piped.splitlines()]
    lines = [line for line in screen.splitlines() if not line.startswith("    ")]
    if not rows:
        assert not screen
        return
    assert len(lines) == len(rows) + 1, screen
    assert max(map(cell_len, screen.splitlines())) <= WIDTH
    for line, row in zip(lines, [heads, *rows], strict=True):
        for cell in re.split(r"\s{2,}", line.strip()):
            text = cell.replace(",", "") if re.fullmatch(r"[\d,]+", cell) else cell
            cut = (
                cell.endswith("…")
                and len(cell) > 10
                and any(value.startswith(cell[:-1].rstrip()) for value in row)
            )
            assert text in row or cut, (cell, row)


@pytest.mark.parametrize("line", TABLES)
def test_a_table_fits_80_columns_and_is_whole_on_a_pipe(demo, line):
    screen, pipe = (run(*demo.words(line)) for run in (demo.terminal, demo.pipe))
    assert (screen.returncode, pipe.returncode) == (0, 0), screen.stderr
    assert "…" not in pipe.stdout
    assert_rows_fit(screen.stdout, pipe.stdout)


@pytest.mark.parametrize(
    "line",
    [
        "record show CONTACT",
        "record show COMPANY",
        "import companies seeds.csv --preview",
        "import undo 2 --dry-run",
        "source remove default --dry-run",
        "report quality",
        "status",
    ],
)
def test_several_tables_fit_80_columns(demo, line):
    screen = demo.terminal(*demo.words(line))
    assert (screen.returncode, bool(screen.stdout)) == (0, True), screen.stderr
    assert max(map(cell_len, screen.stdout.splitlines())) <= WIDTH


@pytest.mark.parametrize("width", ["100", "160"])
def test_wider_terminals_show_more_columns(demo, width):
    line = ("prospect", "companies", "--country", "US", "--limit", "5")
    narrow, wide = demo.terminal(*line).stdout, demo.terminal(*line, COLUMNS=width).stdout
    assert len(wide.splitlines()[0].split()) >= len(narrow.splitlines()[0].split())
    assert max(map(cell_len, wide.splitlines())) <= int(width)


@pytest.mark.parametrize(
    "write", [partial(write_subscriptions, SUBSCRIPTIONS), partial(write_failures, FAILURES)]
)
def test_tables_of_webhooks_fit_80_columns(monkeypatch, write):
    for name, value in (("TERM", "dumb"), ("COLUMNS", str(WIDTH)), ("LINES", "25")):
        monkeypatch.setenv(name, value)
    shown = []
    for stream in (TextIOWrapper, TerminalStream):
        monkeypatch.setattr(sys, "stdout", stream(BytesIO(), encoding="utf-8", write_through=True))
        write(ids=False)
        shown.append(sys.stdout.buffer.getvalue().decode())
    assert_rows_fit(shown[1], shown[0])


def test_a_table_is_shown_with_its_columns_on_a_terminal_and_by_its_rows_on_a_pipe(demo):
    line = ("table", "show", "Targets", "--account", "acme")
    screen, pipe = demo.terminal(*line).stdout, demo.pipe(*line).stdout
    assert max(map(cell_len, screen.splitlines())) <= WIDTH
    _, _, content = screen.split("\n\n")
    assert_rows_fit(content, pipe)
    assert len(pipe.splitlines()) == 6


@pytest.mark.parametrize(
    "line",
    ["prospect contacts --country US --limit 3", "lookalike companies --seeds seeds.txt", "worker --once"],
)
def test_hints_and_progress_are_for_terminals(demo, line):
    pipe = demo.pipe(*line.split())
    assert "━" not in pipe.stderr
    assert "; " not in pipe.stderr
    assert "shows" not in pipe.stdout


def test_csv_and_json_are_data_alone_on_a_terminal(demo):
    line = ("prospect", "contacts", "--country", "US", "--limit", "3")
    assert len(json.loads(demo.terminal(*line, "--json").stdout)["results"]) == 3
    assert len(demo.terminal(*line, "--format", "csv").stdout.splitlines()) == 4


def test_an_import_reports_within_80_columns(demo):
    (demo.terminal.folder / "people.csv").write_text("Full Name,Email\nAnn Example,ann@acme.example\n")
    done = demo.terminal("import", "contacts", "people.csv", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert max(map(cell_len, done.stdout.splitlines())) <= WIDTH
