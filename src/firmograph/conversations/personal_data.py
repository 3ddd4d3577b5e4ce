"""Personal data of conversations: who takes part, what they say, and who is named."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from firmograph.accounts.preservation import find_same_accounts
from firmograph.conversations import store
from firmograph.conversations.changes import keep_names, mask_people
from firmograph.conversations.people import DIGEST_BYTES, ConversationPeople
from firmograph.conversations.tables import (
    conversation_analyses,
    conversation_blocks,
    conversation_people,
    conversation_settings,
    conversation_transcripts,
    conversation_words,
    conversations,
)
from firmograph.conversations.transcript import Transcript
from firmograph.conversations.types import StoredConversation, stored_transcript
from firmograph.conversations.words import BLOCK, count_terms
from firmograph.database.connection import AccountSession, Session
from firmograph.directory.identity import Digests
from firmograph.privacy.declarations import (
    Erasure,
    Impersonal,
    People,
    PersonalData,
    Recipient,
    RecipientKind,
    Replacement,
    TableData,
)

Rows = Iterable[Mapping[str, Any]]

_CODE, _HASH, _OWN_WORDS = Impersonal.CODE, Impersonal.KEYED_HASH, Impersonal.OWN_WORDS
_encode = msgspec.json.encode


def find_conversations(session: Session, people: People) -> Mapping[int, list[int]]:
    """Return the conversations that may name the people, by account; only the beginnings of hashes are compared."""
    found: dict[int, list[int]] = defaultdict(list)
    beginnings = {key[:DIGEST_BYTES] for key in people.keys}
    wanted = np.frombuffer(b"".join(sorted(beginnings)), np.uint64)
    for number, account_id, digests in store.select_people(session) if len(wanted) else ():
        held = np.frombuffer(digests, np.uint64)
        if np.isin(wanted, held).any():
            found[account_id].append(number)
    return found


def erase_from_conversations(erasure: Erasure) -> None:
    """Mask the people in all conversations, whose analyses are deleted and made again."""
    digests, keys = erasure.people.digests, erasure.people.keys
    for account_id, ids in erasure.find(find_conversations).items():
        mask_people(AccountSession(erasure.session, account_id), digests, ids, keys, erasure.at)


def keep_speakers(replacement: Replacement) -> None:
    """Keep the names given to speakers, and the masks of those who were suppressed under such a name."""
    replaced, copy = replacement.replaced, replacement.copy
    for account_id in sorted(find_same_accounts(replaced, copy)) if replacement.same_origin else ():
        own = AccountSession(replaced, account_id)
        for named in store.select_named(own):
            (contents,) = store.select_transcripts(own, [named.id]).values()
            keep_names(AccountSession(copy, account_id), Digests(replacement.keyring()), named, contents)


def void_leases(replacement: Replacement) -> None:
    """Void the claims of workers that analyse conversations as they were."""
    store.void_leases(replacement.copy)


class _NamedIn(NamedTuple):
    """Conversation that names people, as it is and without them."""

    own: AccountSession
    stored: StoredConversation
    before: Transcript
    after: Transcript


def _find(session: Session, people: People) -> Iterator[_NamedIn]:
    """Yield the conversations that name the people."""
    for account_id, ids in find_conversations(session, people).items():
        own = AccountSession(session, account_id)
        contents = store.select_transcripts(own, ids)
        for stored in store.select_by_id(own, ids).values():
            transcript = stored_transcript(stored, contents[stored.id])
            masked = ConversationPeople(people.digests, transcript).masked(people.keys)
            if masked is not None:
                yield _NamedIn(own, stored, transcript, masked.transcript)


def find_metadata(session: Session, people: People) -> Rows:
    """Yield title and metadata of the conversations that name the people."""
    for own, stored, *_ in _find(session, people):
        shown = {name: getattr(stored, name) for name in ("id", "title", "details", "speakers")}
        yield {"account_id": own.account_id, **shown}


def find_words_said(session: Session, people: People) -> Rows:
    """Yield the segments that the people said or that name them, of each conversation."""
    for own, stored, before, after in _find(session, people):
        pairs = zip(before.segments, after.segments, strict=True)
        named = [one for one, masked in pairs if one != masked]
        yield {"conversation_id": stored.id, "account_id": own.account_id, "contents": _encode(named)}


def find_hashes(session: Session, people: People) -> Rows:
    """Yield the conversations that keep hashes of the people."""
    for own, stored, before, _ in _find(session, people):
        packed = ConversationPeople(people.digests, before).packed()
        yield {"conversation_id": stored.id, "account_id": own.account_id, "digests": packed}


def find_analyses(session: Session, people: People) -> Rows:
    """Yield the analyses of conversations that name the people."""
    for own, stored, *_ in _find(session, people):
        for number, analysis in store.select_analyses(own, [stored.id]).items():
            yield {"conversation_id": number, "account_id": own.account_id, "findings": analysis.findings}


def find_index_words(session: Session, people: People) -> Rows:
    """Yield the words under which conversations are found only because of the people."""
    for own, stored, before, after in _find(session, people):
        kept, block = count_terms(after), stored.place // BLOCK
        for field, words in count_terms(before).items():
            for word in sorted(words.keys() - kept.get(field, {}).keys()):
                yield {"account_id": own.account_id, "field": field, "word": word, "block": block}


def find_models(session: Session, people: People) -> Iterator[Recipient]:
    """Yield the models that were asked about conversations that name the people."""
    for own, stored, *_ in _find(session, people):
        for each in store.select_analyses(own, [stored.id]).values():
            if each.analyser != "local":
                at = each.analysed_at
                yield Recipient(RecipientKind.MODEL, own.account_id, each.analyser, "conversations", at, at)


_OWN_NUMBER: Final = {"conversation_id": "numbers a conversation, not a record"}

_TABLES = (
    TableData(
        conversations,
        erased=("title", "details", "speakers"),
        impersonal={"uuid": _HASH, "version": _HASH, "source": _OWN_WORDS, "failure": _CODE},
        find=find_metadata,
        place="conversations",
    ),
    TableData(
        conversation_transcripts,
        erased=("contents",),
        find=find_words_said,
        place="conversations",
        kept=_OWN_NUMBER,
    ),
    TableData(
        conversation_people,
        erased=("digests",),
        find=find_hashes,
        place="conversations",
        kept=_OWN_NUMBER,
    ),
    TableData(
        conversation_analyses,
        erased=("findings",),
        impersonal={"analyser": _CODE},
        find=find_analyses,
        place="conversations",
        kept=_OWN_NUMBER,
    ),
    TableData(
        conversation_words,
        erased=("word",),
        impersonal={"counts": _CODE},
        find=find_index_words,
        place="conversations",
    ),
    TableData(conversation_blocks, impersonal={"documents": _CODE}),
    TableData(conversation_settings, impersonal={"analyser": _CODE, "competitors": _OWN_WORDS}),
)

PERSONAL_DATA: Final = PersonalData(
    "conversations",
    uses=("accounts", "records"),
    tables=_TABLES,
    erasers=(erase_from_conversations,),
    recipients=(find_models,),
    preservers=(keep_speakers, void_leases),
)
