"""The labelled calls of the demo, and the open meetings outside of the repository."""

import gzip
import hashlib
import json
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from firmograph.conversations.transcript import Participant, Segment, Transcript
from firmograph.conversations.types import CompetitorName

HERE = Path(__file__).parent
CALLS = HERE.parents[1] / "demo" / "conversations" / "calls.jsonl"
MEETINGS = Path("conversations") / "qmsum_meetings.jsonl.gz"
_WORDS_A_SECOND = 2.5


class LabelledText(msgspec.Struct, rename="camel", frozen=True, kw_only=True):
    segment: int
    text: str
    owner: str | None = None
    due_date: date | None = None


class LabelledObjection(LabelledText, frozen=True):
    response: LabelledText | None = None


class Labels(msgspec.Struct, rename="camel", frozen=True):
    source_id: str
    half: str
    internal_speakers: list[str]
    competitors: list[dict[str, Any]]
    action_items: list[LabelledText]
    risks: list[LabelledText]
    objections: list[LabelledObjection]
    mentioned: list[str]
    coaching: dict[str, list[int]]


class Call(NamedTuple):
    transcript: Transcript
    labels: Labels

    @property
    def competitors(self) -> list[CompetitorName]:
        return [CompetitorName(one["name"], tuple(one["aliases"])) for one in self.labels.competitors]


class Meeting(NamedTuple):
    key: str
    kind: str
    transcript: Transcript
    summary: str
    questions: tuple[str, ...]
    boundaries: tuple[int, ...] | None
    """Turns at which a labelled part other than the first begins; None if labelled parts overlap."""

    @property
    def is_tuned(self) -> bool:
        """Return whether rules may have been changed for it: half of the meetings, by a hash of their key."""
        return hashlib.sha256(self.key.encode()).digest()[0] % 2 == 0


def read_calls() -> list[Call]:
    labels = {
        one.source_id: one for one in map(_labels.decode, (HERE / "labels.jsonl").read_bytes().splitlines())
    }
    rows = map(json.loads, CALLS.read_text("utf-8").splitlines())
    return [Call(_transcript(row, row["startedAt"]), labels[row["sourceId"]]) for row in rows]


def read_meetings(data: Path) -> list[Meeting]:
    with gzip.open(data / MEETINGS, "rt", encoding="utf-8") as lines:
        return [_meeting(json.loads(line)) for line in lines]


def _meeting(row: dict[str, Any]) -> Meeting:
    spans = sorted(
        (int(first), int(last)) for topic in row["topic_list"] for first, last in topic["relevant_text_span"]
    )
    overlap = any(later[0] <= earlier[1] for earlier, later in pairwise(spans))
    content = {"title": row["id"], "segments": row["turns"], "participants": []}
    return Meeting(
        row["id"],
        row["domain"],
        _transcript(content, datetime(2005, 1, 3, 9, tzinfo=UTC).isoformat()),
        row["summary"],
        tuple(query["q"] for query in row["specific_queries"]),
        None if overlap else tuple(first for first, _ in spans[1:]),
    )


def _transcript(row: dict[str, Any], started_at: str) -> Transcript:
    """Return a transcript; missing times are spread by words, as an import does."""
    segments: list[Segment] = []
    at = 0.0
    for one in row["segments"]:
        start = one.get("startSeconds", at)
        at = one.get("endSeconds", start + len(one["text"].split()) / _WORDS_A_SECOND)
        segments.append(Segment(one["speaker"], one["text"], start, at))
    return Transcript(
        row["title"],
        datetime.fromisoformat(started_at),
        round(at),
        tuple(segments),
        tuple(Participant(one["name"], one["email"]) for one in row["participants"]),
        language="en",
    )


_labels = msgspec.json.Decoder(Labels)
