"""Parts of a server for company names: the index, by which its look-ups find names alike."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from firmograph.company_names.current_names import CurrentNames
from firmograph.company_names.factory import ServedNames
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.installation import Installation, RegisteredIndex, ServerWiring


def _indexes(installation: Installation) -> Sequence[RegisteredIndex]:
    if not installation.settings.company_likeness:
        return []
    names = installation.get(ServedNames)
    return [RegisteredIndex("company_names", names.active, [names.local])]


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    return [_used_by_lookups(installation)] if installation.settings.company_likeness else []


@asynccontextmanager
async def _used_by_lookups(installation: Installation) -> AsyncIterator[None]:
    """Let look-ups of a server ask the index; those of commands need none of what it loads."""
    lookup = installation.get(RecordLookup)
    lookup.like_companies.names = installation.get(CurrentNames)
    try:
        yield
    finally:
        lookup.like_companies.names = None


SERVER: Final = ServerWiring(lifespans=_lifespans, indexes=_indexes)
