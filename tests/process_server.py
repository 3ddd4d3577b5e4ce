"""Processes forked from one that has the package loaded, which saves most of the processor time of their start.

A process that only forks loads every module of the package once. `LoadedProcess` asks it to fork and is otherwise a
`subprocess.Popen`: the new process has arguments, folder, environment and streams of its own, and runs a module or a
program as `python -m MODULE` and `python -c PROGRAM` do. What a fork cannot show is that a command imports what it
needs: tests of that start Python itself.
"""

import atexit
import gc
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

_LARGEST_REQUEST = 1 << 20


class LoadedProcess(subprocess.Popen[Any]):
    """A process of Python with the package loaded; the arguments begin with `-m MODULE` or `-c PROGRAM`."""

    def _execute_child(  # type: ignore[override]
        self,
        args: list[str],
        executable: object,
        preexec_fn: object,
        close_fds: bool,
        pass_fds: object,
        cwd: "str | os.PathLike[str] | None",
        env: dict[str, str] | None,
        startupinfo: object,
        creationflags: object,
        shell: bool,
        p2cread: int,
        p2cwrite: int,
        c2pread: int,
        c2pwrite: int,
        errread: int,
        errwrite: int,
        *_: object,
    ) -> None:
        assert args[0] in ("-m", "-c")
        assert not any((executable, preexec_fn, pass_fds, shell))
        request = {
            "arguments": list(map(str, args)),
            "folder": os.fspath(cwd or os.getcwd()),
            "environment": dict(os.environ if env is None else env),
        }
        streams = [given if given >= 0 else own for own, given in enumerate((p2cread, c2pwrite, errwrite))]
        self._ended, write_end = os.pipe()
        try:
            self.pid = _server().fork(request, [*streams, write_end])
        finally:
            os.close(write_end)
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]
        self._child_created = True

    def _internal_poll(self, _deadstate: object = None) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):  # type: ignore[attr-defined]
            try:
                if self.returncode is None:
                    pid, status = self._try_wait(os.WNOHANG)
                    if pid:
                        self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        """Return the process id and the exit status, or twice 0 if it has not ended and nobody waits."""
        with selectors.PollSelector() as selector:
            selector.register(self._ended, selectors.EVENT_READ)
            if not selector.select(0 if wait_flags & os.WNOHANG else None):
                return 0, 0
        status = os.read(self._ended, 16)
        os.close(self._ended)
        assert status, "the server of processes has died"
        return self.pid, int(status)


def run_loaded(
    arguments: list[str], folder: Path, environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    """Run such a process to its end."""
    with LoadedProcess(
        arguments, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


class _Server:
    """The process that forks; it ends with this one."""

    def __init__(self) -> None:
        self._control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        with other:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(other.fileno())],
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if not name.startswith("FIRMOGRAPH_")},
            )

    def fork(self, request: dict[str, Any], files: list[int]) -> int:
        """Return the process id of a new process with these files as streams and the last as its exit status."""
        with self._lock:
            socket.send_fds(self._control, [json.dumps(request).encode()], files)
            return int(self._control.recv(16))


_servers: dict[int, _Server] = {}
_starting = threading.Lock()


def _server() -> _Server:
    # a forked test process has none
    with _starting:
        if os.getpid() not in _servers:
            _servers[os.getpid()] = _Server()
        return _servers[os.getpid()]


# --- the process that forks ---


def _load() -> None:
    """Import every module of the package that can be imported alone and has no work of its own."""
    import firmograph

    for module in walk_packages(firmograph.__path__, "firmograph."):
        if not (module.name.endswith(("__main__", ".cli.main")) or ".migrations." in module.name):
            import_module(module.name)
    _build_once()


def _build_once() -> None:
    """Build an application, and load what the first command and the first record of an index load."""
    from firmograph.bootstrap.application import create_app
    from firmograph.bootstrap.assembly import make_installation
    from firmograph.database.connection import Database
    from firmograph.prospecting.indexing.entry_changes import warm_up
    from firmograph.security.keyring import new_keyring
    from firmograph.settings import Settings

    import_module("typer._adapters")
    create_app(make_installation(Settings(), Database("sqlite:///none.db"), new_keyring()), background=False)
    warm_up()


def _next_request(control: socket.socket) -> list[str]:
    """Fork for each request; return its arguments in the forked process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    running: dict[int, int] = {}
    with control, woken, wake, selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in selector.select()]
            if woken in ready:
                woken.recv(4096)
                _report_ended(running)
            if control in ready:
                message, files, *_ = socket.recv_fds(control, _LARGEST_REQUEST, 4)
                if not message:
                    os._exit(0)
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    break
                running[pid] = files.pop()
                _close(files)
                control.send(b"%d" % pid)
    _become(json.loads(message), files)
    _close([*files, *running.values()])
    return json.loads(message)["arguments"]


def _report_ended(running: dict[int, int]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        ended = running.pop(pid)
        with suppress(BrokenPipeError):
            os.write(ended, b"%d" % status)
        os.close(ended)


def _become(request: dict[str, Any], files: list[int]) -> None:
    """Take the streams, folder and environment of the request."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, file in enumerate(files[:3]):
        os.dup2(file, stream)
        if stream and os.isatty(stream):
            # unlike the streams of this process a terminal is written by lines, and has no positions
            name = "stdout" if stream == 1 else "stderr"
            setattr(sys, name, os.fdopen(stream, "w", 1, "utf-8", closefd=False))
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()


def _close(files: list[int]) -> None:
    for file in files:
        os.close(file)


def _run(arguments: list[str]) -> None:
    kind, text, *rest = arguments
    sys.argv[:] = [kind, *rest]
    if kind == "-m":
        sys.path[0] = os.getcwd()
        runpy.run_module(text, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = ""
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(text, "<string>", "exec"), main.__dict__)


def _end(code: int) -> None:
    """Exit as Python does, but leave the memory, which the server shares, to the machine."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _load()
    gc.collect()
    gc.freeze()
    given = _next_request(socket.socket(fileno=int(sys.argv[1])))
    try:
        _run(given)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            raise
        _end(ended.code or 0)
    _end(0)
