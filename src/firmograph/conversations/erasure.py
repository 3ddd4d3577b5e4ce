"""Erasure of suppressed people from conversations (docs/reference/conversations.md#suppressed-people)."""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from firmograph.conversations import store
from firmograph.conversations.changes import mask_people
from firmograph.conversations.people import DIGEST_BYTES
from firmograph.database.connection import AccountSession, Session
from firmograph.privacy.declarations import Erasure, People


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
