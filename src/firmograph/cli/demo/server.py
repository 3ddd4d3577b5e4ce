"""Server of the demonstration, in a process of its own, and requests to it."""

import json
import os
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from firmograph.cli.demo.terminal import Commands, console, print_command
from firmograph.kit.errors import Refused

_START_SECONDS: Final = 300
"""Most for a busy machine on which nothing is compiled yet; a server that ends is noticed at once."""
_INDEX_SECONDS: Final = 1_200
_PAUSE_SECONDS: Final = 0.05
_INDEXES: Final = ("search", "similarity")

Json = dict[str, Any]


class DemoServer:
    """Running server, called with one API key."""

    def __init__(self, process: "subprocess.Popen[bytes]", base: str) -> None:
        self.process = process
        self.base = base

    def wait_until_started(self) -> None:
        """Wait for the first answer; the indexes may still be in the making."""
        self._wait(_START_SECONDS, lambda health: True)

    def wait_for_indexes(self) -> None:
        """Wait until prospecting and lookalikes answer."""
        with console.status("The server is making its search and similarity indexes ..."):
            self._wait(
                _INDEX_SECONDS, lambda health: all(health[name]["state"] == "ready" for name in _INDEXES)
            )

    def _wait(self, seconds: float, is_enough: Callable[[Json], bool]) -> None:
        give_up = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < give_up:
            try:
                with urllib.request.urlopen(f"{self.base}/health", timeout=5) as answered:
                    if is_enough(json.load(answered)):
                        return
            except (urllib.error.URLError, OSError):
                pass
            time.sleep(_PAUSE_SECONDS)
        raise Refused("The server did not start in time; see above")

    def call(self, key: str, path: str, body: Json | None = None, variable: str = "KEY") -> Json:
        """Send one request, printed as curl with a variable for the key, and return the answer.

        Raises Refused for an error.
        """
        data = (
            "" if body is None else f" -H 'content-type: application/json' -d {shlex.quote(json.dumps(body))}"
        )
        print_command(f'curl -s {self.base}{path} -H "api_key: ${variable}"{data}')
        request = urllib.request.Request(
            self.base + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"api_key": key, "content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answered:
                found: Json = json.load(answered)
        except urllib.error.HTTPError as error:
            raise Refused(f"The server answered {error.code}: {error.read().decode()}") from error
        return found


@contextmanager
def running_server(commands: Commands, port: int) -> Iterator[DemoServer]:
    """Start a server, on another port if this one is in use, and stop it at the end."""
    port = _free_port(port)
    arguments = ("serve", "--port", str(port))
    commands.print(*arguments, after=" &")
    # at the usual level its log would stand between the answers
    environment = os.environ | {"FIRMOGRAPH_LOG_LEVEL": "warning"}
    process = subprocess.Popen(
        [sys.executable, "-m", "firmograph.cli.main", *commands.words(arguments)], env=environment
    )
    try:
        server = DemoServer(process, f"http://127.0.0.1:{port}")
        server.wait_until_started()
        yield server
    finally:
        process.terminate()
        process.wait()


def _free_port(preferred: int) -> int:
    with socket.socket() as listener:
        # as the server's own socket, which takes a port whose former connections are still closing
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", preferred))
        except OSError:
            listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
