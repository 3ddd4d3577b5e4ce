"""Companies named in texts, resolved to stored records: never created, never guessed.

See docs/reference/signals.md#posts.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from firmograph.directory.records import CompanyRef
from firmograph.ingest.feeds.feed import Commit
from firmograph.ingest.merging.company_linking import Finder
from firmograph.ingest.records.company_references import read_company_reference

_ADDRESS: Final = re.compile(r"[\w-]+(?:\.[\w-]+)+(?:/\S*)?")
_MOST = 20_000
"""Names per lookup, which bounds the parameters of its statement: 16 bytes for each key."""


def parse_mention(text: str) -> CompanyRef | None:
    """Return the company that a text names by name, web address or LinkedIn page.

    A text such as Amazon.com is both a name and an address, and is looked up by both.
    """
    given = text.strip()
    if "://" in given or given.startswith("www.") or ("/" in given and _ADDRESS.fullmatch(given)):
        return read_company_reference(given if "://" in given else "https://" + given)
    ref = read_company_reference(given)
    if ref is None or not _ADDRESS.fullmatch(given):
        return ref
    by_address = read_company_reference("https://" + given.lower())
    return CompanyRef(name=ref.name, domain=by_address.domain if by_address else None)


def resolve_mentions(
    commit: Commit,
    finder: Finder,
    named: Iterable[str],
    given: Mapping[str, CompanyRef] = MappingProxyType({}),
) -> dict[str, int]:
    """Return the record numbers of named companies by text, without texts of no or several companies.

    A name counts only if exactly one stored company has it, as its name or, where none has, as an alternative name.
    `given` are companies known by more than a text, under keys of the caller's.
    """
    refs = {text: ref for text in dict.fromkeys(named) if (ref := parse_mention(text)) is not None}
    refs.update(given)
    texts = list(refs)
    found: dict[str, int] = {}
    for start in range(0, len(texts), _MOST):
        part = texts[start : start + _MOST]
        numbers = commit.find_companies(finder, [refs[text] for text in part])
        found.update((text, number) for text, number in zip(part, numbers, strict=True) if number is not None)
    return found
