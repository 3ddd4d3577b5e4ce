"""Uvicorn server with bounded connections."""

import asyncio
import socket
from typing import Any

import uvicorn

from firmograph.api.https_policy import make_https_policy
from firmograph.api.metrics import Metrics
from firmograph.serving.acceptor import Acceptor
from firmograph.serving.bounds import make_bounds
from firmograph.serving.connections import Connection, Connections
from firmograph.serving.protocol import Protocol
from firmograph.serving.rejection import RejectionProtocol
from firmograph.serving.small_reads import SmallReads
from firmograph.settings import Settings


class BoundedServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, settings: Settings, meters: Metrics) -> None:
        super().__init__(config)
        self._bounds = make_bounds(settings)
        trusts = make_https_policy(settings).proxies.trusts
        self._connections = Connections(self._bounds, trusts, meters.count_closed_connection)
        meters.watch_connections(lambda: len(self._connections))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])
        acceptors: list[Any] = [
            Acceptor(listener, self._protocol, self.config.ssl, self._connections)
            for listener in sockets or []
        ]
        self.servers = acceptors

    def _protocol(self, connection: Connection) -> asyncio.BaseProtocol:
        if connection.address is None:
            return RejectionProtocol(connection)
        protocol = Protocol(self.config, self.server_state, self.lifespan.state, connection, self._bounds)
        return SmallReads(protocol)
