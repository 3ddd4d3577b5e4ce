"""SQL of the blocks of words. Every function runs in the caller's transaction, of the account's scope."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

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


class _Edits(NamedTuple):
    """Changes of one word in a block, in the form of `words.edit_counts`."""

    places: bytearray
    counts: bytearray


def change_words(session: AccountSession, changes: Iterable[IndexChange]) -> None:
    """Change the words of conversations; statements by field and block, not by conversation."""
    edits: dict[tuple[int, int], dict[str, _Edits]] = defaultdict(
        lambda: defaultdict(lambda: _Edits(bytearray(), bytearray()))
    )
    documents: dict[int, tuple[list[Document], list[int]]] = defaultdict(lambda: ([], []))
    for document, before, after in sorted(changes, key=lambda one: one.document.place):
        block, number = divmod(document.place, BLOCK)
        place = number.to_bytes(2, "little")
        for field in before.keys() | after.keys():
            old, new = before.get(field, {}), after.get(field, {})
            edited = edits[field, block]
            for word, count in new.items() - old.items() if old else new.items():
                places, counts = edited[word]
                places += place
                counts.append(count if count < MOST else MOST)
            for word in old.keys() - new.keys():
                places, counts = edited[word]
                places += place
                counts.append(0)
        if after:
            documents[block][0].append(document._replace(words=count_words(after)))
        else:
            documents[block][1].append(document.place)
    for (field, block), words in edits.items():
        _change_block(session, field, block, words)
    for block, (kept, removed) in documents.items():
        row = session.one(_BLOCK, {"block": block})
        held = edit_documents(row[0] if row else b"", kept, removed)
        if held:
            session.execute(_PUT_BLOCK, {"block": block, "documents": held})
        else:
            session.execute(_DELETE_BLOCK, {"block": block})


def _change_block(session: AccountSession, field: int, block: int, words: Mapping[str, _Edits]) -> None:
    rows = session.all_in(_COUNTS, "words", sorted(words), field=field, block=block)
    held = {word: bytes(counts) for word, counts in rows}
    put, emptied = [], []
    for word in sorted(words):
        counts = edit_counts(held.get(word, b""), *words[word])
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
