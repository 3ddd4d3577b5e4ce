"""HTTP as uvicorn speaks it, but with the specified error body for what is no HTTP at all."""

import uuid
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from firmograph.kit.errors import BadRequest
from firmograph.wire.envelope import error_body

_BODY = error_body(BadRequest("The request is not valid HTTP/1.1"))


class Protocol(HttpToolsProtocol):
    """Answers a malformed request like every other error, and closes the connection."""

    def send_400_response(self, msg: str) -> None:
        headers: list[Any] = [
            b"content-type: application/json\r\n",
            b"content-length: %d\r\n" % len(_BODY),
            b"x-request-id: %s\r\n" % str(uuid.uuid4()).encode(),
            b"connection: close\r\n\r\n",
        ]
        self.transport.write(b"".join([STATUS_LINE[400], *headers, _BODY]))
        self.transport.close()
