"""Command `firmograph`.

Exit codes: 0 success, 1 refusal or failure with a one-line message, 2 wrong usage, 3 rows of a file that were read, but
some rows or values of it lost.
"""

import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from firmograph import __version__
from firmograph.cli.help_texts import name_values, tidy_help
from firmograph.kit.errors import Busy, FirmographError, Refused, Unavailable, Unwritable
from firmograph.kit.gc_tuning import reduce_gc_frequency
from firmograph.kit.machine_errors import machine_error_text
from firmograph.settings import misnamed_settings

COMMANDS = {
    "demo": ("firmograph.cli.demo.commands", "app", "Load packaged demo data, serve them, and show answers."),
    "serve": ("firmograph.cli.serve", "app", "Serve the API."),
    "worker": (
        "firmograph.cli.worker",
        "app",
        "Do background work in a process of its own.",
    ),
    "import": ("firmograph.cli.ingest", "app", "Load records, or facts about companies, from files."),
    "signals": (
        "firmograph.cli.signals.commands",
        "app",
        "List and watch detected changes of people and companies.",
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
    "lookalike": (
        "firmograph.cli.lookalike.commands",
        "app",
        "Find records like others, without a server.",
    ),
    "table": (
        "firmograph.cli.table.commands",
        "app",
        "Make tables of records; fill, run and export their columns.",
    ),
    "conversations": (
        "firmograph.cli.conversations.commands",
        "app",
        "Show, export, analyse and delete conversations of an account.",
    ),
    "visits": (
        "firmograph.cli.visits",
        "app",
        "Track domains of an account, and report on their visits.",
    ),
    "networks": (
        "firmograph.cli.networks",
        "app",
        "Load owners of networks, by which website visitors are recognised.",
    ),
    "waterfall": (
        "firmograph.cli.waterfall",
        "app",
        "Choose the other providers that an account asks for what contacts lack.",
    ),
    "buying-group": (
        "firmograph.cli.buying_group",
        "app",
        "Show the people of a company who take part in a purchase.",
    ),
    "status": ("firmograph.cli.status", "app", "Show records, indexes, imports, background work and disk."),
    "export": (
        "firmograph.cli.export",
        "app",
        "Write merged contacts or companies to a file, with e-mails and phones.",
    ),
    "source": ("firmograph.cli.sources", "app", "List sources; remove one."),
    "record": (
        "firmograph.cli.records",
        "app",
        "Show a record with the source of each value; split wrongly merged ones.",
    ),
    "match": ("firmograph.cli.match", "app", "Explain why a look-up by name found a record, or none."),
    "report": ("firmograph.cli.report", "app", "Report fill rates, ages and conflicts of the data held."),
    "index": ("firmograph.cli.index", "app", "Update or rebuild the search index."),
    "account": ("firmograph.cli.accounts", "account_app", "Accounts and their plans."),
    "key": ("firmograph.cli.access", "key_app", "API keys of an account."),
    "user": ("firmograph.cli.access", "user_app", "Users of an account and their roles."),
    "credits": ("firmograph.cli.accounts", "credits_app", "Credits of an account."),
    "usage": ("firmograph.cli.usage", "app", "What accounts have used, for invoices."),
    "ledger": ("firmograph.cli.accounts", "ledger_app", "All grants and charges of an account."),
    "audit": ("firmograph.cli.audit", "app", "Show what operators did, when and why."),
    "operator": (
        "firmograph.cli.operator_access",
        "app",
        "Operators: people in the workspace, programs by key.",
    ),
    "schema": (
        "firmograph.cli.schema",
        "app",
        "Show the version of the database, or go back to an older one.",
    ),
    "privacy": (
        "firmograph.cli.privacy.group",
        "app",
        "Requests of people, do-not-call numbers, deletion lists, retention.",
    ),
    "suppress": (
        "firmograph.cli.privacy.suppression",
        "app",
        "Remove a person, now and from all later imports.",
    ),
    "unsuppress": ("firmograph.cli.privacy.suppression", "app", "Lift a suppression."),
    "suppressions": (
        "firmograph.cli.privacy.suppression",
        "suppressions_app",
        "Move the list of suppressed people between machines.",
    ),
    "backup": ("firmograph.cli.backup", "app", "Back up the database and its keys to one file."),
    "restore": ("firmograph.cli.backup", "app", "Replace the database by a backup."),
    "copy-database": (
        "firmograph.cli.copy_database",
        "app",
        "Copy everything to PostgreSQL, to SQLite, or back.",
    ),
}
"""Module, Typer and help line of each command.

A module is imported only when its command runs, so that help and usage errors are fast.
"""
PANELS = {
    "Serve": ("demo", "serve", "worker", "webhooks"),
    "Data": (
        "status",
        "import",
        "source",
        "export",
        "record",
        "match",
        "report",
        "privacy",
        "suppress",
        "unsuppress",
        "suppressions",
        "index",
        "networks",
    ),
    "Find": ("prospect", "lookalike", "buying-group", "signals", "table", "conversations", "visits"),
    "Sell and run": (
        "account",
        "key",
        "user",
        "credits",
        "usage",
        "ledger",
        "waterfall",
        "audit",
        "operator",
        "backup",
        "restore",
        "copy-database",
        "schema",
    ),
}
"""Commands as the help of the program groups them."""


class _LazyGroup(TyperGroup):
    """Command group that imports only the module of the called command."""

    def get_params(self, ctx: Any) -> list[Any]:
        return name_values(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Raises Refused if the reader of its output closes the pipe, as `head` does."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            from firmograph.cli.output import discard_output

            discard_output()
            raise Refused("The reader of the output has closed it before the end") from None

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            command = load(name)
            tidy_help(command, ctx)
        return name, command, rest


def load(name: str) -> Any:
    """Import and return a command."""
    module, attribute, _ = COMMANDS[name]
    group: typer.Typer = getattr(import_module(module), attribute)
    group._add_completion = False
    command: Any = typer.main.get_command(group)
    return getattr(command, "commands", {}).get(name, command)


app = typer.Typer(
    name="firmograph",
    cls=_LazyGroup,
    help="A self-hosted business contact and company data service.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _stand_in() -> None:
    """Stand in for a command until `load` replaces it; never runs."""


for _panel, _names in PANELS.items():
    for _name in _names:
        _module, _, _help = COMMANDS[_name]
        if find_spec(_module):
            app.command(_name, help=_help, rich_help_panel=_panel)(_stand_in)


def _show_version(requested: bool) -> None:
    if requested:
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
            help="Database: sqlite:///FILE.db or postgresql+psycopg://USER@HOST/NAME",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    if database:
        # as a setting, so that commands need not pass it on
        os.environ["FIRMOGRAPH_DATABASE_URL"] = database
    # servers and workers log this instead
    if context.invoked_subcommand not in ("serve", "worker"):
        for variable, nearest in misnamed_settings():
            print(f"Warning: {variable} is not a setting; did you mean {nearest}?", file=sys.stderr)


def run() -> None:
    """Run the command line and exit with its code."""
    reduce_gc_frequency()
    try:
        app(args=_database_first(sys.argv[1:]), prog_name="firmograph")
    except FirmographError as error:
        _fail(_operator_message(error))
    except Exception as error:
        reason = machine_error_text(error)
        if reason is None or isinstance(error, OSError):
            raise
        _fail(f"The database failed: {reason}")


def _operator_message(error: FirmographError) -> str:
    """Return the message for an operator, without the API's statements on charges."""
    if isinstance(error, Busy) and error.message == Busy.public:
        return "The database is being written by another process; try again shortly"
    if isinstance(error, Unwritable):
        return "The database cannot be written: its disk is full"
    if isinstance(error, Unavailable) and error.__cause__ is not None:
        return f"The database cannot be reached: {machine_error_text(error.__cause__) or error.message}"
    return error.message


def _database_first(arguments: list[str]) -> list[str]:
    """Move `--database URL`, an option of the whole program, before the command."""
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--database" or argument.startswith("--database="):
            end = position + (2 if argument == "--database" else 1)
            return [*arguments[position:end], *arguments[:position], *arguments[end:]]
    return arguments


def _fail(reason: str) -> NoReturn:
    with suppress(BrokenPipeError):
        print(f"Error: {reason}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    run()
