"""SQL of sites, page views, sessions and owners. Functions run inside the caller's transaction."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Row, Session
from firmograph.database.upsert import insert, replacing
from firmograph.visits.tables import visit_owners, visit_page_views, visit_sessions, visit_sites
from firmograph.visits.types import Exclusions, OwnerKind, Site, VisitOwner

_s, _v, _d, _o = visit_sites.c, visit_page_views.c, visit_sessions.c, visit_owners.c
_account = bindparam("account", type_=sa.BigInteger)
_site = bindparam("site", type_=sa.BigInteger)

_SITE = (_s.account_id, _s.id, _s.domain, _s.intent, _s.customers, _s.zone, _s.excluded, _s.tracked_at)
_SITES = sa.select(*_SITE).where(_s.account_id == _account).order_by(_s.domain)
_EVERY_SITE = sa.select(*_SITE).order_by(_s.id)
_OF_DOMAINS = sa.select(*_SITE).where(_s.account_id == _account, column_in(_s.domain, "domains"))
_OF_DOMAINS_OF_ALL = sa.select(*_SITE).where(column_in(_s.domain, "domains"))
_REVISIONS = sa.select(_s.id, _s.revision).where(_s.account_id == _account)
_given = {name: bindparam(name, type_=_s[name].type) for name in ("intent", "customers", "zone", "excluded")}
_INSERT_SITE = sa.insert(visit_sites).values(
    account_id=_account, domain=bindparam("domain"), tracked_at=bindparam("at"), revision=0, **_given
)
_own_site = (_s.account_id == _account, _s.id == _site)
_UPDATE_SITE = sa.update(visit_sites).where(*_own_site).values(revision=_s.revision + 1, **_given)
_DELETE_SITE = sa.delete(visit_sites).where(*_own_site)
_LOCK_SITE = sa.select(_s.id).where(*_own_site).with_for_update()
_RAISE_REVISION = sa.update(visit_sites).where(*_own_site).values(revision=_s.revision + 1)

_PAGE_VIEWS = sa.select(_v.visitor, _v.day, _v.page_views).where(
    _v.account_id == _account,
    _v.site_id == _site,
    column_in(_v.visitor, "visitors"),
    _v.day.between(bindparam("first", type_=sa.Integer), bindparam("last", type_=sa.Integer)),
)
_PAGE_VIEWS_OF_VISITORS = sa.select(_v.visitor, _v.day, _v.page_views).where(
    _v.account_id == _account, _v.site_id == _site, column_in(_v.visitor, "visitors")
)
_on_days = (
    _v.account_id == _account,
    _v.site_id == _site,
    _v.day.between(bindparam("first", type_=sa.Integer), bindparam("last", type_=sa.Integer)),
)
_PAGE_VIEWS_BETWEEN = sa.select(_v.page_views).where(*_on_days)
_DAYS_BETWEEN = sa.select(sa.func.min(_v.day), sa.func.max(_v.day)).where(*_on_days)
_PUT_PAGE_VIEWS = replacing(visit_page_views, account_id=_account, site_id=_site)
_DELETE_VISITORS = sa.delete(visit_page_views).where(
    _v.account_id == _account, _v.site_id == _site, column_in(_v.visitor, "visitors")
)
_OLD_PAGE_VIEWS = (
    sa.select(_v.visitor, _v.day)
    .where(
        _v.account_id == _account,
        _v.site_id == _site,
        _v.day < bindparam("before", type_=sa.Integer),
    )
    .limit(bindparam("most", type_=sa.Integer))
)
_DELETE_PAGE_VIEWS = sa.delete(visit_page_views).where(
    _v.account_id == _account,
    _v.site_id == _site,
    _v.visitor == bindparam("visitor"),
    _v.day == bindparam("day"),
)
_of_site = (_d.account_id == _account, _d.site_id == _site)
_SESSIONS = sa.select(_d.day, _d.sessions).where(*_of_site, column_in(_d.day, "days"))
_SESSIONS_BETWEEN = (
    sa.select(_d.sessions)
    .where(
        *_of_site,
        _d.day.between(bindparam("first", type_=sa.Integer), bindparam("last", type_=sa.Integer)),
    )
    .order_by(_d.day)
)
_PUT_SESSIONS = replacing(visit_sessions, account_id=_account, site_id=_site)
_DELETE_SESSIONS = sa.delete(visit_sessions).where(*_of_site, column_in(_d.day, "days"))
_DELETE_OLD_SESSIONS = sa.delete(visit_sessions).where(
    *_of_site, _d.day < bindparam("before", type_=sa.Integer)
)
_OWNER = (_o.id, _o.site_id, _o.kind, _o.key, _o.confidence)
_OWNERS = sa.select(*_OWNER).where(_o.account_id == _account, column_in(_o.id, "ids"))
_OWNERS_OF_KEYS = sa.select(*_OWNER).where(
    _o.account_id == _account, _o.site_id == _site, column_in(_o.key, "keys")
)
_INSERT_OWNER = (
    insert(visit_owners)
    .values(
        account_id=_account,
        site_id=_site,
        kind=bindparam("kind"),
        key=bindparam("key"),
        confidence=bindparam("confidence"),
    )
    .on_conflict_do_nothing()
)
_DELETE_OWNERS = sa.delete(visit_owners).where(_o.account_id == _account, _o.site_id == _site)

_MONTH = 31
"""Days whose page views are read at once."""
EVERY_DAY = 1 << 30
"""Later than any day."""


class StoredDay(NamedTuple):
    """Page views of a visitor on a UTC day."""

    visitor: bytes
    day: int
    page_views: bytes
    """Packed."""


class StoredOwner(NamedTuple):
    """Owner of sessions of a site."""

    number: int
    site_id: int
    owner: VisitOwner


# --- sites ---


def select_sites(session: AccountSession) -> list[Site]:
    """Return the account's sites by domain."""
    return [_site_of(row) for row in session.all(_SITES)]


def select_every_site(session: Session) -> list[Site]:
    """Return the sites of all accounts, in the order in which they are locked."""
    return [_site_of(row) for row in session.all(_EVERY_SITE)]


def select_sites_of_domains(session: AccountSession, domains: Collection[str]) -> list[Site]:
    return [_site_of(row) for row in session.all_in(_OF_DOMAINS, "domains", sorted(domains))]


def select_sites_of_every_account(session: Session, domains: Collection[str]) -> list[Site]:
    return [_site_of(row) for row in session.all_in(_OF_DOMAINS_OF_ALL, "domains", sorted(domains))]


def insert_site(session: AccountSession, site: Site) -> None:
    given = {"domain": site.domain, "at": site.tracked_at, **_stored(site)}
    session.execute(_INSERT_SITE, given)


def update_site(session: AccountSession, site: Site) -> None:
    session.execute(_UPDATE_SITE, {"site": site.id, **_stored(site)})


def delete_site(session: AccountSession, site_id: int) -> None:
    session.execute(_DELETE_OWNERS, {"site": site_id})
    session.execute(_DELETE_SITE, {"site": site_id})


def lock_site(session: AccountSession, site_id: int) -> bool:
    """Lock a site until the end of the transaction; return whether the account has it."""
    return session.one(_LOCK_SITE, {"site": site_id}) is not None


def raise_revision(session: AccountSession, site_id: int) -> None:
    """Note that the sessions of a site have changed."""
    session.execute(_RAISE_REVISION, {"site": site_id})


def select_revisions(session: AccountSession) -> dict[int, int]:
    """Return the revision of each of the account's sites."""
    return dict(session.all(_REVISIONS))


def _stored(site: Site) -> dict[str, Any]:
    encode = msgspec.json.encode
    return {
        "intent": encode(site.intent).decode(),
        "customers": site.customers,
        "zone": site.zone,
        "excluded": encode(site.excluded).decode(),
    }


def _site_of(row: Row) -> Site:
    account_id, number, domain, intent, customers, zone, excluded, at = row
    patterns = msgspec.json.decode(intent, type=tuple[str, ...])
    left_out = msgspec.json.decode(excluded, type=Exclusions)
    return Site(account_id, number, domain, patterns, customers, zone, left_out, at)


# --- page views ---


def select_page_views(
    session: AccountSession, site_id: int, visitors: Collection[bytes], first: int, last: int
) -> list[StoredDay]:
    """Return page views of visitors on days, both inclusive."""
    given = {"site": site_id, "first": first, "last": last}
    rows = session.all_in(_PAGE_VIEWS, "visitors", sorted(visitors), **given)
    return [StoredDay(bytes(visitor), day, bytes(views)) for visitor, day, views in rows]


def select_page_views_between(
    session: AccountSession, site_id: int, first: int, last: int
) -> Iterator[bytes]:
    """Yield the packed page views of visitors on UTC days, both inclusive, of a month at once."""
    begin, end = session.one(_DAYS_BETWEEN, {"site": site_id, "first": first, "last": last}) or (None, None)
    if begin is None or end is None:
        return
    for day in range(begin, end + 1, _MONTH):
        given = {"site": site_id, "first": day, "last": min(day + _MONTH - 1, end)}
        yield b"".join([row[0] for row in session.all(_PAGE_VIEWS_BETWEEN, given)])


def select_visitors(session: AccountSession, site_id: int, visitors: Collection[bytes]) -> list[StoredDay]:
    """Return all page views of visitors."""
    rows = session.all_in(_PAGE_VIEWS_OF_VISITORS, "visitors", sorted(visitors), site=site_id)
    return [StoredDay(bytes(visitor), day, bytes(views)) for visitor, day, views in rows]


def put_page_views(session: AccountSession, site_id: int, days: Iterable[StoredDay]) -> None:
    """Write page views of visitors' days, in place of those before."""
    session.each(_PUT_PAGE_VIEWS, [{"site": site_id, **day._asdict()} for day in days])


def delete_visitors(session: AccountSession, site_id: int, visitors: Collection[bytes]) -> None:
    session.run_in(_DELETE_VISITORS, "visitors", sorted(visitors), site=site_id)


def delete_page_views_before(session: AccountSession, site_id: int, day: int, most: int) -> int:
    """Delete page views before a UTC day, of at most so many visitors' days; return their number."""
    found = session.all(_OLD_PAGE_VIEWS, {"site": site_id, "before": day, "most": most})
    session.each(
        _DELETE_PAGE_VIEWS, [{"site": site_id, "visitor": visitor, "day": one} for visitor, one in found]
    )
    return len(found)


# --- sessions ---


def select_sessions(session: AccountSession, site_id: int, days: Collection[int]) -> dict[int, bytes]:
    """Return the packed sessions of some UTC days."""
    rows = session.all_in(_SESSIONS, "days", sorted(days), site=site_id)
    return {day: bytes(packed) for day, packed in rows}


def select_sessions_between(session: AccountSession, site_id: int, first: int, last: int) -> list[bytes]:
    """Return the packed sessions of each UTC day that has some, both days inclusive."""
    rows = session.all(_SESSIONS_BETWEEN, {"site": site_id, "first": first, "last": last})
    return [row[0] for row in rows]


def put_sessions(session: AccountSession, site_id: int, packed: Mapping[int, bytes]) -> None:
    """Write the sessions of days, in place of those before; a day without any is deleted."""
    filled = [{"site": site_id, "day": day, "sessions": each} for day, each in packed.items() if each]
    session.each(_PUT_SESSIONS, filled)
    session.run_in(_DELETE_SESSIONS, "days", [day for day, each in packed.items() if not each], site=site_id)


def delete_sessions_before(session: AccountSession, site_id: int, day: int) -> int:
    """Delete the sessions before a UTC day; return the number of days that had some."""
    deleted: int = session.execute(_DELETE_OLD_SESSIONS, {"site": site_id, "before": day}).rowcount
    return deleted


# --- owners ---


def select_owners(session: AccountSession, numbers: Collection[int]) -> list[StoredOwner]:
    return [_owner_of(row) for row in session.all_in(_OWNERS, "ids", sorted(numbers))]


def number_owners(
    session: AccountSession, site_id: int, owners: Collection[VisitOwner]
) -> dict[VisitOwner, int]:
    """Return the numbers of owners of a site; new ones are added."""
    known = _known_owners(session, site_id, owners)
    missing = [owner for owner in owners if owner not in known]
    if not missing:
        return known
    session.each(_INSERT_OWNER, [{"site": site_id, **owner._asdict()} for owner in missing])
    return known | _known_owners(session, site_id, missing)


def _known_owners(
    session: AccountSession, site_id: int, owners: Collection[VisitOwner]
) -> dict[VisitOwner, int]:
    wanted = frozenset(owners)
    keys = sorted({owner.key for owner in wanted})
    found = map(_owner_of, session.all_in(_OWNERS_OF_KEYS, "keys", keys, site=site_id))
    return {each.owner: each.number for each in found if each.owner in wanted}


def _owner_of(row: Row) -> StoredOwner:
    number, site_id, kind, key, confidence = row
    return StoredOwner(number, site_id, VisitOwner(OwnerKind(kind), key, confidence))
