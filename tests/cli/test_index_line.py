"""What a person at a terminal sees while a server makes its search index."""

import io
from contextlib import redirect_stderr

import pytest
import structlog

from firmograph.cli.logs import set_up_logs
from firmograph.cli.progress import IndexLine

pytestmark = pytest.mark.no_database


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    yield Terminal()
    structlog.reset_defaults()


def test_one_line_shows_how_many_records_are_in_and_goes_when_it_is_done(terminal):
    with redirect_stderr(terminal):
        line = IndexLine()
        line.show(None)
        assert terminal.getvalue() == ""
        line.show((6_000, 57_000))
        line.show((12_000, 57_000))
        line.show(None)
    shown = terminal.getvalue()
    assert "Making the search index" in shown
    assert "12000/57000" in shown
    # the line is taken away at the end
    assert shown.rstrip("\r").endswith("\x1b[2K")


def test_log_lines_stand_above_it(terminal):
    with redirect_stderr(terminal):
        set_up_logs("info")
        line = IndexLine()
        line.show((6_000, 57_000))
        structlog.get_logger().info("ready")
        line.show(None)
    # on a line of its own, below which the progress line is drawn again
    log = terminal.getvalue().partition("ready")
    assert "Making the search index" in log[2]
