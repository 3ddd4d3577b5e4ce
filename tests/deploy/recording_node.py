"""What stands in for a server where a test asks what a proxy passed on to it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class RecordingNode(ThreadingHTTPServer):
    """Answers every request with 200 and keeps its headers; one that `hangs_up` reads it and closes instead."""

    daemon_threads = True

    def __init__(self, *, hangs_up: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hangs_up = hangs_up
        self.received: list[tuple[str, str, dict[str, str]]] = []
        """Method, path and headers by their lower-case name, of each request."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RecordingNode

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.rfile.read(int(headers.get("content-length", 0)))
        self.server.received.append((self.command, self.path, headers))
        if self.server.hangs_up:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_GET

    def log_message(self, *ignored: Any) -> None:
        """Nothing is said on stderr."""


@contextmanager
def recording_node(*, hangs_up: bool = False) -> Iterator[RecordingNode]:
    node = RecordingNode(hangs_up=hangs_up)
    thread = threading.Thread(target=node.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield node
    finally:
        node.shutdown()
        thread.join()
        node.server_close()
