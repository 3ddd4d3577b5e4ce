"""Limit on the bytes of one response that the HTTP client processes.

aiohttp parses data as fast as it arrives. Without a limit, a server that sends thousands of interim responses (`102`),
or further responses to an answered request, would keep the event loop busy and delay all other requests.
"""

import asyncio
from typing import Any, Final

from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

MAX_RESPONSE_BYTES: Final = 50_000
"""Bytes of one response, including headers, unless the client has another limit."""


class LimitedResponseHandler(ResponseHandler):
    """Response handler that truncates a body at the limit and closes the connection for anything else beyond it."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, *, max_response_bytes: int = MAX_RESPONSE_BYTES
    ) -> None:
        super().__init__(loop=loop)
        self._limit = self._remaining = max_response_bytes

    def set_response_params(self, **parameters: Any) -> None:
        """Reset the limit; called before each request."""
        self._remaining = self._limit
        super().set_response_params(**parameters)

    def data_received(self, data: bytes) -> None:
        accepted = data[: self._remaining]
        self._remaining -= len(accepted)
        # aiohttp resumes parsing after a pause with empty data
        if accepted or not data:
            super().data_received(accepted)
        if len(accepted) < len(data):
            self._stop()

    def _stop(self) -> None:
        if self._payload is not None and not self._payload.is_eof():
            self._pause_transport_reading()
        elif self.transport is not None:
            self.set_exception(HttpProcessingError(message="The response is too long"))
            self.transport.abort()
