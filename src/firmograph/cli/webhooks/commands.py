"""Commands `firmograph webhooks listen|list|failures|enable|redeliver`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Ids, note, plural, print_json
from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Refused
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.caller import Request
    from firmograph.webhooks.recovery import Recovery

app = typer.Typer(no_args_is_help=True, help="Receive webhooks in development; retry failed deliveries.")

AccountOption = Annotated[str, typer.Option("--account", help="Account name or id.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
PayloadIds = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID...", help="Payload ids, as `payloadId` in the audit or from `failures`."),
]


@app.command(epilog=examples('firmograph webhooks listen --secret "$SECRET"'))
def listen(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 8400,
    secret: Annotated[
        str | None,
        typer.Option(
            envvar="FIRMOGRAPH_WEBHOOK_SECRET",
            show_envvar=True,
            help="The account's webhook secret, for verification. The variable keeps it out of the process list.",
        ),
    ] = None,
    brand: Annotated[
        str | None,
        typer.Option(help="The BRAND in X-BRAND-Signature; the setting FIRMOGRAPH_BRAND by default."),
    ] = None,
    status: Annotated[
        int, typer.Option(min=200, max=599, help="Response status for genuine deliveries.")
    ] = 201,
    fail: Annotated[
        int, typer.Option(min=0, metavar="N", help="Respond to the first N with 500, to test retries.")
    ] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON Lines, one per delivery.")] = False,
) -> None:
    """Receive deliveries on this machine until interrupted: verify, print and acknowledge them.

    Both signatures and the timestamp are checked; forged deliveries get a 401. The server has to run with
    FIRMOGRAPH_ALLOW_INSECURE_WEBHOOKS=true to send to this machine. Then subscribe with the URL shown here, and send a
    test:

        curl -X POST http://127.0.0.1:8000/api/subscriptions/ID/test -H "api_key: KEY"
    """
    import asyncio

    from firmograph.cli.webhooks.output import DeliveryPrinter
    from firmograph.cli.webhooks.receiver import HOST, Receiver
    from firmograph.cli.webhooks.verification import Verifier

    verifier = Verifier(brand or load_settings().brand, _check_secret(secret))
    show = DeliveryPrinter(sys.stdout, json=json)
    receiver = Receiver(verifier, SystemClock(), show, status=status, fail=fail)

    def ready(port: int) -> None:
        if secret is None:
            note("Deliveries are not verified without --secret", "GET /api/account/secret returns yours")
        note(f"Listening on http://{HOST}:{port}/ for deliveries", "stop with Ctrl-C")

    asyncio.run(receiver.run(port, ready))


def _check_secret(secret: str | None) -> str | None:
    from binascii import Error

    from firmograph.webhooks.sending.signing import SECRET_PREFIX, standard_signature

    if secret is None:
        return None
    try:
        standard_signature(secret, "", 0, b"")
    except (Error, ValueError):
        raise typer.BadParameter("is not a webhook secret.", param_hint="--secret") from None
    if not secret.startswith(SECRET_PREFIX):
        raise typer.BadParameter(f"A webhook secret begins with {SECRET_PREFIX}.", param_hint="--secret")
    return secret


@app.command("list", epilog=examples("firmograph webhooks list --account acme"))
def list_subscriptions(account: AccountOption, ids: Ids = False, json: JsonOption = False) -> None:
    """List an account's subscriptions with their state, queued deliveries and permanent failures."""
    from firmograph.cli.webhooks.output import subscriptions_json, write_subscriptions

    with _recovery(account) as (recovery, request):
        rows = recovery.subscriptions(request)
    if json:
        print_json({"subscriptions": subscriptions_json(rows)})
    else:
        write_subscriptions(rows, ids=ids)


@app.command("failures", epilog=examples("firmograph webhooks failures --account acme"))
def list_failures(account: AccountOption, ids: Ids = False, json: JsonOption = False) -> None:
    """List an account's permanently failed deliveries, oldest first; `redeliver` sends them again.

    They are kept for 180 days.
    """
    from firmograph.cli.webhooks.output import failures_json, write_failures

    with _recovery(account) as (recovery, request):
        rows = recovery.failures(request)
    if json:
        print_json({"failures": failures_json(rows)})
    else:
        write_failures(rows, ids=ids)


@app.command(epilog=examples("firmograph webhooks enable --account acme --url https://crm.acme.example/hook"))
def enable(
    account: AccountOption,
    url: Annotated[str | None, typer.Option(help="Only subscriptions with exactly this URL.")] = None,
    json: JsonOption = False,
) -> None:
    """Enable the subscriptions of an account that were disabled because their receiver failed.

    Queued deliveries are sent in order. Deliveries that had used up their retries are not: `redeliver` sends them
    again. Subscriptions that the account disabled itself stay disabled.
    """
    with _recovery(account) as (recovery, request):
        enabled = recovery.enable(request, url)
        left = sum(1 for one in recovery.failures(request) if one.active)
    if json:
        print_json({"enabled": len(enabled), "subscriptions": enabled})
        return
    typer.echo(f"{len(enabled)} {plural(len(enabled), 'subscription')} enabled.")
    if left:
        note(
            f"{left} {plural(left, 'delivery', 'deliveries')} failed permanently",
            f"firmograph webhooks redeliver --account {account} sends them again",
        )


@app.command(epilog=examples("firmograph webhooks redeliver --account acme"))
def redeliver(
    ids: PayloadIds = None,
    account: Annotated[
        str | None, typer.Option(help="Instead of ids: all failures of this account (name or id).")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Send permanently failed deliveries again, with the same ids and new retries, before queued ones.

    Their subscription has to be active (`enable`). Each is charged when it arrives, and never twice. Exits with code 1
    if any of them cannot be sent again.
    """
    from firmograph.cli.context import open_installation, operator_request
    from firmograph.webhooks.recovery import Recovery

    if bool(ids) == bool(account):
        raise typer.BadParameter("Give payload ids, or --account for all failures.", param_hint="ID...")
    installation = open_installation()
    try:
        recovery, requested = installation.get(Recovery), ids or []
        if account is not None:
            failures = recovery.failures(operator_request(installation, account))
            requested = [one.payload_id for one in failures]
        now = installation.clock.seconds()
        results = recovery.redeliver([one.strip().lower() for one in requested], now)
    finally:
        installation.database.close()
    refused = [one for one in results if one.refusal]
    if json:
        print_json({"redelivered": len(results) - len(refused), "results": [_result(one) for one in results]})
    else:
        for one in refused:
            typer.echo(f"{one.payload_id}: {one.refusal}", err=True)
        sent = len(results) - len(refused)
        if sent or not refused:
            typer.echo(
                f"{sent} {plural(sent, 'delivery', 'deliveries')} will be sent again by the next worker."
            )
    if refused:
        raise Refused(f"{len(refused)} of {len(results)} cannot be sent again")


def _result(one: Any) -> dict[str, Any]:
    reason = {"reason": one.refusal} if one.refusal else {}
    return {"payloadId": one.payload_id, "redelivered": one.refusal is None, **reason}


@contextmanager
def _recovery(account: str) -> "Iterator[tuple[Recovery, Request]]":
    """Yield the service, and a request of the operator who acts in an account."""
    from firmograph.cli.context import open_installation, operator_request
    from firmograph.webhooks.recovery import Recovery

    installation = open_installation()
    try:
        yield installation.get(Recovery), operator_request(installation, account)
    finally:
        installation.database.close()
