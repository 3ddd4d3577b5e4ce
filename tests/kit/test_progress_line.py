"""The progress line at a terminal while a server builds its search index."""

import io
from contextlib import redirect_stderr

import pytest
import structlog

from firmograph.kit.logs import set_up_logs
from firmograph.kit.progress_bar import ProgressLine

pytestmark = pytest.mark.no_database


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    yield Terminal()
    structlog.reset_defaults()


def test_one_line_shows_the_number_of_indexed_records_until_the_end(terminal):
    with redirect_stderr(terminal):
        line = ProgressLine("Building the search index")
        line.show(None)
        assert terminal.getvalue() == ""
        line.show((6_000, 57_000))
        line.show((12_000, 57_000))
        line.show(None)
    output = terminal.getvalue()
    assert "Building the search index" in output
    assert "12000/57000" in output
    # the line is cleared at the end
    assert output.rstrip("\r").endswith("\x1b[2K")


def test_log_lines_are_above_the_progress_line(terminal):
    with redirect_stderr(terminal):
        set_up_logs("info")
        line = ProgressLine("Building the search index")
        line.show((6_000, 57_000))
        structlog.get_logger().info("ready")
        line.show(None)
    # on a line of its own, below which the progress line is drawn again
    log = terminal.getvalue().partition("ready")
    assert "Building the search index" in log[2]
