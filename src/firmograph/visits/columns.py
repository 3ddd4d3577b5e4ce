"""Sessions of websites as columns, which the query and the report read (docs/reference/website-visits.md#storage)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.database.connection import AccountSession
from firmograph.visits.types import Owner


class Columns(NamedTuple):
    """Sessions of some sites by start, in arrays of one length."""

    site: NDArray[np.int32]
    """Id of the site."""
    owner: NDArray[np.int32]
    """Number of the owner (`read_owners`), 0 without one."""
    visitor: NDArray[np.int64]
    """Hash of the visitor; the same on all sites of the account for those with an e-mail hash or a customer id."""
    started_at: NDArray[np.int64]
    """Seconds since 1970-01-01 UTC."""
    day: NDArray[np.int32]
    """Day of the start in the site's zone, in days since 1970-01-01."""
    seconds: NDArray[np.int32]
    page_views: NDArray[np.int16]
    intent: NDArray[np.int16]
    """Page views that fit an intent pattern."""
    country: NDArray[np.int16]
    """`country_number` of an ISO 3166-1 alpha-2 code, 0 if unknown."""


class SiteOwner(NamedTuple):
    """Owner of sessions as one site found it."""

    site_id: int
    """A customer's id is one of the source of this site (`Site.customers`)."""
    owner: Owner


def country_number(code: str | None) -> int:
    """Return the number of an alpha-2 code in the columns."""
    return 0 if code is None else ord(code[0]) << 8 | ord(code[1])


def country_code(number: int) -> str | None:
    """Return the alpha-2 code of a number in the columns."""
    return chr(number >> 8) + chr(number & 0xFF) if number else None


def read_columns(session: AccountSession, site_ids: Sequence[int], first_day: int, last_day: int) -> Columns:
    """Return the sessions of the account's sites that started on these days, both inclusive, in each site's zone.

    Days are days since 1970-01-01. Sessions below `visit_confidence` are among them, with their owner.
    """
    raise NotImplementedError


def read_owners(session: AccountSession, numbers: Sequence[int]) -> dict[int, SiteOwner]:
    """Return owners by number; a number never changes its meaning."""
    raise NotImplementedError


def read_revisions(session: AccountSession) -> dict[int, int]:
    """Return a number of each of the account's sites, by its id, that rises whenever its sessions change."""
    raise NotImplementedError


