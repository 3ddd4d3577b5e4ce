"""Search of an account's conversations: BM25 of a query over transcripts, or filters (rulings J 4, J 5)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date, timedelta
from functools import reduce
from math import log
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.conversations import store, word_store
from firmograph.conversations.words import (
    BLOCK,
    DOCUMENT,
    IndexedField,
    name_terms,
    read_counts,
    spoken_words,
    text_words,
)
from firmograph.database.connection import AccountSession
from firmograph.directory.normalise.domains import host_of, registrable_domain
from firmograph.directory.shared_hosts import answering_hosts, is_shared
from firmograph.kit.clock import midnight

_K1: Final = 1.2
_B: Final = 0.75

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class ConversationFilters(NamedTuple):
    """Filters of a search; any value of one, and all filters."""

    date_from: date | None = None
    date_to: date | None = None
    contact_names: Sequence[str] = ()
    company_domains: Sequence[str] = ()
    meeting_titles: Sequence[str] = ()
    conversation_ids: Sequence[bytes] | None = None
    """Public ids; an empty list matches nothing."""


class FoundPlaces(NamedTuple):
    """Conversations of one page, in their order."""

    places: list[int]
    total: int


def search_text(session: AccountSession, query: str, page: int, size: int) -> FoundPlaces:
    """Return the conversations with any word of a query, the best first, and the newest first among equals."""
    documents = _Documents(session)
    scores = documents.zeros()
    is_found = documents.none()
    words = sorted(set(spoken_words(query)))
    for blocks in word_store.read_words(session, IndexedField.TEXT, words).values():
        places, counts = documents.expand(blocks)
        rarity = log(1 + (documents.number - len(places) + 0.5) / (len(places) + 0.5))
        norm = _K1 * (1 - _B + _B * documents.words[places] / documents.mean_words)
        scores[places] += rarity * counts * (_K1 + 1) / (counts + norm)
        is_found[places] = True
    return documents.page(is_found, page, size, scores)


def search_filters(
    session: AccountSession, filters: ConversationFilters, own_hosts: Collection[str], page: int, size: int
) -> FoundPlaces:
    """Return the conversations that pass all filters, the newest first.

    The account's own hosts, those of its users' addresses, never match.
    """
    documents = _Documents(session)
    is_found = documents.exists.copy()
    if filters.date_from is not None:
        is_found &= documents.started >= midnight(filters.date_from.isoformat())
    if filters.date_to is not None:
        is_found &= documents.started < midnight((filters.date_to + timedelta(days=1)).isoformat())
    if filters.contact_names:
        is_found &= _with_all_terms(session, documents, IndexedField.NAME, filters.contact_names, name_terms)
    if filters.meeting_titles:
        is_found &= _with_all_terms(
            session, documents, IndexedField.TITLE, filters.meeting_titles, text_words
        )
    if filters.company_domains:
        is_found &= _with_hosts(session, documents, filters.company_domains, own_hosts)
    if filters.conversation_ids is not None:
        wanted = store.select_by_uuid(session, set(filters.conversation_ids)).values()
        is_asked = documents.none()
        is_asked[[one.place for one in wanted]] = True
        is_found &= is_asked
    return documents.page(is_found, page, size)


class _Documents:
    """All conversations of an account, by place."""

    def __init__(self, session: AccountSession) -> None:
        blocks = word_store.read_documents(session)
        size = (blocks[-1][0] + 1) * BLOCK if blocks else 0
        self.exists: Mask = np.zeros(size, np.bool_)
        self.words = self.zeros()
        self.started = self.zeros()
        self.ids = np.zeros(size, np.uint64)
        for block, stored in blocks:
            rows = np.frombuffer(stored, DOCUMENT)
            places = rows["place"].astype(np.int64) + block * BLOCK
            self.exists[places] = True
            self.words[places] = rows["words"]
            self.started[places] = rows["started"]
            self.ids[places] = rows["id"]
        self.number = int(self.exists.sum())
        self.mean_words = max(float(self.words.sum()) / max(self.number, 1), 1.0)

    def zeros(self) -> Numbers:
        return np.zeros(len(self.exists))

    def none(self) -> Mask:
        return np.zeros(len(self.exists), np.bool_)

    def expand(self, blocks: Iterable[tuple[int, bytes]]) -> tuple[npt.NDArray[np.int64], Numbers]:
        """Return the places of a word in all blocks, and its counts there."""
        places, counts = [], []
        for block, stored in blocks:
            within, times = read_counts(stored)
            places.append(within.astype(np.int64) + block * BLOCK)
            counts.append(times.astype(np.float64))
        return np.concatenate(places), np.concatenate(counts)

    def page(self, is_found: Mask, page: int, size: int, scores: Numbers | None = None) -> FoundPlaces:
        """Return a page of the found ones: by score, then the newest first, then by public id."""
        places = np.flatnonzero(is_found)
        keys = [self.ids[places], -self.started[places]]
        if scores is not None:
            keys.append(-scores[places])
        ordered = places[np.lexsort(keys)][page * size : (page + 1) * size]
        return FoundPlaces(ordered.tolist(), len(places))


def _with_all_terms(
    session: AccountSession,
    documents: _Documents,
    field: int,
    values: Sequence[str],
    terms_of: Callable[[str], Collection[str]],
) -> Mask:
    """Return the conversations that have all terms of any value."""
    terms = [set(terms_of(value)) for value in values]
    blocks = word_store.read_words(session, field, set().union(*terms))
    is_found = documents.none()
    for some in terms:
        if some and some <= blocks.keys():
            places = [documents.expand(blocks[term])[0] for term in some]
            is_found[reduce(np.intersect1d, places)] = True
    return is_found


def _with_hosts(
    session: AccountSession, documents: _Documents, values: Sequence[str], own_hosts: Collection[str]
) -> Mask:
    """Return the conversations with the host that answers for any of the given ones."""
    given = [host for value in values if (host := host_of(value)) and host not in own_hosts]
    answering = {host: answering_hosts(host) for host in given}
    held = word_store.read_words(
        session, IndexedField.HOST, {one for hosts in answering.values() for one in hosts}
    )
    roots = {host for host in given if registrable_domain(host) == host and not is_shared(host)}
    below = word_store.read_words(session, IndexedField.BELOW, roots)
    is_found = documents.none()
    for host, hosts in answering.items():
        nearest = next((one for one in hosts if one in held), None)
        if nearest is not None and nearest not in own_hosts:
            is_found[documents.expand(held[nearest])[0]] = True
        elif nearest is None and host in below:
            is_found[documents.expand(below[host])[0]] = True
    return is_found
