"""Output of the demonstration, and commands that run in this process as a person would type them."""

import json
import shlex
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from firmograph.kit.errors import Refused

console: Final = Console()


def print_step(text: str) -> None:
    console.print(f"\n[bold]{text}[/bold]", highlight=False, soft_wrap=True)


def print_result(text: str) -> None:
    """Print a statement below the results it is about."""
    console.print(f"   {text}", highlight=False, soft_wrap=True)


def print_command(command: str) -> None:
    """Print a command as a person would type it."""
    console.print("[green]$[/green] ", end="")
    console.print(command, highlight=False, soft_wrap=True, markup=False)


class Commands:
    """Commands of `firmograph` on the database of the demonstration."""

    def __init__(self, database: Path) -> None:
        self._database = f"sqlite:///{database}"

    def words(self, arguments: Sequence[str]) -> list[str]:
        """Return the words after `firmograph`."""
        return ["--database", self._database, *arguments]

    def print(self, *arguments: str, after: str = "") -> None:
        print_command(f"firmograph {shlex.join(self.words(arguments))}{after}")

    def run(self, *arguments: str) -> None:
        """Print a command and run it. Raises what it is refused for."""
        self.print(*arguments)
        self._execute(arguments)

    def answer(self, *arguments: str) -> dict[str, Any]:
        """Print a command and return the object that it prints with `--json`."""
        self.print(*arguments, "--json")
        found: dict[str, Any] = json.loads(self.output(*arguments, "--json"))
        return found

    def output(self, *arguments: str) -> str:
        """Run a command and return its output."""
        with redirect_stdout(StringIO()) as output:
            self._execute(arguments)
        return output.getvalue()

    def _execute(self, arguments: Sequence[str]) -> None:
        # it imports the commands, this one too
        from firmograph.cli.main import app

        code = app(self.words(arguments), prog_name="firmograph", standalone_mode=False)
        if code:
            raise Refused(f"The command above failed with exit code {code}")
