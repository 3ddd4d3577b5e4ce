"""A reader's shell: one session of bash in a folder, in which the commands of a page run one after the other.

Each command writes to a terminal of its own, so that it prints what a reader sees, and what a server in the background
prints later stays with the command that started it. Ports of the pages may be in use: the session has others, writes
them into commands, gives them to `serve` and `webhooks listen` as their defaults, and writes those of the pages into
what was printed. `curl` fails where a server answers an error.
"""

import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import NamedTuple

from shell_program import ShellProgram

from server_fixtures import PATIENCE_SECONDS
from services.ports import free_port

_PORTS = ("8000", "8400", "8443")
_LEFT_OUT = shutil.ignore_patterns(".*", "src", "tests", "bench", "evaluation", "build", "dist", "*.db*")
_PATIENCE_SECONDS = 5 * PATIENCE_SECONDS
"""The demonstration alone is many commands."""
_END = re.compile(rb"\x1e(\d+)\x1e")
"""Exit code of a command, behind all that it printed."""


class Result(NamedTuple):
    """What a command printed, and its exit code."""

    output: str
    code: int


class Session:
    """Shell of a reader in a folder that has a `.venv`."""

    def __init__(self, folder: Path) -> None:
        self._ports = {port: str(free_port()) for port in _PORTS}
        self._terminals: list[_Terminal] = []
        self._program = ShellProgram()
        programs = folder / ".venv" / "bin"
        _write_program(
            programs / "firmograph",
            f"""case "$1 $2" in
"serve "*) shift; set -- serve --port {self._ports["8000"]} "$@" ;;
"webhooks listen") shift 2; set -- webhooks listen --port {self._ports["8400"]} "$@" ;;
esac
exec {self._program.command} "$@"
""",
        )
        _write_program(programs / "curl", f'exec {shutil.which("curl")} --fail-with-body "$@"\n')
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env={
                **{name: value for name, value in os.environ.items() if name in ("PYTHONPATH", "USER")},
                "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
                "HOME": str(folder),
                "LANG": "C.UTF-8",
                "TERM": "dumb",
                "COLUMNS": "100",
                "LINES": "40",
                "NO_COLOR": "1",
                "no_proxy": "*",
            },
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # that a job was ended
            # not the leader of a session: the first terminal that it opens would be its own
            process_group=0,
        )

    def run(self, command: str) -> Result:
        """Run a command to its end. Raises AssertionError if it stays in the foreground."""
        terminal = _Terminal()
        self._terminals.append(terminal)
        own = re.sub(rf"\b({'|'.join(_PORTS)})\b", lambda found: self._ports[found[0]], command)
        # the first failure counts, wherever in the block it is
        begin = """_failed=; trap ': "${_failed:=$?}"' ERR"""
        end = "trap - ERR; printf '\\036%s\\036' ${_failed:-0}"
        line = f"{begin}; eval {shlex.quote(own)} </dev/null >{terminal.name} 2>&1; {end} >{terminal.name}\n"
        assert self._bash.stdin
        self._bash.stdin.write(line.encode())
        self._bash.stdin.flush()
        give_up = time.monotonic() + _PATIENCE_SECONDS
        while not (ended := _END.search(terminal.written)):
            printed = f"{command}\n{terminal.written.decode(errors='replace')}"
            assert self._bash.poll() is None, f"it ended the shell: {printed}"
            assert time.monotonic() < give_up, f"it stays in the foreground: {printed}"
            self._read_terminals()
        output = terminal.written[: ended.start()].decode(errors="replace")
        for port, other in self._ports.items():
            output = re.sub(rf"\b{other}\b", port, output)
        return Result(output, int(ended[1]))

    def close(self) -> None:
        """End the shell and all that it has started."""
        os.killpg(self._bash.pid, signal.SIGKILL)
        self._bash.communicate()
        self._program.close()
        for terminal in self._terminals:
            terminal.close()

    def _read_terminals(self) -> None:
        """Read what was printed, by servers in the background too, which would wait if nobody read it."""
        readers = {terminal.reader: terminal for terminal in self._terminals}
        for reader in select.select(readers, [], [], 1)[0]:
            readers[reader].written += os.read(reader, 65536)


class _Terminal:
    """Terminal that one command writes to."""

    def __init__(self) -> None:
        self.reader, self._writer = os.openpty()
        attributes = termios.tcgetattr(self._writer)
        attributes[1] &= ~termios.OPOST  # a line ends as it was written
        termios.tcsetattr(self._writer, termios.TCSANOW, attributes)
        self.name = os.ttyname(self._writer)
        self.written = b""

    def close(self) -> None:
        os.close(self.reader)
        os.close(self._writer)


def _write_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def copy_clone(clone: Path, folder: Path) -> None:
    """Make a folder with what users need of a clone, and a `.venv` with its dependencies, as `make` would make it."""
    shutil.copytree(
        clone, folder, ignore=lambda path, names: _LEFT_OUT(path, names) if Path(path) == clone else []
    )
    (folder / "src").symlink_to(clone / "src")
    installed = Path(sys.prefix)
    (folder / ".venv" / "bin").mkdir(parents=True)
    for path in [*installed.glob("lib*"), installed / "pyvenv.cfg", installed / "bin" / "python"]:
        (folder / ".venv" / path.relative_to(installed)).symlink_to(path)
    (folder / ".venv" / ".runtime").touch()
