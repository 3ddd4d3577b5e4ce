"""Reads of a connection into one buffer of the process, no larger than the protocol asks for.

The event loop reads up to 256 KB at once otherwise, and so much of a body would arrive with its header.
"""

import asyncio
from typing import Final, Protocol

LARGEST: Final = 1 << 18

_BUFFER: Final = memoryview(bytearray(LARGEST))
"""Shared by all connections: each read is taken out of it before the next."""


class SizedProtocol(Protocol):
    def connection_made(self, transport: asyncio.Transport) -> None: ...
    def connection_lost(self, exc: Exception | None) -> None: ...
    def data_received(self, data: bytes) -> None: ...
    def pause_writing(self) -> None: ...
    def resume_writing(self) -> None: ...
    def read_size(self) -> int: ...


class SmallReads(asyncio.BufferedProtocol):
    """Protocol of a transport that passes what it reads to another one."""

    def __init__(self, protocol: SizedProtocol) -> None:
        self._protocol = protocol
        self.connection_lost = protocol.connection_lost  # type: ignore[method-assign]
        self.pause_writing = protocol.pause_writing  # type: ignore[method-assign]
        self.resume_writing = protocol.resume_writing  # type: ignore[method-assign]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._protocol.connection_made(transport)  # type: ignore[arg-type]

    def get_buffer(self, sizehint: int) -> memoryview:
        return _BUFFER[: self._protocol.read_size()]

    def buffer_updated(self, nbytes: int) -> None:
        self._protocol.data_received(bytes(_BUFFER[:nbytes]))
