"""SQL of the blocks of words. Every function runs in the caller's transaction, of the account's scope."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.conversations.tables import conversation_blocks, conversation_words
from firmograph.conversations.words import (
    BLOCK,
    MOST,
    Document,
    Terms,
    count_words,
    edit_counts,
    edit_documents,
)
from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession
from firmograph.database.upsert import replacing

_w, _b = conversation_words.c, conversation_blocks.c
_account = bindparam("account", type_=sa.BigInteger)
_COUNTS = sa.select(_w.word, _w.counts).where(
    _w.account_id == _account,
    _w.field == bindparam("field", type_=sa.SmallInteger),
    _w.block == bindparam("block", type_=sa.Integer),
    column_in(_w.word, "words"),
)
_BLOCKS_OF_WORDS = sa.select(_w.word, _w.block, _w.counts).where(
    _w.account_id == _account,
    _w.field == bindparam("field", type_=sa.SmallInteger),
    column_in(_w.word, "words"),
)
_PUT_COUNTS = replacing(conversation_words, account_id=_account)
_DELETE_WORD = sa.delete(conversation_words).where(
    _w.account_id == _account,
    _w.field == bindparam("field", type_=sa.SmallInteger),
    _w.word == bindparam("word", type_=sa.Text),
    _w.block == bindparam("block", type_=sa.Integer),
)
_BLOCK = sa.select(_b.documents).where(
    _b.account_id == _account, _b.block == bindparam("block", type_=sa.Integer)
)
_ALL_BLOCKS = sa.select(_b.block, _b.documents).where(_b.account_id == _account).order_by(_b.block)
_PUT_BLOCK = replacing(conversation_blocks, account_id=_account)
_DELETE_BLOCK = sa.delete(conversation_blocks).where(
    _b.account_id == _account, _b.block == bindparam("block", type_=sa.Integer)
)


class IndexChange(NamedTuple):
    """Change of the words of one conversation."""

    document: Document
    before: Terms
    """Empty for a new one."""
    after: Terms
    """Empty for one that goes."""


class _BlockEdits:
    """Changes of the words of a field in a block; an array for each part, as a batch has a hundred thousand."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        """Words in the order in which they were met."""
        self._words: list[int] = []
        self._places: list[int] = []
        self._counts = bytearray()

    def add(self, place: int, counts: Mapping[str, int]) -> None:
        """Add the words of a place, with their counts there. Places come in ascending order."""
        numbers = self._numbers
        self._words.extend([numbers[word] for word in counts])
        self._places.extend([place] * len(counts))
        try:
            self._counts += bytes(counts.values())
        except ValueError:
            self._counts += bytes([min(one, MOST) for one in counts.values()])

    def by_word(self) -> dict[str, tuple[bytes, bytes]]:
        """Return places and counts of each word, in the form of `words.edit_counts`."""
        words = np.array(self._words, np.int64)
        order = words.argsort(kind="stable")
        places = np.array(self._places, "<u2")[order].tobytes()
        counts = np.frombuffer(self._counts, np.uint8)[order].tobytes()
        edits, begin = {}, 0
        for word, end in zip(self._numbers, np.bincount(words).cumsum().tolist(), strict=True):
            edits[word] = places[2 * begin : 2 * end], counts[begin:end]
            begin = end
        return edits


def change_words(session: AccountSession, changes: Iterable[IndexChange]) -> None:
    """Change the words of conversations; statements by field and block, not by conversation."""
    edits: dict[tuple[int, int], _BlockEdits] = defaultdict(_BlockEdits)
    documents: dict[int, tuple[list[Document], list[int]]] = defaultdict(lambda: ([], []))
    for document, before, after in sorted(changes, key=lambda one: one.document.place):
        block, place = divmod(document.place, BLOCK)
        for field in before.keys() | after.keys():
            old, new = before.get(field, {}), after.get(field, {})
            if old:
                new = {**dict.fromkeys(old.keys() - new.keys(), 0), **dict(new.items() - old.items())}
            edits[field, block].add(place, new)
        if after:
            documents[block][0].append(document._replace(words=count_words(after)))
        else:
            documents[block][1].append(document.place)
    for (field, block), edited in edits.items():
        _change_block(session, field, block, edited.by_word())
    for block, (kept, removed) in documents.items():
        row = session.one(_BLOCK, {"block": block})
        held = edit_documents(row[0] if row else b"", kept, removed)
        if held:
            session.execute(_PUT_BLOCK, {"block": block, "documents": held})
        else:
            session.execute(_DELETE_BLOCK, {"block": block})


def _change_block(
    session: AccountSession, field: int, block: int, edits: Mapping[str, tuple[bytes, bytes]]
) -> None:
    words = sorted(edits)
    rows = session.all_in(_COUNTS, "words", words, field=field, block=block)
    held = {word: bytes(counts) for word, counts in rows}
    put, emptied = [], []
    for word in words:
        counts = edit_counts(held.get(word, b""), *edits[word])
        if counts:
            put.append((field, word, block, counts))
        elif word in held:
            emptied.append((field, word, block))
    session.many(_PUT_COUNTS, put)
    session.many(_DELETE_WORD, emptied)


def read_documents(session: AccountSession) -> list[tuple[int, bytes]]:
    """Return the blocks of an account's conversations, by number."""
    return [(block, bytes(documents)) for block, documents in session.all(_ALL_BLOCKS)]


def read_words(
    session: AccountSession, field: int, words: Collection[str]
) -> dict[str, Sequence[tuple[int, bytes]]]:
    """Return the counts of words by block, for each word that any conversation has."""
    found: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
    for word, block, counts in session.all_in(_BLOCKS_OF_WORDS, "words", sorted(words), field=field):
        found[word].append((block, bytes(counts)))
    return dict(found)
