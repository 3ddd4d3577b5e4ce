"""Sites: domains of accounts whose visits are tracked (rulings J 10, 11)."""

import ipaddress
from collections.abc import Collection, Sequence
from typing import Final
from zoneinfo import ZoneInfo

from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.directory.normalise.domains import host_of
from firmograph.ingest.imports.source_names import find_sources
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.kit.suggestions import nearest_values
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits import store
from firmograph.visits.deletion import delete_site_part
from firmograph.visits.types import Exclusions, Site

_PART_ROWS: Final = 5_000
"""Visitors' days that a transaction deletes at most."""
_MOST_PATTERNS: Final = 100
_LONGEST_PATTERN: Final = 500


class Sites:
    """Sites of all accounts."""

    def __init__(self, database: Database, clock: Clock, audit: OperatorAudit) -> None:
        self._database = database
        self._clock = clock
        self._audit = audit

    def track(
        self,
        account_id: int,
        domain: str,
        *,
        intent: Sequence[str] | None = None,
        customers: str | None = None,
        zone: str | None = None,
    ) -> Site:
        """Track a domain with its subdomains, or change how; None leaves a setting as it is, an empty text clears it.

        Intent patterns judge page views that come in from now on. Raises Refused for invalid values.
        """
        host = _host(domain)
        patterns = None if intent is None else _checked_patterns(intent)
        if zone:
            _check_zone(zone)
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            known = next(iter(store.select_sites_of_domains(own, [host])), None)
            at = self._clock.seconds()
            site = known or Site(account_id, 0, host, (), None, None, Exclusions(), at)
            site = site._replace(
                intent=site.intent if patterns is None else patterns,
                customers=site.customers if customers is None else customers or None,
                zone=site.zone if zone is None else _zone_or_none(zone),
            )
            if known is None:
                store.insert_site(own, site)
            else:
                store.update_site(own, site)
            self._audit.record(session, at, "visits track", account=account_id, subject=host)
            return store.select_sites_of_domains(own, [host])[0]

    def all(self, account_id: int) -> list[Site]:
        """Return the account's sites by domain."""
        return store.select_sites(AccountSession(self._database.session(), account_id))

    def find(self, account_id: int, domain: str) -> Site:
        """Return the account's site of exactly this domain. Raises Refused, naming the tracked ones."""
        own, host = AccountSession(self._database.session(), account_id), _host(domain)
        found = store.select_sites_of_domains(own, [host])
        if not found:
            raise Refused(_untracked(host, [site.domain for site in store.select_sites(own)]))
        return found[0]

    def of_host(self, account_id: int, host: str) -> Site | None:
        """Return the account's site with the longest domain that is the host or above it."""
        own = AccountSession(self._database.session(), account_id)
        return _longest(store.select_sites_of_domains(own, _domains_above(host)))

    def of_host_in_every_account(self, host: str) -> list[Site]:
        """Return the same site of each account that tracks one, for the collector. One statement."""
        by_account: dict[int, list[Site]] = {}
        for site in store.select_sites_of_every_account(self._database.session(), _domains_above(host)):
            by_account.setdefault(site.account_id, []).append(site)
        return [found for some in by_account.values() if (found := _longest(some)) is not None]

    def is_known_source(self, name: str) -> bool:
        """Return whether companies of a source may have been imported."""
        return name in find_sources(self._database.session())

    def check_is_tracked(self, domain: str) -> None:
        """Raise Refused unless an account tracks exactly this domain."""
        host = _host(domain)
        if all(site.domain != host for site in self.of_host_in_every_account(host)):
            raise Refused(_untracked(host, []))

    def exclude(
        self,
        account_id: int,
        domain: str,
        *,
        networks: Collection[str] = (),
        email_domains: Collection[str] = (),
        remove: bool = False,
    ) -> Site:
        """Leave out page views from these networks and of these passed e-mail domains, from now on; or no longer.

        Raises Refused for invalid values, and for those to be removed that are not excluded.
        """
        given = [*map(_network, networks)], [*map(_host, email_domains)]
        site = self.find(account_id, domain)
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            (site,) = store.select_sites_of_domains(own, [site.domain]) or [site]
            held = site.excluded.networks, site.excluded.email_domains
            for some, known in zip(given, held, strict=True):
                missing = [each for each in some if remove and each not in known]
                if missing:
                    raise Refused(f"{missing[0]} is not excluded of {site.domain}")
            excluded = Exclusions(
                *(
                    tuple(each for each in known if each not in some)
                    if remove
                    else tuple(dict.fromkeys([*known, *some]))
                    for some, known in zip(given, held, strict=True)
                )
            )
            changed = site._replace(excluded=excluded)
            store.update_site(own, changed)
            at = self._clock.seconds()
            self._audit.record(session, at, "visits exclude", account=account_id, subject=site.domain)
            return changed

    def untrack(self, account_id: int, domain: str) -> int:
        """Delete a site with all its page views and sessions; return the number of visitors' days deleted.

        It takes several transactions; the same call ends one that was killed. Raises Refused.
        """
        site, deleted = self.find(account_id, domain), 0
        while True:
            with self._database.write(None) as session:
                own = AccountSession(session, account_id)
                part = delete_site_part(own, site.id, _PART_ROWS)
                deleted += part.rows
                if part.is_last:
                    at, counts = self._clock.seconds(), {"visitorDays": deleted}
                    self._audit.record(
                        session, at, "visits untrack", account=account_id, subject=site.domain, details=counts
                    )
                    return deleted


def _host(domain: str) -> str:
    host = host_of(domain)
    if host is None:
        raise Refused(f"{domain!r} is not a domain, such as acme.com")
    return host


def _domains_above(host: str) -> list[str]:
    """Return the host and all domains above it, without `www.`."""
    found = host_of(host)
    labels = found.split(".") if found else []
    return [".".join(labels[at:]) for at in range(len(labels) - 1)]


def _longest(sites: Collection[Site]) -> Site | None:
    return max(sites, key=lambda site: len(site.domain), default=None)


def _untracked(host: str, domains: Sequence[str]) -> str:
    if not domains:
        return f"{host} is not tracked; track it with `firmograph visits track {host} --account NAME`"
    return f"{host} is not tracked; tracked are {', '.join(domains[:10])}"


def _checked_patterns(patterns: Sequence[str]) -> tuple[str, ...]:
    for pattern in patterns:
        if not pattern.startswith(("/", "*")) or len(pattern) > _LONGEST_PATTERN:
            raise Refused(f"{pattern!r} is not a pattern of paths, such as /pricing*: it begins with / or *")
    if len(patterns) > _MOST_PATTERNS:
        raise Refused(f"A site has at most {_MOST_PATTERNS} intent patterns")
    return tuple(dict.fromkeys(patterns))


def _zone_or_none(zone: str) -> str | None:
    return None if zone in ("", "UTC") else zone


def _check_zone(zone: str) -> None:
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        from zoneinfo import available_timezones

        near = ", ".join(nearest_values(zone, sorted(available_timezones())))
        raise Refused(f"{zone!r} is not an IANA time zone; the nearest are {near}") from None


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text.strip(), strict=False))
    except ValueError:
        raise Refused(f"{text!r} is not a network or address, such as 192.0.2.0/24") from None
