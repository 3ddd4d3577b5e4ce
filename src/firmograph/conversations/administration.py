"""What operators do with the conversations of an account (docs/reference/conversations.md#commands)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from firmograph.conversations import store
from firmograph.conversations.changes import delete_conversations, name_speakers
from firmograph.conversations.service import ShownConversation, read_id, show_conversations
from firmograph.conversations.store import AccountSettings
from firmograph.conversations.transcript import Transcript
from firmograph.conversations.types import REMOVED, StoredConversation, stored_transcript
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.directory.identity import Digests
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit

AnalyserName = Literal["local", "model"]

_BATCH: Final = 100
"""Conversations of one commit of a deletion."""
_MOST_COMPETITORS: Final = 500
_LONGEST_NAME: Final = 200


class ConversationAdministration:
    """Conversations of accounts, without charges."""

    def __init__(self, database: Database, clock: Clock, digests: Digests) -> None:
        self._database = database
        self._clock = clock
        self._digests = digests

    def newest(self, account_id: int, most: int) -> tuple[list[StoredConversation], int]:
        """Return the newest conversations of an account, and the number of all."""
        with self._database.read() as session:
            own = AccountSession(session, account_id)
            return store.select_newest(own, most), store.count(own)

    def count_all(self) -> tuple[int, int]:
        """Return the number of conversations of all accounts, and of those that wait for an analysis."""
        with self._database.read() as session:
            return store.count_all(session)

    def show(self, account_id: int, conversation_id: str) -> ShownConversation:
        """Return a conversation with its analysis. Raises Refused for an unknown id."""
        with self._database.read() as session:
            own = AccountSession(session, account_id)
            (shown,) = show_conversations(own, [_find(own, conversation_id)])
            return shown

    def transcript(self, account_id: int, conversation_id: str) -> Transcript:
        """Return the transcript of a conversation. Raises Refused for an unknown id."""
        with self._database.read() as session:
            own = AccountSession(session, account_id)
            stored = _find(own, conversation_id)
            return stored_transcript(stored, store.select_transcripts(own, [stored.id])[stored.id])

    def analyse(self, account_id: int, conversation_ids: Iterable[str] | None) -> int:
        """Let conversations be analysed again, by id or all that failed; return their number. Raises Refused."""
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            if conversation_ids is None:
                found = store.select_failed(own)
            else:
                found = [_find(own, one).id for one in conversation_ids]
            store.make_due(own, found, self._clock.seconds())
            return len(found)

    def set_analyser(self, account_id: int, analyser: AnalyserName) -> None:
        """Choose the analyser of an account's conversations from now on."""
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            store.put_settings(own, store.select_settings(own)._replace(analyser=analyser))
            at, details = self._clock.seconds(), {"analyser": analyser}
            OperatorAudit().record(session, at, "conversations analyser", account=account_id, details=details)

    def settings(self, account_id: int) -> AccountSettings:
        """Return the settings of an account."""
        with self._database.read() as session:
            return store.select_settings(AccountSession(session, account_id))

    def change_competitors(
        self, account_id: int, added: Mapping[str, Sequence[str]], removed: Iterable[str]
    ) -> AccountSettings:
        """Add competitors with their other names, and remove others. Raises Refused for an unknown one."""
        for name in (*added, *(alias for some in added.values() for alias in some)):
            if not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
                raise Refused(f"The name of a competitor has 1 to {_LONGEST_NAME} printable characters")
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            settings = store.select_settings(own)
            competitors = dict(settings.competitors)
            for name in removed:
                if name not in competitors:
                    raise Refused(
                        f"{name!r} is no competitor of the account; `firmograph conversations competitors` shows them"
                    )
                del competitors[name]
            competitors |= added
            if len(competitors) > _MOST_COMPETITORS:
                raise Refused(f"An account has at most {_MOST_COMPETITORS} competitors; remove some first")
            settings = settings._replace(competitors=competitors)
            store.put_settings(own, settings)
            return settings

    def name_speakers(self, account_id: int, conversation_id: str, names: Mapping[str, str]) -> Transcript:
        """Give speakers names, which stay through another import. Raises Refused for an unknown speaker."""
        for name in names.values():
            if not 0 < len(name) <= _LONGEST_NAME or not name.isprintable() or name == REMOVED:
                raise Refused(
                    f"The name of a speaker has 1 to {_LONGEST_NAME} printable characters, and is not {REMOVED!r}"
                )
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            stored = _find(own, conversation_id)
            contents = store.select_transcripts(own, [stored.id])[stored.id]
            speakers = {one.speaker for one in stored_transcript(stored, contents).segments}
            for speaker in names:
                if speaker not in speakers or speaker == REMOVED:
                    raise Refused(
                        f"{speaker!r} is no speaker of this conversation; its speakers are"
                        f" {', '.join(map(repr, sorted(speakers)))}"
                    )
            name_speakers(own, self._digests, stored, names, self._clock.seconds())
        return self.transcript(account_id, conversation_id)

    def delete(self, account_id: int, conversation_ids: Sequence[str]) -> int:
        """Delete conversations by id, all or none; return their number. Raises Refused for an unknown id."""
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            found = {one.id: one for one in (_find(own, each) for each in conversation_ids)}
            self._delete(own, list(found.values()))
            return len(found)

    def delete_all(self, account_id: int, source: str | None = None) -> int:
        """Delete all conversations of an account, or of one of its sources; return their number."""
        deleted = 0
        while True:
            with self._database.write(account_scope(account_id)) as session:
                own = AccountSession(session, account_id)
                found = store.select_newest(own, _BATCH, source)
                if not found:
                    return deleted
                self._delete(own, found)
                deleted += len(found)

    def _delete(self, session: AccountSession, found: Sequence[StoredConversation]) -> None:
        delete_conversations(session, found)
        OperatorAudit().record(
            session.session,
            self._clock.seconds(),
            "conversations delete",
            account=session.account_id,
            details={"conversations": len(found)},
        )


def _find(session: AccountSession, conversation_id: str) -> StoredConversation:
    """Return a conversation. Raises Refused for an unknown id."""
    uuid = read_id(conversation_id)
    found = store.select_by_uuid(session, [uuid]) if uuid else {}
    if not found:
        raise Refused(
            f"The account has no conversation {conversation_id!r}; `firmograph conversations list` shows their ids"
        )
    return next(iter(found.values()))
