"""Command `firmograph audit`."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, note, print_json, write_table
from firmograph.kit.clock import iso

if TYPE_CHECKING:
    from firmograph.operator_audit.types import OperatorAction

app = typer.Typer(no_args_is_help=True)


@app.command(epilog=examples("firmograph audit", "firmograph audit --account acme --all --json"))
def audit(
    account: Annotated[str | None, typer.Option(help="Only actions on this account, by name or id.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Number of the newest actions.")] = 50,
    all: Annotated[bool, typer.Option("--all", help="All actions.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List what operators did: who, when, to which object and why; the newest action is the last."""
    from firmograph.accounts.service import Accounts
    from firmograph.cli.context import open_installation
    from firmograph.operator_audit.service import read_actions

    installation = open_installation()
    number = None if account is None else installation.get(Accounts).find(account).id
    with installation.database.read() as session:
        found = read_actions(session, number)
        actions = list(found if all else islice(found, limit))[::-1]
        has_more = next(found, None) is not None
    write_actions(actions, json=json)
    if has_more and not json:
        note(f"The newest {len(actions):,} actions", "--all shows all of them")


def write_actions(actions: "Sequence[OperatorAction]", *, json: bool) -> None:
    """Print actions in their order, as a table or one JSON object."""
    if json:
        print_json({"actions": [_action_json(action) for action in actions]})
        return
    columns: list[Column[OperatorAction]] = [
        Column("TIME", lambda action: iso(action.at), whole=True),
        Column("OPERATOR", lambda action: action.actor),
        Column("ACTION", lambda action: action.action, whole=True),
        Column("ACCOUNT", lambda action: None if action.account is None else str(action.account), whole=True),
        Column("OBJECT", _object),
        Column("DETAILS", _details, 1),
        Column("REASON", lambda action: action.reason),
    ]
    write_table(actions, columns, empty="No actions")


def _object(action: "OperatorAction") -> str:
    return action.subject if action.person is None else f"person {action.person.hex()}"


def _details(action: "OperatorAction") -> str:
    return ", ".join(f"{name} {value}" for name, value in msgspec.json.decode(action.details).items())


def _action_json(action: "OperatorAction") -> dict[str, object]:
    values = {
        "at": iso(action.at),
        "operator": action.actor,
        "action": action.action,
        "accountId": action.account,
        "object": action.subject or None,
        "person": action.person.hex() if action.person else None,
        "details": msgspec.json.decode(action.details),
        "reason": action.reason or None,
    }
    return {name: value for name, value in values.items() if value not in (None, {})}
