"""Bounds of requests that arrive before the response to an earlier one: few are parsed, and no more data is read."""

from typing import Final

from uvicorn.protocols.http.flow_control import FlowControl

CHUNK: Final = 4096
"""Maximum data per call of the parser, which cannot be stopped between the requests in it."""

READ: Final = 1 << 14
"""Maximum data of one read but within a body, so that little of a body arrives with its header."""

_BODY_CHUNK: Final = 256
"""Minimum data per call of the parser within a body, where an empty line need not end the request."""

_EMPTY_LINE: Final = b"\r\n\r\n"


def may_hold_several(data: bytes) -> bool:
    """Return whether data may hold several requests; otherwise they are one, perhaps with a body."""
    return data.count(_EMPTY_LINE) > 1


def chunk_end(data: bytes, at: int, allowance: int | None) -> int:
    """Return the end of the chunk of data that begins at a position, so that few requests are in one chunk.

    `allowance` is the remaining number of bytes of a header; None is a body.
    """
    least, most = (_BODY_CHUNK, CHUNK) if allowance is None else (0, max(min(CHUNK, allowance), 1))
    end = data.find(_EMPTY_LINE, at + least, at + most)
    return at + most if end < 0 else end + len(_EMPTY_LINE)


class Flow(FlowControl):
    """Flow control that does not read on while requests wait, whatever the current request asks for."""

    _is_held = False

    def hold(self, is_held: bool) -> None:
        self._is_held = is_held
        if is_held:
            self.pause_reading()

    def resume_reading(self) -> None:
        if not self._is_held:
            super().resume_reading()
