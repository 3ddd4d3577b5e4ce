"""Conversations in a restore of a backup that is older than suppressions and names of speakers."""

import pytest
from analyses import count_segments, make_queue

from backed_up_service import BackedUpService
from conversation_factory import put, transcript
from firmograph.conversations.administration import ConversationAdministration
from firmograph.conversations.analysis.analyser import Analysis
from firmograph.conversations.analysis.queue import AnalysisResult
from firmograph.conversations.tables import (
    conversation_analyses,
    conversation_transcripts,
    conversation_words,
    conversations,
)
from firmograph.conversations.types import unpack_talk
from firmograph.directory.records import CompanyRef
from firmograph.privacy.suppression import Suppression
from program_fixtures import quick_programs
from record_factory import contact, load_contacts

JANE = ("Jane Doe", "jane@globex.test")

__all__ = ["quick_programs"]
pytestmark = pytest.mark.usefixtures("quick_programs")


class Restored(BackedUpService):
    """The application with a contact Jane Doe, and a backup of it."""

    def __init__(self, service, folder):
        super().__init__(service, folder)
        company = CompanyRef(name="Globex", domain="globex.test")
        load_contacts(service.database, "crm", [contact("Jane", "Doe", emails=[JANE[1]], company=company)])

    def suppress(self):
        suppression = self.service.installation.get(Suppression)
        suppression.suppress(suppression.person(email=JANE[1]))

    def name_speaker(self, conversation_id, speaker, name):
        account_id = self.service.accounts.find(self.service.account).id
        administration = self.service.installation.get(ConversationAdministration)
        administration.name_speakers(account_id, conversation_id, {speaker: name})

    def everything(self):
        """Return all rows of conversations, with transcripts unpacked, as text."""
        with self.service.database.read() as session:
            tables = (conversations, conversation_words, conversation_analyses)
            rows = [row for table in tables for row in session.all(table.select())]
            talks = [unpack_talk(row[-1]) for row in session.all(conversation_transcripts.select())]
            return f"{rows} {talks}"


@pytest.fixture
def restored(service, tmp_path):
    return Restored(service, tmp_path)


def test_a_participant_suppressed_since_the_backup_is_in_no_row(restored):
    said = ("Jane Doe", "my zebra"), ("Bob", "Thanks Jane")
    put(restored.service, {"a": transcript(*said, title="Jane Doe asks", people=[JANE])})
    restored.back_up()
    restored.suppress()
    restored.restore()
    kept = restored.everything()
    assert "Removed participant" in kept
    assert [word for word in ("jane", "zebra") if word in kept.lower()] == []


def test_a_speaker_named_and_suppressed_since_the_backup_is_in_no_row(restored):
    said = ("Speaker 1", "my zebra"), ("Bob", "Thanks Jane")
    ids = put(restored.service, {"a": transcript(*said)})
    restored.back_up()
    restored.name_speaker(ids["a"], "Speaker 1", "Jane Doe")
    restored.suppress()
    restored.restore()
    kept = restored.everything()
    assert "Thanks […]" in kept
    assert [word for word in ("jane", "zebra", "Speaker 1'") if word in kept] == []


def test_the_words_of_a_speaker_suppressed_since_the_backup_go_from_older_content_too(restored):
    ids = put(restored.service, {"a": transcript(("Speaker 1", "my zebra"), ("Bob", "hi"))})
    restored.back_up()
    put(restored.service, {"a": transcript(("Speaker 1", "my giraffe"), ("Bob", "hello"))})
    restored.name_speaker(ids["a"], "Speaker 1", "Jane Doe")
    restored.suppress()
    restored.restore()
    kept = restored.everything()
    assert "text='hi'" in kept
    assert "zebra" not in kept


def test_names_given_to_speakers_since_the_backup_stay(restored):
    ids = put(
        restored.service, {"a": transcript(("Speaker 1", "hello")), "b": transcript(("Speaker 1", "x"))}
    )
    restored.back_up()
    put(restored.service, {"b": transcript(("Speaker 1", "changed"))})
    for conversation_id in ids.values():
        restored.name_speaker(conversation_id, "Speaker 1", "Ann Other")
    restored.restore()
    kept = restored.everything()
    assert "speaker='Speaker 1'" not in kept
    assert kept.count("speaker='Ann Other'") == 2
    found = restored.service.post("/v3/account/conversations/search", {"contactNames": ["ann"]}).json()
    assert found["pagination"]["total"] == 2


def test_the_result_of_a_worker_that_began_before_the_restore_does_not_count(restored):
    put(restored.service, {"a": transcript(("Ann", "hello"))})
    queue = make_queue(restored.service)
    (task,) = queue.claim(1, restored.service.clock.seconds())
    restored.back_up()
    restored.restore()
    assert queue.record([AnalysisResult(task, Analysis(count_segments(task.given), "local"))]) == []
    (again,) = queue.claim(1, restored.service.clock.seconds())
    assert again.claim.fence > task.claim.fence
