"""Calls to servers on several databases: the same people on each, in pools by the name of the call."""

from collections.abc import Sequence
from typing import Any

from bench import mixes
from bench.latencies import Pool
from bench.nodes_report import Effort
from bench.servers import Server
from bench.sites import Site
from bench.workspace import Workspace

BY_EMAIL = "search of 1, by e-mail"
BY_NAME = "search of 1, by name and company"
MIXED = "search of 100, mixed"
PAID = "enrich of 1, paid already"
CHARGING = "search-and-enrich of 1, charged"
SINGLES = (BY_EMAIL, CHARGING)
"""Calls made while another process imports."""

Pools = dict[str, Pool]


def sample(workspace: Workspace, effort: Effort) -> list[dict[str, Any]]:
    """Return rows of the people to look up."""
    return mixes.sample(workspace.rows("contacts"), workspace.contacts, effort.sample)


def pools(site: Site, server: Server, rows: Sequence[dict[str, Any]], effort: Effort) -> Pools:
    """Return a pool for each call; reveals that must be paid already are paid here."""
    persons = site.people(rows, server)
    calls = {
        BY_EMAIL: mixes.search_mix(persons, 1, effort.singles, ("email",), " by e-mail"),
        BY_NAME: mixes.search_mix(persons, 1, effort.singles, ("name",), " by name"),
        MIXED: mixes.search_mix(persons, 100, effort.batches),
        PAID: mixes.enrich_mix(persons, 1, effort.singles),
    }
    site.pay(mixes.enrich_mix(persons, 100, -(-effort.singles // 100)), server)
    made = {name: site.pool(mix) for name, mix in calls.items()}
    return made | {CHARGING: site.charging_pool(mixes.charging_mix(persons))}
