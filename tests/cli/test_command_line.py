import re
import socket
import subprocess
import sys

import httpx

HEAVY = ("litestar", "sqlalchemy", "alembic", "uvicorn", "pyarrow", "phonenumbers", "cryptography")


def test_help_shows_every_command_and_loads_nothing_heavy():
    program = (
        "import sys; sys.argv = ['firmograph', '--help']; from firmograph.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.endswith("[]\n")
    for name in ("serve", "account", "key", "user", "credits", "ledger", "suppress", "unsuppress"):
        assert re.search(rf"\b{name} ", out)


def test_wrong_usage_ends_with_2(command):
    done = command("account", "create")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Missing argument" in done.stderr


def test_an_unknown_command_ends_with_2_and_names_the_nearest(command):
    done = command("serv")
    assert done.returncode == 2
    assert "Did you mean 'serve'" in done.stderr


def test_a_refusal_is_one_line_and_ends_with_1(command):
    done = command("account", "show", "nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"Error: [^\n]+\n", done.stderr)


def test_a_setting_that_does_not_fit_is_one_line(command):
    done = command("serve", FIRMOGRAPH_MATCH_MARGIN="much")
    assert done.returncode == 1
    assert re.fullmatch(r"Error: FIRMOGRAPH_MATCH_MARGIN: [^\n]+\n", done.stderr)


def test_the_database_option_wins_over_the_environment(command, tmp_path):
    other = tmp_path / "other.db"
    assert command("--database", f"sqlite:///{other}", "account", "create", "There").returncode == 0
    assert command("account", "show", "There").returncode == 1
    assert other.exists()


def test_a_database_of_another_kind_is_refused(command):
    done = command("account", "list", FIRMOGRAPH_DATABASE_URL="mysql://user:secret@host/db")
    assert done.returncode == 1
    assert "secret" not in done.stderr


def test_a_folder_that_is_missing_is_named(command, tmp_path):
    done = command("account", "list", FIRMOGRAPH_DATABASE_URL=f"sqlite:///{tmp_path}/no/where.db")
    assert re.fullmatch(r"Error: The folder .*/no of the database does not exist[^\n]+\n", done.stderr)


def test_a_file_that_is_no_database_is_named(command, tmp_path):
    (tmp_path / "text.db").write_text("no database, but text that is long enough to be looked at" * 50)
    done = command("account", "list", FIRMOGRAPH_DATABASE_URL=f"sqlite:///{tmp_path}/text.db")
    assert done.returncode == 1
    assert re.fullmatch(r"Error: The database .*text.db cannot be opened: [^\n]+\n", done.stderr)


def test_more_than_one_worker_is_refused(command):
    done = command("serve", "--workers", "2")
    assert done.returncode == 1
    assert re.fullmatch(r"Error: --workers above 1 [^\n]+\n", done.stderr)


def test_a_port_in_use_is_one_line(command):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = command("serve", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr == f"Error: Port {port} on 127.0.0.1 is in use; choose another with --port\n"


def test_a_served_account_is_known_and_a_revoked_key_is_not(command, server):
    command.json("account", "create", "Acme")
    key = command.json("key", "create", "--account", "Acme")["apiKey"]
    usage = f"{server.url}/v3/account/usage"
    assert httpx.get(usage, headers={"api_key": key}).status_code == 200
    command.json("key", "revoke", "--account", "Acme", key)
    assert httpx.get(usage, headers={"api_key": key}).status_code == 401
    command.json("account", "create", "Beta")
    key = command.json("key", "create", "--account", "Beta")["apiKey"]
    command.json("account", "disable", "Beta")
    assert httpx.get(usage, headers={"api_key": key}).status_code == 403


def test_an_interrupted_server_says_where_it_was_and_ends_well(server):
    log = server.stop()
    assert server.process.returncode == 0
    assert f"http://127.0.0.1:{server.port}" in log
    assert "/docs" in log


def test_what_was_counted_survives_a_restart(command, server):
    command.json("account", "create", "Acme")
    key = command.json("key", "create", "--account", "Acme")["apiKey"]
    for _ in range(5):
        assert httpx.get(f"{server.url}/account/usage", headers={"api_key": key}).status_code == 200
    server.stop()
    again = type(server)(command, server.port)
    try:
        again.wait_until_ready()
        answer = httpx.get(f"{again.url}/account/usage", headers={"api_key": key})
        assert int(answer.headers["x-daily-usage"]) >= 5
    finally:
        again.stop()
