"""`firmograph` as a program of a shell whose processes are forked from one that has the package loaded.

The program in the shell is a small client: it hands its arguments, folder, environment and streams to this process,
passes signals on, and ends with the exit code. Starting Python for each command would take most of the time of these
tests.
"""

import json
import os
import shlex
import shutil
import signal
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from process_server import LoadedProcess

_LARGEST_REQUEST = 1 << 20
_CLIENT = """
import json, os, signal, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.connect(sys.argv[1])
request = {"arguments": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}
socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: server.send(b"%d" % number))
sys.exit(int(server.recv(16) or 1))
"""


class ShellProgram:
    """Server of one such program."""

    def __init__(self) -> None:
        # the name of a socket may have 107 bytes, and folders of tests have longer ones
        self._folder = Path(tempfile.mkdtemp(prefix="pages-"))
        (self._folder / "client.py").write_text(_CLIENT)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(self._folder / "socket"))
        self._listener.listen(64)
        self._running: set[LoadedProcess] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def command(self) -> str:
        """The beginning of a command line, to which arguments are added."""
        words = (sys.executable, "-IS", self._folder / "client.py", self._folder / "socket")
        return shlex.join(map(str, words))

    def close(self) -> None:
        """End what runs, servers with their workers."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for process in [*self._running]:
            process.terminate()
            process.wait()
        shutil.rmtree(self._folder)

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._run, args=[connection], daemon=True).start()

    def _run(self, connection: socket.socket) -> None:
        message, streams, *_ = socket.recv_fds(connection, _LARGEST_REQUEST, 3)
        request = json.loads(message)
        process = LoadedProcess(
            ["-m", "firmograph.cli.main", *request["arguments"]],
            cwd=request["folder"],
            env=request["environment"],
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
        )
        self._running.add(process)
        for stream in streams:
            os.close(stream)
        signals = threading.Thread(target=_pass_signals_on, args=[connection, process], daemon=True)
        signals.start()
        code = process.wait()
        self._running.discard(process)
        with suppress(OSError), connection:
            connection.send(b"%d" % code)
            signals.join()


def _pass_signals_on(connection: socket.socket, process: LoadedProcess) -> None:
    with suppress(OSError):  # the process has ended
        while number := connection.recv(16):
            process.send_signal(int(number))
        process.send_signal(signal.SIGTERM)
