"""Words by which conversations are found, with their counts in blocks of places (ruling J 5).

An account's conversations have places 0, 1, 2, ...; a block holds 1,024 of them. For each word of a field a block has
the places with the word and how often it occurs there; a row a word and conversation would take four times the space.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.conversations.transcript import Transcript
from firmograph.directory.host_keys import GENERAL_LABELS
from firmograph.directory.normalise.domains import host_of, registrable_domain
from firmograph.directory.normalise.emails import email_domain
from firmograph.directory.shared_hosts import is_shared
from firmograph.prospecting.indexing.analysis import all_words, words

BLOCK: Final = 1_024
"""Places of a block."""
MOST: Final = 255
"""Highest count that is stored; BM25 hardly tells it from higher ones."""
LONGEST_WORD: Final = 100
"""Characters of a word that count; an index row of PostgreSQL is limited."""


class IndexedField:
    """Parts of a conversation that are searched by words; plain numbers, as thousands of keys hold them."""

    TEXT: Final = 1
    TITLE: Final = 2
    NAME: Final = 3
    """Words of the names of participants and speakers, and all pairs of words of one name."""
    HOST: Final = 4
    """Hosts of the company and of participants' addresses."""
    BELOW: Final = 5
    """Registrable domains of such hosts whose further labels are general, such as `corporate`."""


Terms = Mapping[int, Mapping[str, int]]
"""Counts of the words of one conversation, by field; a field without any is absent."""

DOCUMENT: Final = np.dtype([("place", "<u2"), ("words", "<u4"), ("started", "<f8"), ("id", ">u8")])
"""Conversation in a block: its place there, number of words, start, and the beginning of its public id."""


class Document(NamedTuple):
    """Conversation as the index knows it."""

    place: int
    words: int
    started_at: float
    uuid: bytes


_APOSTROPHES: Final = str.maketrans(dict.fromkeys("'’ʼ", " "))


def text_words(text: str) -> list[str]:
    """Return the words of a title or name, as they are stored."""
    return [word[:LONGEST_WORD] for word in words(text)]


def spoken_words(text: str) -> list[str]:
    """Return the words of a transcript, or of a query over transcripts, as they are stored.

    Speech is full of contractions and questions of small words: apostrophes separate words, and none is left out.
    Both find more of the meetings' own questions (`evaluation/conversations`).
    """
    found = all_words(text.translate(_APOSTROPHES))
    if max(map(len, found), default=0) <= LONGEST_WORD:
        return found
    return [word[:LONGEST_WORD] for word in found]


def name_terms(name: str) -> set[str]:
    """Return the terms of a name: its words, and the pairs of them, which two names together do not have."""
    each = sorted(set(text_words(name)))
    return {*each, *(f"{one} {other}" for one, other in combinations(each, 2))}


def count_terms(transcript: Transcript) -> dict[int, dict[str, int]]:
    """Return the terms of a conversation with their counts."""
    # one text for all segments: words never span two
    spoken = Counter(spoken_words("\n".join([segment.text for segment in transcript.segments])))
    terms: dict[int, dict[str, int]] = {IndexedField.TEXT: spoken} if spoken else {}
    names = {one.name for one in transcript.participants} | {one.speaker for one in transcript.segments}
    for field, found in (
        (IndexedField.TITLE, set(text_words(transcript.title))),
        (IndexedField.NAME, {term for name in names for term in name_terms(name)}),
        (IndexedField.HOST, hosts := hosts_of(transcript)),
        (IndexedField.BELOW, {above for host in hosts if (above := _general_host_above(host))}),
    ):
        if found:
            terms[field] = dict.fromkeys((term[: 2 * LONGEST_WORD + 1] for term in found), 1)
    return terms


def hosts_of(transcript: Transcript) -> set[str]:
    """Return the hosts of a conversation's companies: its own and those of participants' addresses."""
    given = [transcript.company_domain, *(one.company_domain for one in transcript.participants)]
    given += [email_domain(one.email) for one in transcript.participants if one.email]
    return {host for each in given if each and (host := host_of(each))}


def _general_host_above(host: str) -> str | None:
    above = registrable_domain(host)
    if above == host or is_shared(host) or is_shared(above):
        return None
    return above if GENERAL_LABELS.issuperset(host.removesuffix(f".{above}").split(".")) else None


def count_words(terms: Terms) -> int:
    """Return the number of words of a transcript."""
    return sum(terms.get(IndexedField.TEXT, {}).values())


# --- stored blocks ---


def edit_counts(stored: bytes, places: bytes, counts: bytes) -> bytes:
    """Return the counts of a word in a block after changes of some places; a count of 0 removes a place.

    The form is all places, two bytes each and ascending, then the counts, a byte each; so are the changes.
    """
    size = 2 * (len(stored) // 3)
    if not size or _place_at(places, 0) > _place_at(stored, size - 2):
        changed = stored[:size] + places + stored[size:] + counts
    else:
        held = {stored[at : at + 2]: stored[size + at // 2] for at in range(0, size, 2)}
        held |= {places[2 * at : 2 * at + 2]: count for at, count in enumerate(counts)}
        ordered = sorted(held, key=lambda place: _place_at(place, 0))
        changed = b"".join(ordered) + bytes([held[place] for place in ordered])
    return _without_zeros(changed) if 0 in counts else changed


def _place_at(places: bytes, at: int) -> int:
    return places[at] | places[at + 1] << 8


def _without_zeros(stored: bytes) -> bytes:
    places, counts = read_counts(stored)
    return places[counts > 0].tobytes() + counts[counts > 0].tobytes()


def read_counts(stored: bytes) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    """Return the places of a word in a block, and its counts there."""
    size = len(stored) // 3
    return np.frombuffer(stored, "<u2", size), np.frombuffer(stored, np.uint8, size, offset=2 * size)


def edit_documents(stored: bytes, documents: Iterable[Document], removed: Iterable[int] = ()) -> bytes:
    """Return the conversations of a block after changes."""
    held = {int(one["place"]): one.tobytes() for one in np.frombuffer(stored, DOCUMENT)}
    for place in removed:
        held.pop(place % BLOCK, None)
    for one in documents:
        key = int.from_bytes(one.uuid[:8], "big")
        row = (one.place % BLOCK, one.words, one.started_at, key)
        held[one.place % BLOCK] = np.array([row], DOCUMENT).tobytes()
    return b"".join(held[place] for place in sorted(held))
