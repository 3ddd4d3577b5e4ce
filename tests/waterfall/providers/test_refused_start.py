"""Starts of `serve` and `worker` with a providers file that does not fit."""

import pytest

import database_fixtures
from command_fixtures import Forked
from server_fixtures import free_port


@pytest.mark.sqlite
@pytest.mark.parametrize("words", [("serve", "--port"), ("serve", "--workers", "2", "--port"), ("worker",)])
def test_a_start_is_refused_with_the_place_and_nothing_is_served(tmp_path, words):
    file = tmp_path / "providers.toml"
    file.write_text('[providers.bureau]\nkind = "fax"\n')
    command = Forked(tmp_path, database_fixtures.fresh(tmp_path))
    port = [str(free_port())] if words[-1] == "--port" else []
    done = command(*words, *port, FIRMOGRAPH_PROVIDERS_FILE=str(file))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()[-1:]
    assert "providers.bureau.kind: must be one of" in line
    assert str(file) in line
    assert "127.0.0.1" not in done.stdout + done.stderr
