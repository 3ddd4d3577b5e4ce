"""Normalisation and classification of e-mail addresses."""

import re
from functools import cache, lru_cache
from importlib.resources import files
from types import ModuleType

from firmograph.directory.normalise.domains import registrable_domain, share_registrable

_MAX_ADDRESS = 254
_MAX_COMMON = 64
_COMMON = re.compile(
    r"[a-z0-9_+-]++(?:\.[a-z0-9_+-]++)*+@(?:[a-z0-9]++(?:-[a-z0-9]++)*+\.)+[a-z]{2,}", re.ASCII
)
"""Addresses of this form with at most 64 characters are valid: no part is too long, and no label is encoded."""

_GMAIL = ("@gmail.com", "@googlemail.com")


def normalise_email(text: str) -> str | None:
    """Return the address in lower case with its domain in ASCII (IDNA); None if it is no address.

    Surrounding blanks and `mailto:` (with its query) are dropped. The domain must have a dot. Reserved domains are
    accepted like any other (docs/reference/records.md#e-mails). The network is never used.
    """
    text = text.strip().lower()
    if text.startswith("mailto:"):
        text = text[7:].partition("?")[0].strip()
    if len(text) <= _MAX_COMMON and _COMMON.fullmatch(text):
        return text
    return _uncommon(text) if len(text) <= _MAX_ADDRESS else None


@lru_cache(maxsize=16_384)
def _uncommon(text: str) -> str | None:
    library = _library()
    try:
        parts = library.validate_email(text, check_deliverability=False)
    except (library.EmailNotValidError, UnicodeError):
        return None
    return f"{parts.local_part.lower()}@{parts.ascii_domain.lower()}"


@cache
def _library() -> ModuleType:
    import email_validator

    # the documented way to accept reserved domains
    email_validator.SPECIAL_USE_DOMAIN_NAMES.clear()
    return email_validator


def email_domain(email: str) -> str:
    """Return the part after the `@` of a normalised address."""
    return email.rpartition("@")[2]


def is_role_mailbox(email: str) -> bool:
    """Return whether a normalised address is that of a function, team or machine (`data/role_mailboxes.txt`)."""
    local = email.partition("@")[0]
    return (local.rstrip("0123456789") if local[-1:].isdigit() else local) in _role_mailboxes()


def without_subaddress(email: str) -> str:
    """Return a normalised address without what follows `+`, unless nothing would be left."""
    local, plus, _ = email.partition("+")
    return f"{local}@{email_domain(email)}" if plus and local and "@" not in local else email


def bare_address(email: str) -> str | None:
    """Return the address of a normalised address's mailbox: without subaddress, and at Gmail without dots.

    None for a role mailbox, which belongs to nobody.
    """
    bare = without_subaddress(email) if "+" in email else email
    if bare.endswith(_GMAIL):
        bare = f"{bare.partition('@')[0].replace('.', '')}@gmail.com"
    return None if is_role_mailbox(bare) else bare


def is_free_mail_host(host: str) -> bool:
    """Return whether anybody can have an address at exactly this host."""
    return host in _free_mail()


def is_free_mail(domain: str) -> bool:
    """Return whether anybody can have an address at this domain, or below it."""
    hosts = _free_mail()
    return domain in hosts or (_ends_like_free_mail(domain) and registrable_domain(domain) in hosts)


def _ends_like_free_mail(domain: str) -> bool:
    """Return whether a possible registrable domain of the domain is a host of free mail."""
    hosts, above = _free_mail(), domain.partition(".")[2]
    while "." in above:
        if above in hosts:
            return True
        above = above.partition(".")[2]
    return False


def email_type(email: str, company_host: str | None) -> str:
    """Return `private` for a free mail domain, `work` under the employer's registrable domain, else `unknown`.

    For rows without a type of their own.
    """
    return _domain_type(email_domain(email), company_host)


@lru_cache(maxsize=65_536)
def _domain_type(domain: str, company_host: str | None) -> str:
    if is_free_mail(domain):
        return "private"
    if company_host and share_registrable(domain, company_host):
        return "work"
    return "unknown"


@cache
def _free_mail() -> frozenset[str]:
    return _load_list("free_mail.txt")


@cache
def _role_mailboxes() -> frozenset[str]:
    return _load_list("role_mailboxes.txt")


def _load_list(name: str) -> frozenset[str]:
    text = (files(__package__) / "data" / name).read_text("utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))
