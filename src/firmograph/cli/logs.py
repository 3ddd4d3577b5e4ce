"""Logs: one line an event on stderr, JSON unless a person is watching. Never bodies, names or keys."""

import logging
import sys
import traceback
from io import TextIOBase
from typing import Any, TextIO, cast

import structlog
from structlog.typing import ExcInfo

from firmograph.kit.machine_errors import machine_error_text
from firmograph.settings import misnamed_settings


def _failure(exc_info: ExcInfo) -> str:
    """Where it failed and by what, without the values that messages and variables hold."""
    lines: list[str] = []
    seen: list[BaseException] = []
    error: BaseException | None = exc_info[1]
    # libraries can make circles of causes, in which a server would be caught for ever
    while error is not None and error not in seen:
        seen.append(error)
        told = machine_error_text(error)
        reason = f"{type(error).__name__}: {told}\n" if told else f"{type(error).__name__}\n"
        lines = [*traceback.format_tb(error.__traceback__), reason, *lines]
        error = error.__cause__ or error.__context__
    return "".join(lines)


def _print_failure(sio: TextIO, exc_info: ExcInfo) -> None:
    sio.write("\n" + _failure(exc_info))


def log_misnamed_settings() -> None:
    """Warn of variables of the environment that are no settings."""
    for variable, nearest in misnamed_settings():
        structlog.get_logger().warning("this variable is no setting", variable=variable, nearest=nearest)


class _Stderr(TextIOBase):
    """What is stderr at the moment: a progress line on a terminal takes its place, and has logs go above itself."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def set_up_logs(level: str) -> None:
    """Structured logs of this package, and of the libraries at warning and above, on stderr."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty():
        rendering: list[Any] = [structlog.dev.ConsoleRenderer(exception_formatter=_print_failure)]
    else:
        rendering = [structlog.processors.ExceptionRenderer(_failure), structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=[*shared, *rendering],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Stderr())),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=rendering, foreign_pre_chain=shared))
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
