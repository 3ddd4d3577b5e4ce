"""The command line without the time that Python takes to start, in this process or in one that is forked.

For each command, one test with `server_fixtures.Command` shows that Python started for it does the same.
"""

import logging
import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import structlog

from firmograph.cli import main
from process_server import run_loaded
from server_fixtures import Command


class Forked(Command):
    """Commands in processes of their own that have the package loaded."""

    def __call__(self, *arguments: str, **environment: str) -> "CompletedProcess[str]":
        line = ["-m", "firmograph.cli.main", *arguments]
        return run_loaded(line, self.folder, self.environment | environment)


class InProcess(Command):
    """Commands in this process with a folder and environment; `start` starts a process."""

    stream: type[TextIOWrapper] = TextIOWrapper

    def __call__(self, *arguments: str, **environment: str) -> "CompletedProcess[str]":
        out, err = (self.stream(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.folder)
            given = self.environment | environment
            for name in os.environ.keys() - given.keys():
                patch.delenv(name)
            for name, value in given.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["firmograph", *arguments])
            # logging is configured for a whole process, and this one continues; loggers would keep the configuration
            patch.setattr(structlog, "configure", lambda **_: None)
            patch.setattr(logging, "basicConfig", lambda **_: None)
            code = _outcome()
        out_text, err_text = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
        return CompletedProcess(arguments, code, out_text, err_text)


class TerminalStream(TextIOWrapper):
    """Stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Terminal(InProcess):
    """Commands in this process whose output goes to a terminal of 80 columns that knows no escape sequences."""

    stream = TerminalStream

    def __init__(self, folder: Path, database_url: str) -> None:
        super().__init__(folder, database_url)
        self.environment |= {"COLUMNS": "80", "LINES": "25", "TERM": "dumb"}


def _outcome() -> int:
    try:
        main.run()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def import_exit_code(report: Mapping[str, Any]) -> int:
    """Return the exit code of an import or a preview that printed a report: 3 where anything is lost."""
    return 3 if report.get("rejected") or report.get("unread") else 0
