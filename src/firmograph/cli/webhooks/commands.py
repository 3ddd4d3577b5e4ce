"""`firmograph webhooks listen|list|failures|enable|redeliver`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Refused
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.webhooks.operator_actions import WebhookOperators

app = typer.Typer(
    no_args_is_help=True, help="Webhooks: receive them while developing, and set right what failed."
)

Of = Annotated[str, typer.Option("--account", help="The account's name or id.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID...", help="Payload ids, as `payloadId` in the audit or from `failures`."),
]


@app.command()
def listen(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8400,
    secret: Annotated[
        str | None,
        typer.Option(
            envvar="FIRMOGRAPH_WEBHOOK_SECRET",
            show_envvar=True,
            help="The account's webhook secret, to verify by. The variable keeps it out of the list of processes.",
        ),
    ] = None,
    brand: Annotated[
        str | None,
        typer.Option(help="The word in X-BRAND-Signature; by default the setting FIRMOGRAPH_BRAND."),
    ] = None,
    status: Annotated[
        int, typer.Option(min=200, max=599, help="What genuine deliveries are answered with.")
    ] = 201,
    fail: Annotated[
        int, typer.Option(min=0, metavar="N", help="Answer the first N with 500, to see retries.")
    ] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON Lines, one a delivery.")] = False,
) -> None:
    """Receive deliveries on this machine: verify, print and acknowledge them, until interrupted.

    Both signatures and the timestamp are checked, and what is not genuine is answered 401. The server has to run with
    FIRMOGRAPH_ALLOW_INSECURE_WEBHOOKS=true to send to this machine. Then subscribe with the URL that is shown here, and
    try it:

        curl -X POST http://127.0.0.1:8000/api/subscriptions/ID/test -H "api_key: KEY"
    """
    import asyncio

    from firmograph.cli.webhooks.listening import HOST, Receiver
    from firmograph.cli.webhooks.output import DeliveryPrinter
    from firmograph.cli.webhooks.verifying import Verifier

    verifier = Verifier(brand or load_settings().brand, _checked(secret))
    shown = DeliveryPrinter(sys.stdout, json=json)
    receiver = Receiver(verifier, SystemClock(), shown, status=status, fail=fail)

    def ready(port: int) -> None:
        if secret is None:
            typer.echo("Without --secret nothing is verified; GET /api/account/secret shows yours", err=True)
        typer.echo(f"Listening on http://{HOST}:{port}/ for deliveries; end it with Ctrl-C", err=True)

    asyncio.run(receiver.run(port, ready))


def _checked(secret: str | None) -> str | None:
    from binascii import Error

    from firmograph.webhooks.sending.signing import SECRET_PREFIX, standard_signature

    if secret is None:
        return None
    try:
        standard_signature(secret, "", 0, b"")
    except (Error, ValueError):
        raise typer.BadParameter("is no webhook secret.", param_hint="--secret") from None
    if not secret.startswith(SECRET_PREFIX):
        raise typer.BadParameter(f"A webhook secret begins with {SECRET_PREFIX}.", param_hint="--secret")
    return secret


@app.command("list")
def list_subscriptions(account: Of, json: Json = False) -> None:
    """Show an account's subscriptions: which are disabled and why, how much waits, and how much failed for good."""
    from firmograph.cli.webhooks.output import subscriptions_json, write_subscriptions

    with _operators(account) as (operators, id):
        rows = operators.listed(id)
    if json:
        _print({"subscriptions": subscriptions_json(rows)})
    elif rows:
        write_subscriptions(rows, sys.stdout)
    else:
        typer.echo("No subscriptions.", err=True)


@app.command("failures")
def list_failures(account: Of, json: Json = False) -> None:
    """Show the deliveries of an account that used up their retries and may be sent again (`redeliver`), oldest first.

    They are kept for 180 days.
    """
    from firmograph.cli.webhooks.output import failures_json, write_failures

    with _operators(account) as (operators, id):
        rows = operators.failures(id)
    if json:
        _print({"failures": failures_json(rows)})
    elif rows:
        write_failures(rows, sys.stdout)
    else:
        typer.echo("No deliveries failed for good.", err=True)


@app.command()
def enable(
    account: Of,
    url: Annotated[str | None, typer.Option(help="Only subscriptions with this very URL.")] = None,
    json: Json = False,
) -> None:
    """Revive the subscriptions of an account that were disabled because their receiver failed.

    What waited for them goes out in order. The deliveries that had used up their retries stay behind: `redeliver` sends
    them again. Subscriptions that the account disabled itself stay disabled.
    """
    with _operators(account) as (operators, id):
        enabled = operators.enable(id, url)
        left = sum(1 for one in operators.failures(id) if one.active)
    if json:
        _print({"enabled": len(enabled), "subscriptions": enabled})
        return
    typer.echo(f"{len(enabled)} {_plural(len(enabled), 'subscription')} enabled.")
    if left:
        typer.echo(
            f"{left} {_plural(left, 'delivery', 'deliveries')} failed for good; firmograph webhooks redeliver"
            f" --account {account} sends them again",
            err=True,
        )


@app.command()
def redeliver(
    ids: Ids = None,
    account: Annotated[
        str | None, typer.Option(help="In place of ids: all that failed for this account (name or id).")
    ] = None,
    json: Json = False,
) -> None:
    """Send deliveries again that used up their retries: with the same id, with new retries, before what waits.

    Their subscription has to be active (`enable`). Each is charged when it arrives, and never a second time. Ends with
    exit code 1 if any of them cannot be sent again.
    """
    if bool(ids) == bool(account):
        raise typer.BadParameter("Give payload ids, or --account for all that failed.", param_hint="ID...")
    with _operators(account) as (operators, id):
        chosen = ids or [one.payload_id for one in operators.failures(id)]
        results = operators.redeliver([one.strip().lower() for one in chosen])
    refused = [one for one in results if one.refusal]
    if json:
        _print({"redelivered": len(results) - len(refused), "results": [_result(one) for one in results]})
    else:
        for one in refused:
            typer.echo(f"{one.payload_id}: {one.refusal}", err=True)
        sent = len(results) - len(refused)
        if sent or not refused:
            typer.echo(
                f"{sent} {_plural(sent, 'delivery', 'deliveries')} will be sent again by the next worker."
            )
    if refused:
        raise Refused(f"{len(refused)} of {len(results)} cannot be sent again")


def _result(one: Any) -> dict[str, Any]:
    reason = {"reason": one.refusal} if one.refusal else {}
    return {"payloadId": one.payload_id, "redelivered": one.refusal is None, **reason}


@contextmanager
def _operators(account: str | None) -> "Iterator[tuple[WebhookOperators, int]]":
    """What operators may do, and the number of the account that is meant; 0 where none is."""
    from firmograph.accounts.service import Accounts
    from firmograph.billing.plans import load_plans
    from firmograph.cli.context import open_database
    from firmograph.webhooks.operator_actions import WebhookOperators

    settings = load_settings()
    database = open_database(settings)
    clock = SystemClock()
    try:
        id = 0
        if account is not None:
            id = Accounts(database, load_plans(settings.plans_file), clock).find(account).id
        yield WebhookOperators(database, clock), id
    finally:
        database.close()


def _print(value: dict[str, Any]) -> None:
    typer.echo(msgspec.json.encode(value).decode())


def _plural(count: int, one: str, many: str = "") -> str:
    return one if count == 1 else many or f"{one}s"
