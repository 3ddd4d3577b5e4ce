"""The command `firmograph`. Exit codes: 0 done, 1 refused or failed with one clear line, 2 wrong usage,
3 an import that is done, but could not read much of a column."""

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from firmograph import __version__
from firmograph.kit.errors import Busy, FirmographError, Unavailable, Unwritable
from firmograph.kit.gc_tuning import reduce_gc_frequency
from firmograph.kit.machine_errors import machine_error_text
from firmograph.settings import misnamed_settings

COMMANDS = {
    "serve": ("firmograph.cli.serve", "app", "Serve the API."),
    "worker": ("firmograph.cli.worker", "app", "Do the background work in a process of its own."),
    "import": ("firmograph.cli.ingest", "app", "Load records, or facts about companies, from files."),
    "signals": (
        "firmograph.cli.signals.commands",
        "app",
        "What changed at people and companies, so far and as it is detected.",
    ),
    "webhooks": (
        "firmograph.cli.webhooks.commands",
        "app",
        "Receive webhooks in development; retry failed deliveries.",
    ),
    "prospect": (
        "firmograph.cli.prospect.commands",
        "app",
        "Find contacts or companies by filters, without a server.",
    ),
    "record": (
        "firmograph.cli.records",
        "app",
        "The rows of a record, and splitting what was merged wrongly.",
    ),
    "index": ("firmograph.cli.index", "app", "Bring the search index up to date, or make it anew."),
    "account": ("firmograph.cli.accounts", "account_app", "Accounts: who may call, on which plan."),
    "key": ("firmograph.cli.accounts", "key_app", "API keys of an account."),
    "user": ("firmograph.cli.accounts", "user_app", "People of an account, with their role."),
    "credits": ("firmograph.cli.accounts", "credits_app", "Credits of an account."),
    "ledger": ("firmograph.cli.accounts", "ledger_app", "Every grant and charge of an account."),
    "schema": (
        "firmograph.cli.schema",
        "app",
        "The schema of the database, and the way back to an older one.",
    ),
    "suppress": ("firmograph.cli.privacy", "app", "Keep a person out, now and after any later import."),
    "unsuppress": ("firmograph.cli.privacy", "app", "Lift a suppression."),
    "suppressions": ("firmograph.cli.privacy", "suppressions_app", "Take suppressions to another machine."),
    "backup": ("firmograph.cli.backup", "app", "Back up the database and its keys to one file."),
    "restore": ("firmograph.cli.backup", "app", "Replace the database by a backup."),
}
"""Each command: its module, the Typer there that is it or has it, and its line of help.

The modules are imported only when their command runs, so that help and mistakes are answered at once.
"""


class _Lazily(TyperGroup):
    """Shows every command without importing any, and imports the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, load(name) if name in COMMANDS else command, rest


def load(name: str) -> Any:
    """The command itself."""
    module, attribute, _ = COMMANDS[name]
    group: typer.Typer = getattr(import_module(module), attribute)
    group._add_completion = False
    command: Any = typer.main.get_command(group)
    return getattr(command, "commands", {}).get(name, command)


app = typer.Typer(
    name="firmograph",
    cls=_Lazily,
    help="A self-hosted business contact and company data service.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _stand_in() -> None:
    """Never runs: `load` gives the command in its place."""


for _name, (_module, _, _help) in COMMANDS.items():
    if find_spec(_module):
        app.command(_name, help=_help)(_stand_in)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"firmograph {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="FIRMOGRAPH_DATABASE_URL",
            help="Where the data lives: sqlite:///FILE.db, or postgresql+psycopg://USER@HOST/NAME",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and end."),
    ] = False,
) -> None:
    if database:
        # a setting like any other from here on, so that no command need hand it on
        os.environ["FIRMOGRAPH_DATABASE_URL"] = database
    # the others have it in their logs
    if context.invoked_subcommand not in ("serve", "worker"):
        for variable, nearest in misnamed_settings():
            print(f"Warning: {variable} is no setting; the nearest one is {nearest}", file=sys.stderr)


def run() -> None:
    """The entry point."""
    reduce_gc_frequency()
    try:
        app(args=_database_first(sys.argv[1:]))
    except FirmographError as error:
        _fail(_said(error))
    except Exception as error:
        reason = machine_error_text(error)
        if reason is None or isinstance(error, OSError):
            raise
        _fail(f"The database failed: {reason}")


def _said(error: FirmographError) -> str:
    """The message for an operator: what callers of the API are told of charges means nothing here."""
    if isinstance(error, Busy) and error.message == Busy.public:
        return "The database is being written by another process; try again shortly"
    if isinstance(error, Unwritable):
        return "The database cannot be written: its disk has no room"
    if isinstance(error, Unavailable) and error.__cause__ is not None:
        return f"The database cannot be reached: {machine_error_text(error.__cause__) or error.message}"
    return error.message


def _database_first(arguments: list[str]) -> list[str]:
    """The arguments with `--database URL`, which belongs to the whole program, before the command."""
    for place, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--database" or argument.startswith("--database="):
            end = place + (2 if argument == "--database" else 1)
            return [*arguments[place:end], *arguments[:place], *arguments[end:]]
    return arguments


def _fail(reason: str) -> NoReturn:
    print(f"Error: {reason}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    run()
