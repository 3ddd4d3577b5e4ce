"""Kinds of identifiers, and lists of them; malformed values are refused.

See docs/reference/lookups.md#identifiers.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, NoReturn

from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import RECORD_ID

ValuePath = tuple[str | int, ...]
"""Location of a value in a request: `("contacts", 0, "email")`."""

Refuse = Callable[[str], object]
"""Takes a problem with its path, and raises it or collects it."""

_record_id = re.compile(RECORD_ID).fullmatch


def raise_problem(problem: str) -> NoReturn:
    raise BadRequest(problem, [problem])


def describe_problem(expected: str, path: ValuePath) -> str:
    """Return what a refusal says of a value: `contacts.0.email must be an email`."""
    return f"{'.'.join(map(str, path))} {expected}"


class IdentifierKind(NamedTuple):
    """Normal form of an identifier, and the format that a refusal asks for."""

    normalise: Callable[[str], str | None]
    """Returns the normal form, None for a malformed value."""
    expected: str

    def parse(self, text: str, path: ValuePath) -> str:
        """Return the normal form. Raises BadRequest with the path for a malformed value."""
        form = self.normalise(text)
        return self.refuse(path) if form is None else form

    def parse_each(self, values: Sequence[str], path: ValuePath, refuse: Refuse = raise_problem) -> list[str]:
        """Return the different normal forms of a list; malformed values go to `refuse`, each with its path."""
        found: dict[str, None] = {}
        for index, value in enumerate(values):
            if (form := self.normalise(value)) is None:
                refuse(describe_problem(self.expected, (*path, index)))
            else:
                found[form] = None
        return list(found)

    def refuse(self, path: ValuePath) -> NoReturn:
        raise_problem(describe_problem(self.expected, path))


ID: Final = IdentifierKind(
    lambda text: text if _record_id(text) else None,
    "must be a record id: `v` and a version, a point and opaque text, or digits",
)
EMAIL: Final = IdentifierKind(normalise_email, "must be an email")
DOMAIN: Final = IdentifierKind(host_of, "must be a domain such as example.com")
PROFILE: Final = IdentifierKind(
    partial(linkedin_slug, kind="in", bare=False),
    "must be the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe",
)
COMPANY_PAGE: Final = IdentifierKind(
    partial(linkedin_slug, kind="company", bare=False),
    "must be the LinkedIn URL of a company, such as linkedin.com/company/acme",
)


class ContactIdentifiers(NamedTuple):
    """Lists of identifiers of contacts, in their normal forms."""

    ids: Sequence[str] = ()
    emails: Sequence[str] = ()
    linkedin_urls: Sequence[str] = ()
    """Canonical slugs, `in/jane-doe`."""


class CompanyIdentifiers(NamedTuple):
    """Lists of identifiers of companies, in their normal forms."""

    ids: Sequence[str] = ()
    domains: Sequence[str] = ()
    """Hosts."""
    linkedin_urls: Sequence[str] = ()
    """Canonical slugs, `company/acme`."""
