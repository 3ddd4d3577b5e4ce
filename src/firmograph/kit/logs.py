"""Logs on stderr, one line per event, as JSON without a terminal.

They never contain bodies, names or keys.
"""

import logging
import sys
import traceback
from io import TextIOBase
from typing import Any, TextIO, cast

import structlog
from structlog.typing import ExcInfo

from firmograph.kit.machine_errors import machine_error_text


def _format_failure(exc_info: ExcInfo) -> str:
    """Return the traceback and types of an exception, without messages and values of variables."""
    lines: list[str] = []
    seen: list[BaseException] = []
    error: BaseException | None = exc_info[1]
    # libraries can produce cycles of causes
    while error is not None and error not in seen:
        seen.append(error)
        text = machine_error_text(error)
        reason = f"{type(error).__name__}: {text}\n" if text else f"{type(error).__name__}\n"
        lines = [*traceback.format_tb(error.__traceback__), reason, *lines]
        error = error.__cause__ or error.__context__
    return "".join(lines)


def _print_failure(sio: TextIO, exc_info: ExcInfo) -> None:
    sio.write("\n" + _format_failure(exc_info))


class _Stderr(TextIOBase):
    """Current stderr, which a progress line replaces to keep logs above itself."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def set_up_logs(level: str) -> None:
    """Set up structured logs on stderr: of this package at the level, of libraries at warning and above."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty():
        renderers: list[Any] = [structlog.dev.ConsoleRenderer(exception_formatter=_print_failure)]
    else:
        renderers = [
            structlog.processors.ExceptionRenderer(_format_failure),
            structlog.processors.JSONRenderer(),
        ]
    structlog.configure(
        processors=[*shared, *renderers],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Stderr())),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=renderers, foreign_pre_chain=shared))
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
