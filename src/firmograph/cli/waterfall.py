"""Command group `firmograph waterfall`: providers of accounts (docs/waterfall.md#commands)."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, note, print_json, write_fields, write_table
from firmograph.kit.clock import iso

if TYPE_CHECKING:
    from firmograph.waterfall.administration import ListedProvider, ReportLine, Tested

app = typer.Typer(no_args_is_help=True, help="Other providers that an account asks for what contacts lack.")

Account = Annotated[str, typer.Option("--account", metavar="NAME", help="Account, by name or id.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


_DATA_POINTS: Final = ("emails", "phones")


@app.command(
    epilog=examples(
        "firmograph waterfall enable partner bureau --account Acme",
        "firmograph waterfall enable bureau --account Acme --for phones --contact-cap 10 --day-cap 500",
    )
)
def enable(
    providers: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Providers of the file, in the order to ask them.")
    ],
    account: Account,
    only: Annotated[
        Literal["emails", "phones"] | None,
        typer.Option("--for", help="Ask them for these alone; for both without it."),
    ] = None,
    contact_cap: Annotated[
        int | None, typer.Option(min=0, help="Most credits for one contact; 0 for no cap.")
    ] = None,
    day_cap: Annotated[
        int | None, typer.Option(min=0, help="Most credits of a UTC day; 0 for no cap.")
    ] = None,
    json: Json = False,
) -> None:
    """Enable providers for an account, after those that are; of enabled ones change what is given.

    A provider receives name, employer, LinkedIn page and e-mail of the people it is asked for.
    """
    from firmograph.cli.context import open_account
    from firmograph.waterfall.administration import WaterfallAdministration

    with open_account(account) as (installation, account_id):
        administration = installation.get(WaterfallAdministration)
        listed = administration.enable(account_id, providers, only, contact_cap, day_cap)
    _show(listed, account, json=json)


@app.command(
    epilog=examples(
        "firmograph waterfall disable bureau --account Acme", "firmograph waterfall disable --account Acme"
    )
)
def disable(
    account: Account,
    providers: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Providers; all without names.")
    ] = None,
    json: Json = False,
) -> None:
    """Disable providers of an account; what it has paid for stays."""
    from firmograph.cli.context import open_account
    from firmograph.waterfall.administration import WaterfallAdministration

    with open_account(account) as (installation, account_id):
        ended = installation.get(WaterfallAdministration).disable(account_id, providers or [])
    if json:
        print_json({"disabled": ended})
    else:
        typer.echo(f"Disabled: {', '.join(ended)}" if ended else "No provider was enabled")


@app.command("list", epilog=examples("firmograph waterfall list --account Acme"))
def list_(account: Account, json: Json = False) -> None:
    """List the providers of an account in the order in which they are asked."""
    from firmograph.cli.context import open_account
    from firmograph.waterfall.administration import WaterfallAdministration

    with open_account(account) as (installation, account_id):
        listed = installation.get(WaterfallAdministration).list(account_id)
    _show(listed, account, json=json)


@app.command(epilog=examples("firmograph waterfall report --account Acme --days 7"))
def report(
    account: Account,
    days: Annotated[int, typer.Option(min=1, max=90, help="Days to look back.")] = 30,
    json: Json = False,
) -> None:
    """Report asks, match rate, median time and credits of each provider."""
    from firmograph.cli.context import open_account
    from firmograph.waterfall.administration import WaterfallAdministration

    with open_account(account) as (installation, account_id):
        lines = installation.get(WaterfallAdministration).report(account_id, days)
    if json:
        print_json([_report_fields(line) for line in lines])
        return
    columns: list[Column[ReportLine]] = [
        Column("PROVIDER", lambda line: line.provider, whole=True),
        Column("ASKS", lambda line: line.asks),
        Column("MATCHES", lambda line: line.matches),
        Column("RATE", lambda line: f"{line.match_rate:.0%}"),
        Column("REUSED", lambda line: line.reused, 1),
        Column("MEDIAN MS", lambda line: "" if line.median_ms is None else line.median_ms, 1),
        Column("CREDITS", lambda line: line.credits),
        Column(
            "OTHERS",
            lambda line: ", ".join(
                f"{name}: {count}"
                for name, count in sorted(line.outcomes.items())
                if name not in ("match", "reused")
            ),
            2,
        ),
    ]
    write_table(lines, columns, empty="No provider was asked")


@app.command(
    "test",
    epilog=examples(
        "firmograph waterfall test bureau --for phones --email jane@acme.com",
        "firmograph waterfall test bureau --first-name Jane --last-name Doe --domain acme.com --json",
    ),
)
def ask(
    provider: Annotated[str, typer.Argument(metavar="NAME", help="Provider of the file.")],
    only: Annotated[
        Literal["emails", "phones"], typer.Option("--for", help="Data point to ask for.")
    ] = "emails",
    id: Annotated[str | None, typer.Option("--id", metavar="ID", help="A held contact, by its id.")] = None,
    email: Annotated[str | None, typer.Option(help="Address of the person.")] = None,
    linkedin: Annotated[str | None, typer.Option(metavar="URL", help="LinkedIn page of the person.")] = None,
    first_name: Annotated[str | None, typer.Option(help="First name.")] = None,
    last_name: Annotated[str | None, typer.Option(help="Last name.")] = None,
    company: Annotated[str | None, typer.Option(help="Name of the employer.")] = None,
    domain: Annotated[str | None, typer.Option(help="Domain of the employer.")] = None,
    json: Json = False,
) -> None:
    """Ask one provider for one person, and show what was understood of the answer.

    The provider may charge for it; no account is charged, and no value is stored.
    """
    from firmograph.cli.context import open_installation
    from firmograph.waterfall.administration import WaterfallAdministration
    from firmograph.waterfall.asks.contacts import AskedContact
    from firmograph.waterfall.providers.types import Person

    given = Person(email, first_name, last_name, company, domain, linkedin)
    if (id is None) == (given == Person()):
        raise typer.BadParameter("give --id, or what is known of the person such as --email")
    installation = open_installation()
    try:
        administration = installation.get(WaterfallAdministration)
        contact: AskedContact
        if id is not None:
            contact = administration.read_person(id)
        else:
            contact = AskedContact(None, given, False, None, frozenset())
        tested = asyncio.run(administration.test(provider, contact, only))
    finally:
        installation.database.close()
    fields = _test_fields(tested)
    if json:
        print_json(fields)
        return
    write_fields((name, _one_line(value)) for name, value in fields.items())


def _one_line(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {one}" for name, one in value.items())
    if isinstance(value, list):
        return "; ".join(str(_one_line(one)) for one in value)
    return value


def _test_fields(tested: "Tested") -> dict[str, Any]:
    import msgspec

    from firmograph.waterfall.administration import person_fields
    from firmograph.waterfall.providers.types import Found

    answer = tested.answer
    fields: dict[str, Any] = {"asked": person_fields(tested.person)}
    if not isinstance(answer, Found):
        return {**fields, "answer": type(answer).__name__.lower(), "reason": answer.reason}
    said = {name: value for name, value in msgspec.to_builtins(answer).items() if value}
    values = msgspec.json.decode(tested.values) if tested.values else []
    return {**fields, "answer": "found" if values else "unusable", "said": said, "values": values}


def _show(listed: "list[ListedProvider]", account: str, *, json: bool) -> None:
    if json:
        print_json([_provider_fields(one) for one in listed])
        return
    columns: list[Column[ListedProvider]] = [
        Column("PROVIDER", lambda one: one.enabled.name, whole=True),
        Column("KIND", lambda one: one.provider.kind if one.provider else "not in the file"),
        Column("FOR", lambda one: ", ".join(_served(one)), 1),
        Column("EU", lambda one: "yes" if one.provider and one.provider.eu else "no", 1),
        Column("CONTACT CAP", lambda one: one.enabled.contact_cap or "", 2),
        Column("DAY CAP", lambda one: one.enabled.day_cap or "", 2),
        Column("STATE", _state, 1),
    ]
    write_table(
        listed,
        columns,
        empty=f"No provider is enabled; enable one with `firmograph waterfall enable NAME --account {account}`",
    )
    if any(one.provider is None for one in listed):
        note(
            "Providers that the file lacks are not asked",
            "add them to FIRMOGRAPH_PROVIDERS_FILE, or disable them",
        )


def _served(one: "ListedProvider") -> list[str]:
    return [name for name in _DATA_POINTS if one.enabled.serves(name)]


def _state(one: "ListedProvider") -> str:
    return f"rests until {iso(one.state.rests_until)}" if one.is_resting else "ready"


def _provider_fields(one: "ListedProvider") -> dict[str, Any]:
    return {
        "provider": one.enabled.name,
        "kind": one.provider.kind if one.provider else None,
        "for": _served(one),
        "eu": bool(one.provider and one.provider.eu),
        "prices": dict(one.provider.prices) if one.provider else None,
        "contactCap": one.enabled.contact_cap,
        "dayCap": one.enabled.day_cap,
        "restsUntil": iso(one.state.rests_until) if one.is_resting else None,
    }


def _report_fields(line: "ReportLine") -> dict[str, Any]:
    return {
        "provider": line.provider,
        "asks": line.asks,
        "matches": line.matches,
        "matchRate": round(line.match_rate, 4),
        "reused": line.reused,
        "medianMs": line.median_ms,
        "credits": line.credits,
        "outcomes": dict(line.outcomes),
    }
