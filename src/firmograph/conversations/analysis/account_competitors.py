"""Competitors of an account: those the operator gave, and those held of its own company (ruling J 8)."""

from collections.abc import Collection

from firmograph.conversations import store
from firmograph.conversations.types import CompetitorName
from firmograph.database.connection import AccountSession
from firmograph.directory import store as directory
from firmograph.directory.identity import Digests
from firmograph.directory.stored_views import competitor_numbers, other_names, view_company


def find_account_competitors(
    session: AccountSession, digests: Digests, own_hosts: Collection[str]
) -> tuple[CompetitorName, ...]:
    """Return the competitors of an account, whose own companies are those of its users' hosts."""
    given = store.select_settings(session).competitors
    found = {name.casefold(): CompetitorName(name, tuple(aliases)) for name, aliases in given.items()}
    keys = [digests.company_domain(host) for host in sorted(own_hosts)]
    numbers = directory.company_numbers(session.session, keys)
    own = sorted({number for some in numbers.values() for number in some})
    profiles = directory.company_profiles(session.session, own)
    held = sorted({one for each in profiles.values() for one in competitor_numbers(each.premium)})
    extras = directory.company_extras(session.session, held)
    for number, company in directory.companies_by_number(session.session, held).items():
        if name := view_company(company.preview).name:
            found.setdefault(name.casefold(), CompetitorName(name, tuple(other_names(extras.get(number)))))
    return tuple(found.values())
