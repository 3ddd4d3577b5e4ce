"""Clients that send requests without a key on connections of one process, until it is ended.

    python -m bench.pipelining_attack PORT CONNECTIONS [--endless]

Each connection sends one request and waits for its answer or, with `--endless`, sends as fast as the server takes them.
"""

import argparse
import select
import socket

ONE = b"GET /v3/account/usage HTTP/1.1\r\nhost: x\r\n\r\n"
MANY = ONE * (65_536 // len(ONE))
_READ = 1 << 18


class Client:
    def __init__(self, port: int, *, is_endless: bool) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)
        self._unsent = MANY if is_endless else ONE
        self._again = MANY if is_endless else b""

    def send(self) -> bool:
        """Send what the server takes; return whether more is to be sent."""
        while self._unsent:
            try:
                sent = self.socket.send(self._unsent)
            except BlockingIOError:
                return True
            self._unsent = self._unsent[sent:] or self._again
        return False

    def receive(self) -> None:
        read = self.socket.recv(_READ)
        if not read:
            raise ConnectionError("The server closed a connection")
        # an answer of a few hundred bytes arrives at once
        self._unsent = self._unsent or ONE


def attack(port: int, connections: int, *, is_endless: bool) -> None:
    clients = {}
    poll = select.epoll()
    both = select.EPOLLIN | select.EPOLLOUT
    for _ in range(connections):
        client = Client(port, is_endless=is_endless)
        clients[client.socket.fileno()] = client
        poll.register(client.socket.fileno(), both if client.send() else select.EPOLLIN)
    while True:
        for number, events in poll.poll():
            client = clients[number]
            if events & select.EPOLLIN:
                client.receive()
            poll.modify(number, both if client.send() else select.EPOLLIN)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("connections", type=int)
    parser.add_argument("--endless", action="store_true")
    options = parser.parse_args()
    attack(options.port, options.connections, is_endless=options.endless)
