"""Deletion of visits in parts: of untracked sites, of closed accounts, and of days past the retention."""

from typing import NamedTuple

from firmograph.database.connection import AccountSession, Session
from firmograph.kit.clock import day_number
from firmograph.visits import store


class DeletedPart(NamedTuple):
    """Part of a site that was deleted."""

    rows: int
    """Visitors' days."""
    is_last: bool
    """Whether the site is gone."""


def delete_site_part(session: AccountSession, site_id: int, most: int) -> DeletedPart:
    """Delete page views of a site, and the site itself once they are few enough for one part."""
    store.lock_site(session, site_id)
    rows = store.delete_page_views_before(session, site_id, store.EVERY_DAY, most)
    if rows == most:
        return DeletedPart(rows, False)
    store.delete_sessions_before(session, site_id, store.EVERY_DAY)
    store.delete_site(session, site_id)
    return DeletedPart(rows, True)


def delete_part_of_account(session: AccountSession, most: int) -> int:
    """Delete a part of the account's sites; return its amount, 0 if it has none."""
    for site in store.select_sites(session):
        return delete_site_part(session, site.id, most).rows or 1
    return 0


def delete_old_visits(session: Session, now: float, days: int, most: int) -> int:
    """Delete page views and sessions of all sites from before the last `days` UTC days; return the amount."""
    before = day_number(now) - days
    deleted = 0
    for site in store.select_every_site(session):
        own = AccountSession(session, site.account_id)
        if deleted >= most:
            break
        if not store.lock_site(own, site.id):
            continue
        sessions = store.delete_sessions_before(own, site.id, before)
        if sessions:
            store.raise_revision(own, site.id)
        deleted += sessions + store.delete_page_views_before(own, site.id, before, most)
    return deleted
