"""Local analyser: rules and statistics of the words alone, without network, model or download.

See docs/reference/conversation-analysis.md. The same transcript always has the same findings.
"""

from collections.abc import Collection, Sequence

from firmograph.conversations.analysis.actions import find_action_items
from firmograph.conversations.analysis.chapters import find_chapters
from firmograph.conversations.analysis.coaching import coach
from firmograph.conversations.analysis.competitors import find_competitors
from firmograph.conversations.analysis.concerns import Concerns, find_concerns
from firmograph.conversations.analysis.findings import Findings
from firmograph.conversations.analysis.phrases import find_topics
from firmograph.conversations.analysis.rules import load_rules
from firmograph.conversations.analysis.sentences import is_english, split_transcript
from firmograph.conversations.analysis.speakers import measure_speakers
from firmograph.conversations.analysis.summary import summarise
from firmograph.conversations.transcript import Transcript
from firmograph.conversations.types import CompetitorName


def analyse(
    transcript: Transcript, competitors: Sequence[CompetitorName], internal_speakers: Collection[str]
) -> Findings:
    """Analyse a transcript; `internal_speakers` are the seller's side, none where it is not known.

    Findings of the rules for English are empty for other languages; figures, summary, chapters and competitors are not.
    """
    english = is_english(transcript)
    sentences = split_transcript(transcript, internal_speakers, is_english=english)
    speakers = measure_speakers(transcript, sentences, internal_speakers)
    items = find_action_items(transcript, sentences) if english else []
    concerns = find_concerns(sentences) if english else Concerns([], [])
    return Findings(
        summary=summarise(sentences, load_rules().summary.words),
        topics=tuple(find_topics(sentences, transcript) if english else ()),
        action_items=tuple(items),
        risks=tuple(concerns.risks),
        objections=tuple(concerns.objections),
        competitors=tuple(find_competitors(sentences, competitors)),
        coaching=coach(sentences, items, speakers) if english else None,
        chapters=tuple(find_chapters(transcript, sentences, is_english=english)),
        speakers=tuple(speakers),
    )
