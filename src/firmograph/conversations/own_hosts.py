"""Hosts of an account's users, which tell its own people from others (ruling J 3)."""

from collections.abc import Collection, Iterable

from firmograph.accounts.users import list_users
from firmograph.conversations.transcript import Participant
from firmograph.database.connection import AccountSession
from firmograph.directory.normalise.emails import email_domain, is_free_mail


def read_own_hosts(session: AccountSession) -> frozenset[str]:
    """Return the hosts of the users' addresses, without those of free mail. One statement."""
    hosts = {email_domain(user.email.lower()) for user in list_users(session)}
    return frozenset(host for host in hosts if not is_free_mail(host))


def is_internal(one: Participant, own_hosts: Collection[str]) -> bool | None:
    """Return whether a participant is one of the account's people; None without an address."""
    return email_domain(one.email) in own_hosts if one.email else None


def internal_names(participants: Iterable[Participant], own_hosts: Collection[str]) -> frozenset[str]:
    """Return the names of the participants who are the account's people."""
    return frozenset(one.name for one in participants if is_internal(one, own_hosts))
