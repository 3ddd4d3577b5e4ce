"""Command group whose commands are kinds of records: `import KIND FILE`, `export KIND FILE`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

_WRONG_USAGE = 2


class KindGroup(TyperGroup):
    """Group that says what to write where a file, or an unknown kind, stands in the place of the kind."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            _explain(str(ctx.info_name), args, list(self.commands))
        return super().resolve_command(ctx, args)


def _explain(verb: str, args: Sequence[str], commands: Sequence[str]) -> NoReturn:
    """Print one line about a first argument that is no command, and exit as for wrong usage."""
    from firmograph.kit.suggestions import nearest_values

    given, *rest = args
    kinds = [each for each in rest if each in commands]
    if kinds:
        others = [each for each in rest if each != kinds[0]]
        problem = f"The kind comes before the file: firmograph {verb} {' '.join((kinds[0], given, *others))}"
    elif given == "-" or Path(given).suffix or Path(given).exists():
        problem = (
            f"The kind comes before the file: firmograph {verb} contacts {given}, or firmograph {verb} companies"
            f" {given}"
        )
    else:
        nearest = " ".join(("firmograph", verb, nearest_values(given, commands)[0], *rest))
        problem = (
            f"There is no `{verb} {given}`; did you mean `{nearest}`? `firmograph {verb} --help` lists all"
        )
    typer.echo(f"Error: {problem}", err=True)
    raise typer.Exit(_WRONG_USAGE)
