import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys

import pytest
from litestar.testing import TestClient

from command_fixtures import Forked
from firmograph.bootstrap.application import create_app
from firmograph.bootstrap.assembly import make_installation
from firmograph.cli import main
from firmograph.cli.context import open_database
from firmograph.kit.errors import Busy, Refused
from firmograph.settings import Settings, load_settings, misnamed_settings
from server_fixtures import Service

HEAVY = ("litestar", "sqlalchemy", "alembic", "uvicorn", "pyarrow", "phonenumbers", "cryptography")


@pytest.mark.any_database
def test_help_shows_every_command_and_loads_nothing_heavy():
    program = (
        "import sys; sys.argv = ['firmograph', '--help']; from firmograph.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.endswith("[]\n")
    for name in main.COMMANDS:
        assert re.search(rf"\b{name} ", out)


@pytest.mark.any_database
def test_wrong_usage_ends_with_2(in_process):
    done = in_process("account", "create")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Missing argument" in done.stderr


@pytest.mark.any_database
def test_an_unknown_command_ends_with_2_and_suggests_the_nearest(in_process):
    done = in_process("serv")
    assert done.returncode == 2
    assert "Did you mean 'serve'" in done.stderr


@pytest.mark.any_database
def test_a_refusal_is_one_line_and_ends_with_1(command):
    done = command("account", "show", "nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"Error: [^\n]+\n", done.stderr)


@pytest.mark.any_database
def test_an_unknown_setting_is_warned_about_with_the_nearest_one(in_process):
    done = in_process("account", "list", FIRMOGRAPH_LOGLEVEL="secret", FIRMOGRAPH_TEST_DATABASE="sqlite")
    assert done.returncode == 0
    assert (
        done.stderr == "Warning: FIRMOGRAPH_LOGLEVEL is not a setting; did you mean FIRMOGRAPH_LOG_LEVEL?\n"
    )


def test_a_server_and_a_worker_log_the_warning(tmp_path, database_url):
    done = Forked(tmp_path, database_url)("worker", "--once", FIRMOGRAPH_MATCH_TRESHOLD="0.5")
    (line,) = [json.loads(line) for line in done.stderr.splitlines() if "no setting" in line]
    assert (line["level"], line["variable"]) == ("warning", "FIRMOGRAPH_MATCH_TRESHOLD")
    assert line["nearest"] == "FIRMOGRAPH_MATCH_THRESHOLD"


@pytest.mark.any_database
def test_every_setting_of_the_program_is_recognised():
    names = [f"FIRMOGRAPH_{name.upper()}" for name in Settings.__struct_fields__]
    assert misnamed_settings(dict.fromkeys([*names, "FIRMOGRAPH_WEBHOOK_SECRET", "PATH"], "")) == []


@pytest.mark.any_database
def test_an_invalid_setting_is_one_line(in_process):
    done = in_process("serve", FIRMOGRAPH_MATCH_MARGIN="much")
    assert done.returncode == 1
    assert re.fullmatch(r"Error: FIRMOGRAPH_MATCH_MARGIN: [^\n]+\n", done.stderr)


@pytest.mark.any_database
def test_an_unknown_search_engine_is_refused_before_the_server_shows_its_address(in_process):
    done = in_process("serve", FIRMOGRAPH_SEARCH_ENGINE="elastic")
    assert done.returncode == 1
    assert done.stdout + done.stderr == "Error: FIRMOGRAPH_SEARCH_ENGINE: must be one of memory\n"


@pytest.mark.parametrize(
    "line",
    [
        "--database {} account create There",
        "account create There --database {}",
        "account create --database={} There",
    ],
)
def test_the_database_option_overrides_the_environment_in_any_position(in_process, empty, line):
    assert in_process(*line.format(empty.url).split()).returncode == 0
    assert in_process("account", "show", "There").returncode == 1
    assert empty.session().raw.execute("SELECT name FROM accounts").fetchall() == [("There",)]


@pytest.mark.any_database
def test_a_database_of_another_kind_is_refused(in_process):
    done = in_process("account", "list", FIRMOGRAPH_DATABASE_URL="mysql://user:secret@host/db")
    assert done.returncode == 1
    assert "secret" not in done.stderr


@pytest.mark.sqlite
def test_a_missing_folder_is_named(in_process, tmp_path):
    done = in_process("account", "list", FIRMOGRAPH_DATABASE_URL=f"sqlite:///{tmp_path}/no/where.db")
    assert re.fullmatch(r"Error: The folder .*/no of the database does not exist[^\n]+\n", done.stderr)


@pytest.mark.sqlite
def test_a_file_other_than_a_database_is_named(in_process, tmp_path):
    (tmp_path / "text.db").write_text("no database, but text that is long enough to be looked at" * 50)
    done = in_process("account", "list", FIRMOGRAPH_DATABASE_URL=f"sqlite:///{tmp_path}/text.db")
    assert done.returncode == 1
    assert re.fullmatch(r"Error: The database .*text.db cannot be opened: [^\n]+\n", done.stderr)


@pytest.mark.any_database
@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_url_without_a_file_is_refused_with_the_form_to_write(in_process, url):
    done = in_process("--database", url, "account", "list")
    assert done.returncode == 1
    assert re.fullmatch(
        rf"Error: {url} is not the URL of a database file; [^\n]+sqlite:///FILE.db\n", done.stderr
    )


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("url", "named"),
    [("x.db", "x.db"), ("://x", "://x"), (" ", "An empty text"), ("", "An empty text")],
)
def test_a_text_that_is_no_url_is_refused_with_the_forms_of_both_databases(in_process, url, named):
    done = in_process("copy-database", "--to", url)
    assert (done.returncode, done.stderr) == (
        1,
        f"Error: {named} is not the URL of a database; write it as sqlite:///FILE.db or"
        " postgresql+psycopg://USER@HOST/NAME\n",
    )


def test_a_database_of_another_program_is_left_alone(in_process, empty):
    empty.session().raw.execute("CREATE TABLE accounts (x INTEGER)")
    done = in_process("--database", empty.url, "account", "list")
    assert done.returncode == 1
    assert re.fullmatch(
        rf"Error: The database {empty.name} holds the tables of another program[^\n]+\n", done.stderr
    )
    assert empty.session().tables() == {"accounts"}


@pytest.mark.sqlite
def test_a_read_only_database_is_named(command, database_file, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", f"sqlite:///{database_file}")
    with pytest.raises(Refused, match=r"firmograph.db is not writable; change its permissions"):
        open_database()


@pytest.mark.sqlite
def test_a_database_that_cannot_be_created_is_named(tmp_path, monkeypatch):
    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", f"sqlite:///{tmp_path}/new.db")
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(Refused, match=r"new.db cannot be opened: Permission denied"):
        open_database(creates=True)


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (
            sqlite3.OperationalError("database or disk is full"),
            "The database failed: database or disk is full",
        ),
        (Busy(), "The database is being written by another process; try again shortly"),
    ],
)
def test_a_database_error_during_a_command_is_reported_in_one_line(monkeypatch, capsys, failure, message):
    def fail(args: list[str], prog_name: str) -> None:
        raise failure

    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"Error: {message}\n"


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CAN_REVEAL", "foo", "must be one of names, priced"),
        ("MAX_BODY_BYTES", "abc", "must be a whole number"),
        ("MAX_BODY_BYTES", "0", "must be at least 1"),
        ("MATCH_THRESHOLD", "7", "must be at most 1"),
        ("MATCH_MARGIN", "high", "must be a number"),
        ("REPEAT_REVEAL_DAYS", "-1", "must be at least 0"),
        ("IDEMPOTENCY_HOURS", "0", "must be at least 1"),
        ("BRAND", "7", "must be 1 to 32 letters, digits and hyphens that begin with a letter"),
        ("PUBLIC_URL", "acme.example", "must be an http:// or https:// URL without query and fragment"),
        (
            "PUBLIC_URL",
            "https://acme.example\n",
            "must be an http:// or https:// URL without query and fragment",
        ),
        (
            "PUBLIC_URL",
            "https://acme.example/?a=1",
            "must be an http:// or https:// URL without query and fragment",
        ),
    ],
)
def test_an_invalid_setting_is_refused_with_the_allowed_values(name, value, message):
    with pytest.raises(Refused, match=f"^FIRMOGRAPH_{name}: {message}$"):
        load_settings({f"FIRMOGRAPH_{name}": value})


@pytest.mark.any_database
def test_help_shows_text_in_square_brackets(in_process):
    assert "TOML: [columns] with lines" in in_process("import", "contacts", "--help").stdout


@pytest.mark.any_database
def test_a_port_in_use_is_reported_in_one_line(in_process):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        done = in_process("serve", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr == f"Error: Port {port} on 127.0.0.1 is in use; choose another with --port\n"


@pytest.mark.any_database
def test_an_interrupted_server_shows_its_address_and_exits_with_0(server):
    log = server.stop()
    assert server.process.returncode == 0
    assert f"http://127.0.0.1:{server.port}" in log
    assert "/docs" in log


@pytest.mark.sqlite
def test_a_terminated_server_exits_with_0_and_closes_its_database(server, database_file):
    server.process.send_signal(signal.SIGTERM)
    log = server.process.communicate(timeout=60)[1]
    assert server.process.returncode == 0
    assert "Traceback" not in log
    assert not database_file.with_name(f"{database_file.name}-wal").exists()


@pytest.mark.any_database
def test_rate_limit_counts_survive_a_restart(database, keyring, clock):
    first = Service(database, keyring, clock, Settings())

    def daily_usage(client):
        return int(client.get("/account/usage", headers={"api_key": first.key}).headers["x-daily-usage"])

    with first.client:
        before = [daily_usage(first.client) for _ in range(3)][-1]
    again = create_app(make_installation(Settings(), database, keyring, clock), background=False)
    with TestClient(again, base_url="https://firmograph.test") as client:
        assert daily_usage(client) == before + 1 == 4
