"""The command line in this process, without the second that another process takes to start.

For each command, one test with `server_fixtures.Command` shows that a process of its own does the same.
"""

import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from subprocess import CompletedProcess

import pytest

from firmograph.cli import logs, main
from server_fixtures import Command


class InProcess(Command):
    """Commands in this process with a folder and environment; `start` starts a process."""

    def __call__(self, *arguments: str, **environment: str) -> "CompletedProcess[str]":
        out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.folder)
            given = self.environment | environment
            for name in os.environ.keys() - given.keys():
                patch.delenv(name)
            for name, value in given.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["firmograph", *arguments])
            # logging is configured for a whole process, and this one continues
            patch.setattr(logs, "set_up_logs", lambda level: None)
            code = _outcome()
        out_text, err_text = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
        return CompletedProcess(arguments, code, out_text, err_text)


def _outcome() -> int:
    try:
        main.run()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0
