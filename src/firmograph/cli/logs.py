"""Logs: one line an event on stderr, JSON unless a person is watching. Never bodies, names or keys."""

import logging
import sys
from typing import Any

import structlog
from structlog.tracebacks import ExceptionDictTransformer

# Without the values of variables, which are what people sent
_TRACEBACKS = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))


def set_up_logs(level: str) -> None:
    """Structured logs of this package, and of the libraries at warning and above, on stderr."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty():
        rendering: list[Any] = [
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        ]
    else:
        rendering = [_TRACEBACKS, structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=[*shared, *rendering],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=rendering, foreign_pre_chain=shared))
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
