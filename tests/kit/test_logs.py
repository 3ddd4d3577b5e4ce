import json
import logging
import sqlite3

import pytest
import structlog

from firmograph.kit.logs import set_up_logs

pytestmark = pytest.mark.no_database


@pytest.fixture(autouse=True)
def untouched():
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


def fail_with(secret: str) -> None:
    raise RuntimeError("broken")


def lines(capsys) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_failure_is_one_line_of_json_without_user_data(capsys):
    set_up_logs("info")
    address = "@".join(("ann", "example.com"))
    try:
        fail_with(address)
    except RuntimeError:
        structlog.get_logger().exception("failed", request_id="r-1")
    (line,) = lines(capsys)
    assert (line["event"], line["level"], line["request_id"]) == ("failed", "error", "r-1")
    assert address not in json.dumps(line)
    assert "RuntimeError" in json.dumps(line)


@pytest.mark.parametrize("watched", [False, True])
def test_a_logged_failure_never_contains_the_offending_value(capsys, monkeypatch, watched):
    monkeypatch.setattr("sys.stderr.isatty", lambda: watched, raising=False)
    set_up_logs("debug")
    address = "@".join(("ann", "example.com"))
    try:
        try:
            int(address)
        except ValueError as error:
            raise KeyError(address) from error
    except KeyError:
        structlog.get_logger().exception("failed", request_id="r-1")
        logging.getLogger("library").exception("failed too")
    written = capsys.readouterr().err
    for part in ("failed too", "KeyError", "ValueError", "test_logs.py"):
        assert part in written
    assert address not in written


def test_a_database_failure_is_logged_with_its_cause(capsys):
    set_up_logs("info")
    try:
        raise sqlite3.OperationalError("database or disk is full")
    except sqlite3.OperationalError:
        structlog.get_logger().exception("failed")
    assert "database or disk is full" in capsys.readouterr().err


def test_a_failure_with_circular_causes_is_logged_once(capsys):
    set_up_logs("info")
    first, second = ValueError(), KeyError()
    first.__context__, second.__context__ = second, first
    try:
        raise first
    except ValueError:
        structlog.get_logger().exception("failed")
    (line,) = lines(capsys)
    assert line["event"] == "failed"
    assert line["exception"].count("ValueError\n") == line["exception"].count("KeyError\n") == 1


def test_events_below_the_level_are_not_written(capsys):
    set_up_logs("warning")
    structlog.get_logger().info("quiet")
    assert lines(capsys) == []


def test_warnings_of_libraries_are_written_in_the_same_form(capsys):
    set_up_logs("info")
    logging.getLogger("uvicorn.error").warning("Unsupported upgrade request.")
    logging.getLogger("uvicorn.error").info("quiet")
    (line,) = lines(capsys)
    assert line["event"] == "Unsupported upgrade request."
