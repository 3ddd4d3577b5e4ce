"""Commands on access to accounts: `key` and `user`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmograph.cli.accounts import AccountOption, Json, open_accounts, print_result
from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, Ids, note, write_table
from firmograph.kit.clock import iso

if TYPE_CHECKING:
    from firmograph.accounts.key_changes import NewKey
    from firmograph.accounts.types import ApiKey, User
    from firmograph.logins.administration import LoginAdministration

key_app = typer.Typer(no_args_is_help=True, help="API keys of an account.")
user_app = typer.Typer(no_args_is_help=True, help="Users of an account and their roles.")

KeyArgument = Annotated[
    str | None,
    typer.Argument(metavar="KEY", help="The key or its prefix; optional if there is only one."),
]


PasswordStdin = Annotated[
    bool,
    typer.Option("--password-stdin", help="Read the password of a new login from the first line of stdin."),
]


def read_password() -> str:
    """Return the first line of stdin. Raises Refused for an empty one."""
    import sys

    from firmograph.kit.errors import Refused

    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise Refused("--password-stdin reads the password from stdin, and there was none")
    return password


def open_logins() -> "LoginAdministration":
    from firmograph.cli.context import open_installation
    from firmograph.logins.administration import LoginAdministration

    return open_installation().get(LoginAdministration)


class Role(StrEnum):
    ADMIN = "admin"
    MANAGER = "manager"
    MEMBER = "member"


def _key_json(key: "ApiKey") -> dict[str, Any]:
    value = {
        "name": key.name,
        "prefix": key.prefix,
        "createdAt": iso(key.created_at),
        "lastUsedAt": _time(key.last_used_at),
        "expiresAt": _time(key.expires_at),
        "dailyCredits": key.daily_credits,
        "revokedAt": _time(key.revoked_at),
    }
    return {name: each for name, each in value.items() if each not in (None, "")}


def _time(at: float | None) -> str | None:
    return None if at is None else iso(at)


def _show_new(key: "NewKey", as_json: bool) -> None:
    value = {"apiKey": key.api_key, "prefix": key.prefix, "accountId": key.account.id}
    print_result(as_json, value, lambda: typer.echo(key.api_key))
    note("Store this key now: it is not shown again", "send it in the header api_key")


@key_app.command(
    "create",
    epilog=examples(
        "KEY=$(firmograph key create --account acme)",
        "firmograph key create --account acme --name crm --expires 2027-06-30 --daily-credits 500",
    ),
)
def create_key(
    account: AccountOption,
    name: Annotated[str, typer.Option(help="Name of your choice, such as the program that uses it.")] = "",
    expires: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="A day, to its end in UTC, or an ISO time; refused (401) from then on."
        ),
    ] = None,
    daily_credits: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="Most credits that it may spend in a UTC day; more is refused (402)."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Create an API key and show it, once only."""
    from firmograph.accounts.keys import read_expiry
    from firmograph.accounts.types import KeyTerms

    terms = KeyTerms(name, None if expires is None else read_expiry(expires), daily_credits)
    _show_new(open_accounts().create_key(account, terms), json)


@key_app.command("list", epilog=examples("firmograph key list --account acme"))
def list_keys(account: AccountOption, json: Json = False) -> None:
    """List the account's keys by name and prefix, including revoked ones, with their last use."""
    keys = open_accounts().keys(account)
    columns: list[Column[ApiKey]] = [
        Column("NAME", lambda key: key.name),
        Column("PREFIX", lambda key: key.prefix, whole=True),
        Column("LAST USED", lambda key: _time(key.last_used_at), 1, whole=True),
        Column("REVOKED", lambda key: _time(key.revoked_at), 1, whole=True),
        Column("EXPIRES", lambda key: _time(key.expires_at), 2, whole=True),
        Column("CREDITS A DAY", lambda key: key.daily_credits, 2),
        Column("CREATED", lambda key: _time(key.created_at), 3, whole=True),
    ]
    print_result(
        json,
        {"keys": [_key_json(key) for key in keys]},
        lambda: write_table(keys, columns, empty="No keys"),
    )


@key_app.command("revoke", epilog=examples("firmograph key revoke --account acme fg_3f9a2c"))
def revoke_key(account: AccountOption, key: KeyArgument = None, json: Json = False) -> None:
    """Revoke a key permanently, from the next call on."""
    revoked = open_accounts().revoke_key(account, key)
    print_result(json, _key_json(revoked), lambda: typer.echo(f"Revoked {revoked.prefix}..."))


@key_app.command("regenerate", epilog=examples("firmograph key regenerate --account acme"))
def regenerate_key(account: AccountOption, key: KeyArgument = None, json: Json = False) -> None:
    """Replace a key by a new one in a single step."""
    revoked, new = open_accounts().regenerate_key(account, key)
    note(f"Revoked {revoked.prefix}...")
    _show_new(new, json)


@user_app.command(
    "add",
    epilog=examples(
        "firmograph user add --account acme dana@acme.example --role admin",
        "firmograph user add --account acme dana@acme.example --password-stdin",
    ),
)
def add_user(
    account: AccountOption,
    email: Annotated[str, typer.Argument()],
    role: Annotated[Role, typer.Option()] = Role.MEMBER,
    password_stdin: PasswordStdin = False,
    json: Json = False,
) -> None:
    """Add a user to the account. Without a password, `user link` lets them choose one."""
    if password_stdin:
        password = read_password()
        user = open_logins().add_user(account, email, role.value, password)
    else:
        user = open_accounts().add_user(account, email, role.value)
    print_result(json, _user_json(user), lambda: typer.echo(f"Added {user.email} as {user.role}"))


@user_app.command("link", epilog=examples("firmograph user link dana@acme.example"))
def make_link(email: Annotated[str, typer.Argument()], json: Json = False) -> None:
    """Print a link, good once and for an hour, by which a user chooses a password for the workspace."""
    from firmograph.cli.context import open_installation
    from firmograph.logins.links import Links
    from firmograph.operator_audit.service import OperatorAudit

    installation = open_installation()
    new = installation.get(Links).make_password_link(email, OperatorAudit())
    url = f"{installation.settings.public_url}/workspace/link/{new.token}"
    value = {"email": new.email, "url": url, "expiresAt": iso(new.expires_at)}
    print_result(json, value, lambda: typer.echo(url))
    note(f"Hand it over to {new.email}: it is shown once, and ends at {iso(new.expires_at)}")


def _user_json(user: "User") -> dict[str, Any]:
    return {"userId": user.id, "email": user.email, "role": user.role}


@user_app.command("role", epilog=examples("firmograph user role --account acme dana@acme.example manager"))
def change_role(
    account: AccountOption,
    email: Annotated[str, typer.Argument()],
    role: Annotated[Role, typer.Argument()],
    json: Json = False,
) -> None:
    """Give a user another role. The last admin stays one."""
    user = open_accounts().set_role(account, email, role.value)
    print_result(json, _user_json(user), lambda: typer.echo(f"{user.email} is {user.role}"))


@user_app.command(
    "remove",
    epilog=examples(
        "firmograph user remove --account acme dana@acme.example",
        "firmograph user remove --account acme dana@acme.example --to eli@acme.example",
    ),
)
def remove_user(
    account: AccountOption,
    email: Annotated[str, typer.Argument()],
    to: Annotated[
        str | None,
        typer.Option(metavar="EMAIL", help="User who receives their tables; by default the oldest admin."),
    ] = None,
    json: Json = False,
) -> None:
    """Remove a user from the account. The last admin stays."""
    user = open_accounts().remove_user(account, email, to)
    print_result(json, _user_json(user), lambda: typer.echo(f"Removed {user.email}"))


@user_app.command("list", epilog=examples("firmograph user list --account acme"))
def list_users(account: AccountOption, ids: Ids = False, json: Json = False) -> None:
    """List the users of the account."""
    users = open_accounts().users(account)
    columns: list[Column[User]] = [
        Column("EMAIL", lambda user: user.email),
        Column("ROLE", lambda user: user.role, whole=True),
        Column("ID", lambda user: str(user.id), is_id=True),
    ]
    print_result(
        json,
        {"users": [_user_json(user) for user in users]},
        lambda: write_table(users, columns, ids=ids, empty="No users"),
    )
