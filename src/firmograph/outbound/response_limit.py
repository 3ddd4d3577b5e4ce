"""How much of one answer is taken in by a client, whoever sends it.

The library reads and parses what comes as fast as it comes, and would spend all its time on a server that sends
thousands of interim answers (`102`), or further answers to a request that was answered: everybody else waited.
"""

from typing import Any, Final

from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

MOST_TAKEN_IN: Final = 50_000
"""Bytes of one answer, its headers and their like included."""


class BoundedHandler(ResponseHandler):
    """Of a body that goes on beyond the bound only the beginning can be read. Of all else it ends the connection."""

    _room = MOST_TAKEN_IN

    def set_response_params(self, **parameters: Any) -> None:
        """Called before each request."""
        self._room = MOST_TAKEN_IN
        super().set_response_params(**parameters)

    def data_received(self, data: bytes) -> None:
        taken_in = data[: self._room]
        self._room -= len(taken_in)
        # no data is how parsing goes on after a pause
        if taken_in or not data:
            super().data_received(taken_in)
        if len(taken_in) < len(data):
            self._stop()

    def _stop(self) -> None:
        if self._payload is not None and not self._payload.is_eof():
            self._pause_transport_reading()
        elif self.transport is not None:
            self.set_exception(HttpProcessingError(message="The answer is too long"))
            self.transport.abort()
