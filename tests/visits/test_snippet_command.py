"""Command `firmograph visits snippet`."""

import pytest

from command_fixtures import InProcess

PUBLIC = {"FIRMOGRAPH_PUBLIC_URL": "https://data.acme.example/"}


@pytest.fixture
def command(tmp_path, database_url):
    command = InProcess(tmp_path, database_url)
    for account in ("Acme", "Other"):
        command.json("account", "create", account)
    command.json("visits", "track", "acme.com", "--account", "Acme")
    return command


def test_the_snippet_loads_the_script_from_the_public_address(command):
    html = '<script async src="https://data.acme.example/collect/v.js"></script>\n'
    for options in ((), ("--account", "Acme")):
        done = command("visits", "snippet", "acme.com", *options, **PUBLIC)
        assert (done.returncode, done.stdout, done.stderr) == (0, html, "")


def test_a_script_that_pages_on_https_cannot_load_is_said(command):
    done = command("visits", "snippet", "acme.com")
    assert "http://127.0.0.1:8000/collect/v.js" in done.stdout
    assert "Pages on https do not load http://127.0.0.1:8000/collect/v.js" in done.stderr


def test_a_domain_that_is_not_tracked_has_no_snippet(command):
    for options in (("blog.acme.com",), ("acme.com", "--account", "Other"), ("nowhere",)):
        done = command("visits", "snippet", *options)
        assert (done.returncode, done.stdout) == (1, "")
    assert (
        "blog.acme.com is not tracked; track it with" in command("visits", "snippet", "blog.acme.com").stderr
    )
