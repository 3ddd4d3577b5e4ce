"""Mentions of competitors by the names and aliases given."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from firmograph.conversations.analysis.findings import CompetitorMention
from firmograph.conversations.analysis.rules import any_of, load_rules, lower
from firmograph.conversations.analysis.sentences import SpokenSentence, quote
from firmograph.conversations.types import CompetitorName
from firmograph.directory.names_in_text.kinds import COMPANY, is_doubtful
from firmograph.directory.names_in_text.mentions import is_confirmed
from firmograph.directory.names_in_text.spans import Mention

_TOKEN: Final = re.compile(r"[^\W_]+(?:[-&.][^\W_]+)*|'s\b|[^\w\s]")


def find_competitors(
    sentences: Sequence[SpokenSentence], competitors: Sequence[CompetitorName]
) -> list[CompetitorMention]:
    """Return the competitors that are named, each with the sentence that names it first, in order.

    A name that is also a common word counts only with a capital within a sentence and next to words that
    confirm it, in any sentence; then each of its mentions with a capital counts, as in news. Other names count in lower
    case too where a sentence has no capitals at all, as machines write them.
    """
    mentions: list[CompetitorMention] = []
    for competitor in competitors:
        named = min(
            filter(
                None,
                (_find(sentences, name) for name in (competitor.name, *competitor.aliases) if name.strip()),
            ),
            key=lambda one: one.segment,
            default=None,
        )
        if named:
            mentions.append(CompetitorMention(competitor.name, named.segment, quote(named.text)))
    return sorted(mentions, key=lambda one: one.segment)


def _find(sentences: Sequence[SpokenSentence], name: str) -> SpokenSentence | None:
    """Return the first sentence that names the competitor."""
    expression = _expression(name)
    if not is_doubtful(name):
        folded = lower(name)
        return next(
            (
                one
                for one in sentences
                if folded in one.lower
                and (found := expression.search(one.text))
                and (found[0] != found[0].lower() or name == name.lower() or one.text == one.text.lower())
            ),
            None,
        )
    named = [one for one in sentences if (found := expression.search(one.text)) and found[0][:1].isupper()]
    return named[0] if any(_is_company(one.text, expression) for one in named) else None


@lru_cache(maxsize=4096)
def _expression(name: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(map(re.escape, name.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _is_company(text: str, expression: re.Pattern[str]) -> bool:
    """Return whether the words around a common word with a capital make it a company."""
    rules = load_rules().competitors
    for found in expression.finditer(text):
        before = _TOKEN.findall(text[: found.start()].replace("’", "'"))
        after = _TOKEN.findall(text[found.end() :].replace("’", "'"))
        if not found[0][:1].isupper() or not before or before[-1] in ".?!":
            continue
        near = lower(text[found.end() :]).lstrip()
        if before[-1].lower() in rules.before or any_of(rules.after).match(near):
            return True
        named = found[0].split()
        mention = Mention(found[0], COMPANY, (found[0],), len(before), len(before) + len(named))
        if is_confirmed([*before, *named, *after], mention):
            return True
    return False
