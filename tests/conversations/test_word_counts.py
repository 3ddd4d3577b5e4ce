"""Word counts in blocks: the same as a count from scratch after any changes, and the order of a plain BM25."""

from collections import defaultdict
from itertools import count
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversation_factory import SOURCE, put_into, transcript
from effort import examples
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.conversations import store, word_store
from firmograph.conversations.changes import (
    delete_conversations,
    mask_people,
    new_conversation,
    write_conversations,
)
from firmograph.conversations.search import search_text
from firmograph.conversations.types import stored_transcript
from firmograph.conversations.words import (
    BLOCK,
    DOCUMENT,
    count_terms,
    count_words,
    edit_counts,
    read_counts,
    spoken_words,
    text_words,
)
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.clock import SetClock
from record_factory import DIGESTS

KEYS = ["a", "b", "c", "d"]
WORDS = ["alpha", "beta", "gamma", "Jane Doe", "delta"]
_said = st.lists(
    st.tuples(
        st.sampled_from(["Jane Doe", "Bob"]), st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join)
    ),
    min_size=1,
    max_size=4,
)
_step = st.one_of(
    st.tuples(st.just("put"), st.dictionaries(st.sampled_from(KEYS), _said, min_size=1)),
    st.tuples(st.just("killed"), st.dictionaries(st.sampled_from(KEYS), _said, min_size=1)),
    st.tuples(st.just("delete"), st.sampled_from(KEYS)),
    st.tuples(st.just("erase"), st.none()),
)
_names = (f"Account {number}" for number in count())
JANE = DIGESTS.contact_name_company("jane doe", "globex.test")


class _Killed(Exception):
    pass


def apply(database, account_id, step, argument):
    if step == "put":
        put_into(database, DIGESTS, account_id, {key: transcript(*said) for key, said in argument.items()})
        return
    new = (
        [
            new_conversation(DIGESTS, account_id, SOURCE, key, transcript(*said))
            for key, said in (argument or {}).items()
        ]
        if step == "killed"
        else []
    )
    try:
        with database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            held = store.select_newest(own, 100)
            if step == "killed":
                write_conversations(own, DIGESTS, SOURCE, new, 1.0)
                raise _Killed
            if step == "delete":
                gone = new_conversation(DIGESTS, account_id, SOURCE, argument, transcript(("A", "x")))
                delete_conversations(own, [one for one in held if one.uuid == gone.uuid])
            else:
                mask_people(own, DIGESTS, [one.id for one in held], {JANE}, 2.0)
    except _Killed:
        pass


def read_index(own):
    """Return the stored terms of each place, and the number of words of each."""
    terms = {}
    for field in (1, 2, 3, 4, 5):
        rows = own.session.raw.execute(
            f"SELECT word, block, counts FROM conversation_words WHERE account_id = {own.account_id}"
            f" AND field = {field}"
        ).fetchall()
        for word, block, counts in rows:
            places, numbers = read_counts(bytes(counts))
            assert len(places)
            for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
                terms.setdefault(block * BLOCK + place, defaultdict(dict))[field][word] = number
    sizes = {
        block * BLOCK + int(row["place"]): int(row["words"])
        for block, documents in word_store.read_documents(own)
        for row in np.frombuffer(documents, DOCUMENT)
    }
    return terms, sizes


@pytest.fixture(scope="module")
def accounts(shared_database):
    return Accounts(shared_database, load_plans(), SetClock())


@settings(max_examples=examples(40))
@given(steps=st.lists(_step, min_size=1, max_size=8))
def test_counts_are_those_of_a_count_from_scratch(shared_database, accounts, steps):
    account_id = accounts.create(next(_names)).id
    for step, argument in steps:
        apply(shared_database, account_id, step, argument)
    with shared_database.read() as session:
        own = AccountSession(session, account_id)
        held = store.select_newest(own, 100)
        contents = store.select_transcripts(own, [one.id for one in held])
        expected = {one.place: count_terms(stored_transcript(one, contents[one.id])) for one in held}
        terms, sizes = read_index(own)
    assert terms == expected
    assert sizes == {place: count_words(each) for place, each in expected.items()}


def pack(counts):
    """Return counts by place in the form of a block."""
    places = sorted(counts)
    return b"".join(place.to_bytes(2, "little") for place in places), bytes(counts[at] for at in places)


_place = st.integers(0, BLOCK - 1) | st.sampled_from([0, 255, 256, 257, BLOCK - 1])


@settings(max_examples=examples(100))
@given(
    held=st.dictionaries(_place, st.integers(1, 255)),
    changes=st.dictionaries(_place, st.integers(0, 255), min_size=1),
)
def test_changed_places_replace_those_held_and_zeros_go(held, changes):
    kept = {place: count for place, count in (held | changes).items() if count}
    assert edit_counts(b"".join(pack(held)), *pack(changes)) == b"".join(pack(kept))


@settings(max_examples=examples(20))
@given(
    texts=st.lists(
        st.lists(st.sampled_from(["one", "two", "three", "four"]), min_size=1), min_size=1, max_size=8
    ),
    query=st.lists(st.sampled_from(["one", "two", "five"]), min_size=1, max_size=3),
)
def test_the_order_is_that_of_bm25(shared_database, accounts, texts, query):
    account_id = accounts.create(next(_names)).id
    put_into(
        shared_database,
        DIGESTS,
        account_id,
        {str(n): transcript(("A", " ".join(said))) for n, said in enumerate(texts)},
    )
    with shared_database.read() as session:
        found = search_text(AccountSession(session, account_id), " ".join(query), 0, 100)
    scores = plain_bm25(texts, set(query))
    assert sorted(found.places) == sorted(scores)
    ordered = [scores[place] for place in found.places]
    assert ordered == pytest.approx(sorted(ordered, reverse=True))
    assert found.total == len(scores)


def plain_bm25(texts, query):
    mean = sum(map(len, texts)) / len(texts)
    scores = {}
    for word in query:
        holders = [n for n, said in enumerate(texts) if word in said]
        for n in holders:
            times = texts[n].count(word)
            rarity = log(1 + (len(texts) - len(holders) + 0.5) / (len(holders) + 0.5))
            norm = 1.2 * (0.25 + 0.75 * len(texts[n]) / mean)
            scores[n] = scores.get(n, 0) + rarity * times * 2.2 / (times + norm)
    return scores


def test_words_of_titles_are_those_of_prospecting():
    assert text_words("The Café of C++, o'clock") == ["cafe", "c", "oclock"]


def test_words_of_transcripts_are_split_at_apostrophes_and_none_is_left_out():
    assert spoken_words("What’s the Café of C++?") == ["what", "s", "the", "cafe", "of", "c"]
