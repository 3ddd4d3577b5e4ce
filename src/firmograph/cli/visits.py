"""Command group `firmograph visits`: tracked domains (docs/reference/visit-tracking.md#commands)."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, note, plural, print_json, write_fields, write_table
from firmograph.kit.clock import day_number, iso

if TYPE_CHECKING:
    from firmograph.installation import Installation
    from firmograph.visits.report import LookedAt, WayCounts
    from firmograph.visits.sites import Sites
    from firmograph.visits.types import Site

app = typer.Typer(no_args_is_help=True, help="Domains of an account whose visits are tracked.")

Account = Annotated[str, typer.Option("--account", metavar="NAME", help="Account, by name or id.")]
Domain = Annotated[str, typer.Argument(metavar="DOMAIN", help="Tracked domain.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Since = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="First day of the sessions.")
]
Until = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Last day of the sessions.")
]
_LATER_THAN_ALL: Final = 1 << 20
"""Day number."""


class _Opened(NamedTuple):
    installation: "Installation"
    sites: "Sites"
    account_id: int


@contextmanager
def _open(account: str) -> Iterator[_Opened]:
    """Open the installation for an account. Raises Refused for an unknown one."""
    from firmograph.cli.context import open_account
    from firmograph.visits.sites import Sites

    with open_account(account) as (installation, account_id):
        yield _Opened(installation, installation.get(Sites), account_id)


@app.command(
    epilog=examples(
        "firmograph visits track acme.com --account Acme --intent '/pricing*' --intent '*/demo'",
        "firmograph visits track acme.com --account Acme --customers crm --zone Europe/Berlin",
    )
)
def track(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="Domain; its subdomains belong to it.")],
    account: Account,
    intent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Paths that show intent, * for any characters; '' for none. Repeatable."
        ),
    ] = None,
    customers: Annotated[
        str | None,
        typer.Option(metavar="SOURCE", help="Source of companies whose ids the pages pass; '' for none."),
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Time zone of its days, such as Europe/Berlin; else UTC."),
    ] = None,
    json: Json = False,
) -> None:
    """Track a domain, or change how it is tracked; options that are not given stay as they are.

    Intent patterns judge the page views that come in from then on.
    """
    patterns = None if intent is None else [pattern for pattern in intent if pattern]
    with _open(account) as opened:
        site = opened.sites.track(opened.account_id, domain, intent=patterns, customers=customers, zone=zone)
        if site.customers and not opened.sites.is_known_source(site.customers):
            note(f"No source {site.customers!r} yet", "import the companies with --source")
    _show(site, json=json)


@app.command("list", epilog=examples("firmograph visits list --account Acme"))
def list_(account: Account, json: Json = False) -> None:
    """List the tracked domains of an account."""
    with _open(account) as opened:
        sites = opened.sites.all(opened.account_id)
    if json:
        print_json([_fields(site) for site in sites])
        return
    columns: list[Column[Site]] = [
        Column("DOMAIN", lambda site: site.domain, whole=True),
        Column("INTENT", lambda site: ", ".join(site.intent)),
        Column("CUSTOMERS", lambda site: site.customers or "", 1),
        Column("ZONE", lambda site: site.zone or "UTC", 2),
        Column(
            "EXCLUDED", lambda site: ", ".join([*site.excluded.networks, *site.excluded.email_domains]), 3
        ),
        Column("SINCE", lambda site: iso(site.tracked_at)[:10], 4, whole=True),
    ]
    write_table(
        sites,
        columns,
        empty=f"No domain is tracked; track one with `firmograph visits track DOMAIN --account {account}`",
    )


@app.command(
    epilog=examples(
        "firmograph visits exclude acme.com --account Acme --network 192.0.2.0/24",
        "firmograph visits exclude acme.com --account Acme --email-domain acme.com --remove",
    )
)
def exclude(
    domain: Domain,
    account: Account,
    network: Annotated[
        list[str] | None, typer.Option(metavar="NETWORK", help="Network or address. Repeatable.")
    ] = None,
    email_domain: Annotated[
        list[str] | None,
        typer.Option(metavar="DOMAIN", help="E-mail domain that the pages pass. Repeatable."),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Exclude them no longer.")] = False,
    json: Json = False,
) -> None:
    """Leave out own traffic from now on; what is stored stays."""
    if not network and not email_domain:
        raise typer.BadParameter("give --network or --email-domain")
    with _open(account) as opened:
        site = opened.sites.exclude(
            opened.account_id,
            domain,
            networks=network or (),
            email_domains=email_domain or (),
            remove=remove,
        )
    _show(site, json=json)


@app.command(epilog=examples("firmograph visits snippet acme.com --account Acme"))
def snippet(
    domain: Domain,
    account: Annotated[
        str | None, typer.Option("--account", metavar="NAME", help="Account; any that tracks it without.")
    ] = None,
    json: Json = False,
) -> None:
    """Print the HTML that pages of a tracked domain need: below FIRMOGRAPH_PUBLIC_URL, the same for every account."""
    from html import escape

    from firmograph.cli.context import open_installation
    from firmograph.visits.sites import Sites

    if account is None:
        installation = open_installation()
        try:
            installation.get(Sites).check_is_tracked(domain)
        finally:
            installation.database.close()
    else:
        with _open(account) as opened:
            installation = opened.installation
            opened.sites.find(opened.account_id, domain)
    url = f"{installation.settings.public_url.rstrip('/')}/collect/v.js"
    html = f'<script async src="{escape(url)}"></script>'
    if json:
        print_json({"html": html, "script": url})
        return
    typer.echo(html)
    if not url.startswith("https://"):
        note(
            f"Pages on https do not load {url}",
            "set FIRMOGRAPH_PUBLIC_URL to the https:// address of this server",
        )


@app.command(epilog=examples("firmograph visits untrack acme.com --account Acme"))
def untrack(
    domain: Domain,
    account: Account,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Stop tracking a domain and delete all its visits."""
    with _open(account) as opened:
        site = opened.sites.find(opened.account_id, domain)
        if not yes and sys.stdin.isatty() and sys.stderr.isatty():
            typer.confirm(f"Delete all visits of {site.domain}?", abort=True, err=True)
        deleted = opened.sites.untrack(opened.account_id, site.domain)
    if json:
        print_json({"domain": site.domain, "visitorDays": deleted})
    else:
        days = plural(deleted, "day of a visitor", "days of visitors")
        typer.echo(f"{site.domain} is not tracked any more; {deleted:,} {days} deleted")


@app.command(epilog=examples("firmograph visits report --account Acme --since 2026-09-01"))
def report(
    account: Account,
    domain: Annotated[
        str | None, typer.Argument(metavar="[DOMAIN]", help="Tracked domain; all of them without it.")
    ] = None,
    since: Since = None,
    until: Until = None,
    json: Json = False,
) -> None:
    """Count sessions by the way that their company was found, with its confidence, and show what answers hide."""
    from firmograph.visits.report import VisitReports

    first = 0 if since is None else _day(since)
    last = _LATER_THAN_ALL if until is None else _day(until)
    if last < first:
        raise typer.BadParameter("must not be before --since", param_hint="--until")
    with _open(account) as opened:
        sites = opened.sites.all(opened.account_id)
        if domain is not None:
            sites = [opened.sites.find(opened.account_id, domain)]
        reports = opened.installation.get(VisitReports)
        counts, looked_at = reports.report(sites, first, last), reports.looked_at(sites, first, last)
        least = opened.installation.settings.visit_confidence
    if json:
        ways = [_way_fields(one) for one in counts]
        print_json({"leastConfidence": least, "ways": ways, "lookedAt": _looked_at_fields(looked_at)})
        return
    columns: list[Column[WayCounts]] = [
        Column("COMPANY BY", lambda one: one.way, whole=True),
        Column("CONFIDENCE", lambda one: "" if one.confidence is None else f"{one.confidence:.2f}"),
        Column("SESSIONS", lambda one: one.sessions),
        Column("VISITORS", lambda one: one.visitors, 1),
        Column("COMPANIES", lambda one: one.companies, 1),
        Column("PAGE VIEWS", lambda one: one.page_views, 2),
        Column("HIGH INTENT", lambda one: one.high_intent_page_views, 3),
        Column("ANSWERS", lambda one: "hidden" if one.hidden else "shown", whole=True),
    ]
    write_table(counts, columns, empty="No sessions")
    if counts:
        total = sum(one.sessions for one in counts)
        hidden = sum(one.sessions for one in counts if one.hidden)
        note(f"{hidden:,} of {total:,} sessions are in no answer: without a company, or below {least:.2f}")
    if looked_at.median_seconds is not None:
        measured = plural(looked_at.page_views, "page view", "page views")
        of_intent = looked_at.high_intent_median_seconds
        note(
            f"Half of the pages were looked at for {looked_at.median_seconds:,.0f} s or longer"
            f"{'' if of_intent is None else f', of high intent for {of_intent:,.0f} s'}:"
            f" known of {looked_at.page_views:,} {measured}"
        )


def _day(given: datetime) -> int:
    return day_number(given.replace(tzinfo=UTC).timestamp())


def _show(site: "Site", *, json: bool) -> None:
    fields = _fields(site)
    if json:
        print_json(fields)
        return
    write_fields(
        (name, ", ".join(value) if isinstance(value, tuple) else value) for name, value in fields.items()
    )


def _fields(site: "Site") -> dict[str, Any]:
    return {
        "domain": site.domain,
        "intent": tuple(site.intent),
        "customers": site.customers,
        "zone": site.zone or "UTC",
        "excludedNetworks": site.excluded.networks,
        "excludedEmailDomains": site.excluded.email_domains,
        "trackedAt": iso(site.tracked_at),
    }


def _looked_at_fields(one: "LookedAt") -> dict[str, Any]:
    return {
        "pageViews": one.page_views,
        "medianSeconds": one.median_seconds,
        "highIntentPageviews": one.high_intent_page_views,
        "highIntentMedianSeconds": one.high_intent_median_seconds,
    }


def _way_fields(one: "WayCounts") -> dict[str, Any]:
    return {
        "way": one.way,
        "confidence": one.confidence,
        "sessions": one.sessions,
        "visitors": one.visitors,
        "companies": one.companies,
        "pageViews": one.page_views,
        "highIntentPageviews": one.high_intent_page_views,
        "hidden": one.hidden,
    }
