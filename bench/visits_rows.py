"""Generated sessions of three sites over a year, written as imports store them."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from bench.generate import SEED
from firmograph.database.connection import AccountSession, Database
from firmograph.kit.clock import DAY_SECONDS
from firmograph.visits import store
from firmograph.visits.packing import SESSION, country_number
from firmograph.visits.types import OwnerKind, Site, VisitOwner

DAYS: Final = 365
_CONFIDENCE: Final = 0.7
_SESSIONS_OF_A_VISITOR: Final = 3
_COUNTRIES: Final = ("US", "GB", "DE", "FR", "IN", "CA", "NL", "ES")
_FOREIGN: Final = 0.1
"""Share of sessions from another country than most of the company's."""


def write_sessions(
    database: Database, sites: Sequence[Site], domains: Sequence[str], sessions: int, today: int
) -> None:
    """Write the sessions of the days up to today, in days since 1970-01-01.

    Few companies have most of the sessions; each visitor has one company.
    """
    rng = np.random.default_rng(SEED)
    weights = 1 / np.arange(1, len(domains) + 1) ** 0.7
    visitors = sessions // _SESSIONS_OF_A_VISITOR
    company = rng.choice(len(domains), visitors, p=weights / weights.sum())
    home = rng.integers(0, len(_COUNTRIES), len(domains))
    countries = np.array([country_number(code) for code in _COUNTRIES], np.int16)
    digests = rng.integers(-(1 << 63), (1 << 63) - 1, visitors)
    for site, share in zip(sites, np.array_split(np.arange(sessions), len(sites)), strict=True):
        owners = _owners(database, site, domains)
        visitor = rng.integers(0, visitors, len(share))
        found = np.zeros(len(share), SESSION)
        found["started_at"] = (today + 1 - DAYS) * DAY_SECONDS + rng.integers(
            0, DAYS * DAY_SECONDS, len(share)
        )
        found["visitor"] = digests[visitor]
        found["owner"] = owners[company[visitor]]
        found["seconds"] = rng.exponential(150, len(share))
        found["page_views"] = 1 + rng.geometric(0.4, len(share))
        found["intent"] = rng.random(len(share)) < 0.1
        foreign = rng.random(len(share)) < _FOREIGN
        place = np.where(foreign, rng.integers(0, len(_COUNTRIES), len(share)), home[company[visitor]])
        found["country"] = countries[place]
        found = found[np.argsort(found["started_at"])]
        days, starts = np.unique(found["started_at"] // DAY_SECONDS, return_index=True)
        packed = [part.tobytes() for part in np.split(found, starts[1:])]
        with database.write(None) as session:
            own = AccountSession(session, site.account_id)
            store.put_sessions(own, site.id, dict(zip(days.tolist(), packed, strict=True)))
            store.raise_revision(own, site.id)


def _owners(
    database: Database, site: Site, domains: Sequence[str]
) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    """Add each domain as an owner of the site; return their numbers."""
    owners = dict.fromkeys(VisitOwner(OwnerKind.NETWORK, domain, _CONFIDENCE) for domain in domains)
    with database.write(None) as session:
        numbers = store.number_owners(AccountSession(session, site.account_id), site.id, owners.keys())
    return np.array([numbers[owner] for owner in owners], np.int32)
