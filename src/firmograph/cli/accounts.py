"""Commands on accounts and their money: `account`, `credits` and `ledger`.

An account is given by name or id. With `--json` one JSON object goes to stdout and everything else to stderr; refusals
are raised as FirmographError, which the main command prints as one line with exit code 1.
"""

import csv
import sys
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, Ids, print_json, write_table
from firmograph.kit.clock import iso

if TYPE_CHECKING:
    from firmograph.accounts.service import Accounts
    from firmograph.accounts.types import Account
    from firmograph.billing.types import LedgerEntry

account_app = typer.Typer(no_args_is_help=True, help="Accounts and their plans.")
credits_app = typer.Typer(no_args_is_help=True, help="Credits of an account.")
ledger_app = typer.Typer(no_args_is_help=True, help="All grants and charges of an account.")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AccountArgument = Annotated[str, typer.Argument(metavar="ACCOUNT", help="Account name or id.")]
AccountOption = Annotated[str, typer.Option("--account", help="Account name or id.")]

CreditsArgument = Annotated[int, typer.Argument(metavar="N", min=1)]


class RevealForm(StrEnum):
    NAMES = "names"
    PRICED = "priced"
    DEFAULT = "default"


class LedgerFormat(StrEnum):
    JSONL = "jsonl"
    CSV = "csv"


@ledger_app.callback()
def _group() -> None:
    """Keep the name of the only command in the command line."""


def open_accounts(*, creates: bool = False) -> "Accounts":
    """Return the accounts of the installation; `creates` creates its database if there is none."""
    from firmograph.accounts.service import Accounts
    from firmograph.cli.context import open_installation

    return open_installation(creates=creates).get(Accounts)


def print_result(as_json: bool, value: dict[str, Any], show: Callable[[], None]) -> None:
    """Print a value as JSON, or call `show`."""
    if as_json:
        print_json(value)
    else:
        show()


def _account_json(account: "Account") -> dict[str, Any]:
    return {
        "accountId": account.id,
        "name": account.name,
        "plan": account.plan,
        "active": account.active,
        **({} if account.closed_at is None else {"closedAt": iso(account.closed_at)}),
        "canReveal": account.can_reveal or "default",
        "createdAt": iso(account.created_at),
        "credits": {"total": account.granted, "used": account.used, "remaining": account.remaining},
    }


def _show_accounts(accounts: "Iterable[Account]", *, ids: bool = False) -> None:
    columns: list[Column[Account]] = [
        Column("NAME", lambda account: account.name),
        Column("PLAN", lambda account: account.plan, 1),
        Column("STATE", lambda account: account.state, 1, whole=True),
        Column("CREDITS LEFT", lambda account: account.remaining),
        Column("USED", lambda account: account.used, 2),
        Column("ID", lambda account: str(account.id), is_id=True),
    ]
    write_table(accounts, columns, ids=ids, empty="No accounts")


def _show(account: "Account", as_json: bool) -> None:
    print_result(as_json, _account_json(account), lambda: _show_accounts([account]))


@account_app.command("create", epilog=examples("firmograph account create acme --plan pro --credits 1000"))
def create_account(
    name: Annotated[str, typer.Argument(help="Unique name of your choice.")],
    plan: Annotated[str, typer.Option(help="Plan from the plans file.")] = "unlimited",
    credits: Annotated[int, typer.Option(min=0, help="Initial credits.")] = 0,
    json: Json = False,
) -> None:
    """Create an account. Then create a key for it with `firmograph key create`."""
    _show(open_accounts(creates=True).create(name, plan, credits), json)


@account_app.command("list", epilog=examples("firmograph account list", "firmograph account list --json"))
def list_accounts(ids: Ids = False, json: Json = False) -> None:
    """List all accounts."""
    accounts = open_accounts().all()
    print_result(
        json,
        {"accounts": [_account_json(a) for a in accounts]},
        lambda: _show_accounts(accounts, ids=ids),
    )


@account_app.command("show", epilog=examples("firmograph account show acme"))
def show_account(account: AccountArgument, json: Json = False) -> None:
    """Show one account."""
    _show(open_accounts().find(account), json)


@account_app.command("rename", epilog=examples("firmograph account rename acme acme-europe"))
def rename_account(
    account: AccountArgument,
    name: Annotated[str, typer.Argument(metavar="NEW", help="Unique name of your choice.")],
    json: Json = False,
) -> None:
    """Give an account another name. Its id, keys and credits stay."""
    _show(open_accounts().rename(account, name), json)


@account_app.command("close", epilog=examples("firmograph account close acme --yes"))
def close_account(
    account: AccountArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Close it without asking.")] = False,
    json: Json = False,
) -> None:
    """Close an account for good: its keys are revoked, its credits expire.

    Runs are stopped and subscriptions disabled. Tables, subscriptions and users are erased after 30 days; ledger, paid
    units and audit stay.
    """
    from firmograph.kit.errors import Refused

    if not yes and not sys.stdin.isatty():
        raise Refused("Closing an account cannot be undone; confirm it with --yes")
    accounts = open_accounts()
    if not yes:
        found = accounts.find(account)
        typer.confirm(
            f"Close {found.name} for good, with {found.remaining:,} credits left?", abort=True, err=True
        )
    _show(accounts.close(account), json)


@account_app.command("disable", epilog=examples("firmograph account disable acme"))
def disable_account(account: AccountArgument, json: Json = False) -> None:
    """Refuse all further calls of the account (403)."""
    _show(open_accounts().set_active(account, False), json)


@account_app.command("enable", epilog=examples("firmograph account enable acme"))
def enable_account(account: AccountArgument, json: Json = False) -> None:
    """Accept calls of a disabled account again."""
    _show(open_accounts().set_active(account, True), json)


@account_app.command("plan", epilog=examples("firmograph account plan acme scale"))
def change_plan(account: AccountArgument, plan: Annotated[str, typer.Argument()], json: Json = False) -> None:
    """Change the account's plan from the next call on."""
    _show(open_accounts().set_plan(account, plan), json)


@account_app.command("can-reveal", epilog=examples("firmograph account can-reveal acme priced"))
def change_can_reveal(
    account: AccountArgument, form: Annotated[RevealForm, typer.Argument()], json: Json = False
) -> None:
    """Choose the form of `canReveal` in the account's responses; `default` follows the server's setting."""
    _show(open_accounts().set_can_reveal(account, None if form is RevealForm.DEFAULT else form.value), json)


@credits_app.command(
    "grant",
    context_settings={"ignore_unknown_options": True},
    epilog=examples("firmograph credits grant --account acme 500"),
)
def grant_credits(
    account: AccountOption,
    credits: CreditsArgument,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Reason, for `firmograph audit`, such as an order.")
    ] = None,
    json: Json = False,
) -> None:
    """Grant the account N more credits."""
    _show(open_accounts().grant(account, credits, reason), json)


@credits_app.command(
    "adjust",
    context_settings={"ignore_unknown_options": True},
    epilog=examples('firmograph credits adjust --account acme 50 --reason "granted twice"'),
)
def adjust_credits(
    account: AccountOption,
    credits: CreditsArgument,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Reason, for `firmograph audit`.")],
    json: Json = False,
) -> None:
    """Take back N of the account's remaining credits. More than remain is refused, and nothing changes."""
    _show(open_accounts().adjust(account, credits, reason), json)


@ledger_app.command(
    "export", epilog=examples("firmograph ledger export --account acme --format csv > ledger.csv")
)
def export_ledger(
    account: AccountOption,
    format: Annotated[LedgerFormat, typer.Option(help="JSON Lines or CSV.")] = LedgerFormat.JSONL,
) -> None:
    """Write the account's ledger to stdout, oldest row first."""
    rows = (_ledger_row(number, entry) for number, entry in open_accounts().ledger(account))
    if format is LedgerFormat.JSONL:
        for row in rows:
            print_json(row)
        return
    writer = csv.DictWriter(sys.stdout, _LEDGER_FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


_LEDGER_FIELDS = (
    "id", "at", "accountId", "requestId", "kind", "action", "quantity", "credits", "balance", "subject",
    "actor",
)  # fmt: skip


def _ledger_row(number: int, entry: "LedgerEntry") -> dict[str, object]:
    values = (
        number,
        iso(entry.at),
        entry.account_id,
        entry.request_id,
        entry.kind,
        entry.action,
        entry.quantity,
        entry.credits,
        entry.balance,
        entry.subject,
        entry.actor,
    )
    return dict(zip(_LEDGER_FIELDS, values, strict=True))
