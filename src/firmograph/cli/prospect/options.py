"""Filter options of commands."""

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, NoReturn

import typer

from firmograph.cli.prospect.filters import (
    CONDITIONS,
    FILTERS,
    LOCATION_OPTIONS,
    SIGNAL,
    SIGNAL_SINCE,
    python_name,
)
from firmograph.security.record_ids import Entity

_PANEL = "Filters: several values match any of them; each also as --exclude-..."


Raw = Annotated[
    bool, typer.Option("--raw", help="Leave texts of CSV that a spreadsheet takes for formulas as they are.")
]


def with_filters(entity: Entity) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds the options of all filters, passed as keywords, before a command's own."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            each
            for each in inspect.signature(command).parameters.values()
            if each.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        every = [*_options(entity), *own]
        signature = inspect.Signature([each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every])
        setattr(command, "__signature__", signature)  # noqa: B010 - an attribute unknown to type checkers
        command.__annotations__ = {each.name: each.annotation for each in every}
        return command

    return decorate


def _options(entity: Entity) -> Iterable[inspect.Parameter]:
    for filter in FILTERS[entity]:
        kind: Any = list[str] if filter.many else str
        yield from _include_and_exclude(filter.option, kind | None, filter.metavar, filter.help)
        if filter is FILTERS[entity][0]:
            for option, (_, metavar, help) in LOCATION_OPTIONS.items():
                yield from _include_and_exclude(option, list[str] | None, metavar, help)
    for part in (SIGNAL, SIGNAL_SINCE):
        yield from _include_and_exclude(
            part.option, (list[str] if part.many else str) | None, part.metavar, part.help
        )
    for option, (_, _, help) in CONDITIONS.items():
        yield _option(option, bool, False, typer.Option(f"--{option}", help=help, rich_help_panel=_PANEL))


def _include_and_exclude(option: str, kind: Any, metavar: str, help: str) -> Iterable[inspect.Parameter]:
    make = partial(typer.Option, metavar=metavar, help=help, rich_help_panel=_PANEL)
    yield _option(option, kind, None, make(f"--{option}"))
    yield _option(f"exclude-{option}", kind, None, make(f"--exclude-{option}", hidden=True))


def _option(option: str, kind: Any, default: Any, info: Any) -> inspect.Parameter:
    return inspect.Parameter(
        python_name(option),
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, info],
    )


def refuse_option(option: str, reason: str) -> NoReturn:
    """Exit with code 2 for wrong usage of an option."""
    raise typer.BadParameter(reason, param_hint=f"--{option}")
