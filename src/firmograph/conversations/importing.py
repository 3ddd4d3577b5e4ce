"""Import of conversations into an account (docs/reference/conversations.md#import)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from firmograph.conversations.changes import NewConversation, new_conversation, write_conversations
from firmograph.conversations.reading.files import FoundConversation, ReadingOptions, read_file
from firmograph.database.connection import RECORDS, AccountSession, Database, account_scope
from firmograph.directory.identity import Digests
from firmograph.ingest.commits import Commits
from firmograph.ingest.imports.runs import ImportRun, ImportRuns
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.service import Progress
from firmograph.ingest.summary import Summary
from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import gc_disabled

KIND: Final = "conversations"
"""Kind of such imports."""
_BATCH: Final = 64
"""Conversations that are written together; their common words are then written once."""
_BATCH_BYTES: Final = 8 << 20
"""Bytes of packed transcripts that are after which a batch is written; bounds memory."""


class ConversationSummary(Summary):
    """Summary of an import of conversations."""

    can_be_undone: ClassVar[bool] = False

    def json_fields(self) -> dict[str, Any]:
        names = ("read", "created", "updated", "unchanged", "rejected", "rejectsFile")
        fields = super().json_fields()
        return {name: fields[name] for name in names}


class ConversationImport:
    """Import of files of conversations into one account, in commits of some at a time."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        digests: Digests,
        account_id: int,
        source: str,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._digests = digests
        self._account_id = account_id
        self._source = source
        self._commits = Commits(database, on_wait)

    def run(
        self,
        paths: Sequence[Path],
        options: ReadingOptions,
        on_reject: Callable[[int, Reject], None],
        on_progress: Callable[[Progress], None],
    ) -> ConversationSummary:
        """Import files and return the summary. An interrupted import continues when it runs again."""
        self._database.session().relax()
        summary = ConversationSummary()
        runs = ImportRuns(self._database, self._clock)
        run = self._commits.run_with_retry(
            lambda: runs.begin(KIND, self._source, [str(path) for path in paths])
        )
        with run.ended_with(summary), gc_disabled():
            for file, path in enumerate(paths):
                self._import_file(path, options, run, summary, lambda one, file=file: on_reject(file, one))  # type: ignore[misc]
                on_progress(Progress(file, path.stat().st_size, summary))
        return summary

    def _import_file(
        self,
        path: Path,
        options: ReadingOptions,
        run: ImportRun,
        summary: ConversationSummary,
        on_reject: Callable[[Reject], None],
    ) -> None:
        batch: list[NewConversation] = []
        size = 0
        for found in read_file(path, options):
            summary.read += 1
            if not isinstance(found, FoundConversation):
                summary.rejected += 1
                summary.lost += 1
                on_reject(Reject(found.line, found.reason, found.source_id))
                continue
            batch.append(
                new_conversation(
                    self._digests, self._account_id, self._source, found.source_id, found.transcript
                )
            )
            size += len(batch[-1].prepared.talk)
            if len(batch) == _BATCH or size >= _BATCH_BYTES:
                self._write(batch, run, summary)
                batch, size = [], 0
        self._write(batch, run, summary)

    def _write(self, batch: list[NewConversation], run: ImportRun, summary: ConversationSummary) -> None:
        if not batch:
            return

        def commit() -> list[Any]:
            with self._database.write(RECORDS, account_scope(self._account_id)) as session:
                run.keep_alive(session)
                own = AccountSession(session, self._account_id)
                return write_conversations(own, self._digests, self._source, batch, self._clock.seconds())

        for outcome in self._commits.run_with_retry(commit):
            setattr(summary, outcome, getattr(summary, outcome) + 1)
