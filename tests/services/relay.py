"""A TCP relay in front of a server whose connections tests can cut."""

import socket
import threading
from contextlib import suppress
from typing import Literal

Moment = Literal["before", "after"]


class Relay:
    """Forwarder of bytes in both directions to a loopback port."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self._unanswered: set[socket.socket] = set()
        self._cut_at: tuple[bytes, Moment] | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_at(self, word: bytes, moment: Moment) -> None:
        """Cut the connection on which a client sends this word next.

        `moment` is before the server receives it, or after it has answered.
        """
        self._cut_at = word, moment

    def cut(self) -> None:
        """Close all connections without notifying either side."""
        while self._open:
            _end(self._open.pop())

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self._port))
                except OSError:
                    _end(client)  # the same refusal as by a server that is down
                    continue
                self._open += [client, server]
                threading.Thread(target=self._requests, args=(client, server), daemon=True).start()
                threading.Thread(target=self._answers, args=(server, client), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        before = b""
        with suppress(OSError):
            while sent := client.recv(65_536):
                # the word may arrive in two pieces; a complete one in the previous piece was handled already
                if self._cut_at and self._cut_at[0] in before[1 - len(self._cut_at[0]) :] + sent:
                    moment, self._cut_at = self._cut_at[1], None
                    if moment == "before":
                        break
                    self._unanswered.add(server)
                server.sendall(sent)
                before = sent[-64:]
        _end(client)
        _end(server)

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while (answered := server.recv(65_536)) and server not in self._unanswered:
                client.sendall(answered)
        _end(server)
        _end(client)


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
