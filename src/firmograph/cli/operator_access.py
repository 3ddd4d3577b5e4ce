"""Commands on operators: `operator add|remove|list` for people, `operator key` for programs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmograph.cli.access import PasswordStdin, open_logins, read_password
from firmograph.cli.accounts import Json, print_result
from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, note, write_table
from firmograph.kit.clock import iso

if TYPE_CHECKING:
    from firmograph.admin.operator_keys import OperatorKeys
    from firmograph.admin.types import OperatorKey
    from firmograph.logins.types import Login

app = typer.Typer(
    no_args_is_help=True, help="Operators of the service: people in the workspace, programs by key."
)
key_app = typer.Typer(
    no_args_is_help=True, help="Operators of the service: people in the workspace, programs by key."
)
app.add_typer(key_app, name="key")


EmailArgument = Annotated[str, typer.Argument(metavar="EMAIL")]


@app.command(
    "add",
    epilog=examples(
        "firmograph operator add dana@acme.example",
        "firmograph operator add dana@acme.example --password-stdin",
    ),
)
def add_operator(email: EmailArgument, password_stdin: PasswordStdin = False, json: Json = False) -> None:
    """Make a login an operator's, who manages accounts in the workspace."""
    login = open_logins().add_operator(email, read_password() if password_stdin else None)
    print_result(json, {"email": login.email}, lambda: typer.echo(f"{login.email} is an operator"))


@app.command("remove", epilog=examples("firmograph operator remove dana@acme.example"))
def remove_operator(email: EmailArgument, json: Json = False) -> None:
    """Withdraw the mark of an operator, from the next request on; the login stays."""
    login = open_logins().remove_operator(email)
    print_result(json, {"email": login.email}, lambda: typer.echo(f"{login.email} is no operator any more"))


@app.command("list", epilog=examples("firmograph operator list"))
def list_operators(json: Json = False) -> None:
    """List the people who are operators."""
    logins = open_logins().operators()
    columns: list[Column[Login]] = [
        Column("EMAIL", lambda login: login.email),
        Column("SINCE", lambda login: iso(login.created_at), 1, whole=True),
    ]
    value = {"operators": [{"email": one.email, "createdAt": iso(one.created_at)} for one in logins]}
    print_result(json, value, lambda: write_table(logins, columns, empty="No operators"))


def _keys() -> "OperatorKeys":
    from firmograph.admin.operator_keys import OperatorKeys
    from firmograph.cli.context import open_installation

    return open_installation().get(OperatorKeys)


def _key_json(key: "OperatorKey") -> dict[str, Any]:
    value = {
        "name": key.name,
        "prefix": key.prefix,
        "createdAt": iso(key.created_at),
        "revokedAt": None if key.revoked_at is None else iso(key.revoked_at),
    }
    return {name: each for name, each in value.items() if each not in (None, "")}


@key_app.command("create", epilog=examples("firmograph operator key create --name shop"))
def create_operator_key(
    name: Annotated[str, typer.Option(help="Name of your choice, such as the program that uses it.")] = "",
    json: Json = False,
) -> None:
    """Create an operator's key and show it, once only. It opens /admin, if FIRMOGRAPH_ADMIN_API is true."""
    new = _keys().create(name)
    value = {"operatorKey": new.operator_key, **_key_json(new.key)}
    print_result(json, value, lambda: typer.echo(new.operator_key))
    note("Store this key now: it is not shown again", "send it in the header operator_key")


@key_app.command("list", epilog=examples("firmograph operator key list"))
def list_operator_keys(json: Json = False) -> None:
    """List operators' keys by name and prefix, including revoked ones."""
    keys = _keys().all()
    columns: list[Column[OperatorKey]] = [
        Column("NAME", lambda key: key.name),
        Column("PREFIX", lambda key: key.prefix, whole=True),
        Column("CREATED", lambda key: iso(key.created_at), 1, whole=True),
        Column("REVOKED", lambda key: key.revoked_at and iso(key.revoked_at), 1, whole=True),
    ]
    print_result(
        json, {"keys": [_key_json(key) for key in keys]}, lambda: write_table(keys, columns, empty="No keys")
    )


@key_app.command("revoke", epilog=examples("firmograph operator key revoke fgo_3f9a2cQx"))
def revoke_operator_key(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key or its prefix.")], json: Json = False
) -> None:
    """Revoke an operator's key permanently, from the next call on."""
    revoked = _keys().revoke(key)
    print_result(json, _key_json(revoked), lambda: typer.echo(f"Revoked {revoked.prefix}..."))
