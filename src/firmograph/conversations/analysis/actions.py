"""Action items: promises of the speaker, requests and tasks for after the call, with owner and due date."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from firmograph.conversations.analysis.due_dates import find_due_date
from firmograph.conversations.analysis.findings import ActionItem
from firmograph.conversations.analysis.rules import any_of, load_rules, lower
from firmograph.conversations.analysis.sentences import SpokenSentence, count_words, quote
from firmograph.conversations.transcript import Transcript

_CONJUNCTION: Final = re.compile(r"(?:,|;)? (?:and|but|so|then)(?: then)? ?$|[,;] ?$")
_LEAST_WORDS: Final = 4


class _Start(NamedTuple):
    """Beginning of an item within a sentence."""

    at: int
    end: int
    owner: str | None
    is_request: bool


def find_action_items(transcript: Transcript, sentences: Sequence[SpokenSentence]) -> list[ActionItem]:
    """Return the items in the order of the conversation, each wording once."""
    day = transcript.started_at.date()
    names = _first_names(transcript)
    speakers = [segment.speaker for segment in transcript.segments]
    items: dict[str, ActionItem] = {}
    for number, sentence in enumerate(sentences):
        for item in _items(sentence, sentences[number + 1 : number + 2], names, speakers, day):
            items.setdefault(lower(item.text), item)
    return list(items.values())[: load_rules().actions.most]


def _items(
    sentence: SpokenSentence,
    following: Sequence[SpokenSentence],
    names: Mapping[str, str],
    speakers: Sequence[str],
    day: date,
) -> Iterator[ActionItem]:
    rules = load_rules().actions
    starts = list(_starts(sentence, names, speakers))
    if not starts or any_of(rules.never).search(sentence.lower):
        return
    for start, after in zip(starts, [*starts[1:], None], strict=True):
        end = after.at if after else len(sentence.text)
        text = sentence.lower[start.at : end]
        due = find_due_date(text, day)
        if after is None and due is None and len(starts) == 1:
            due = find_due_date(sentence.lower, day)
        if start.is_request and _is_refused(following, sentence):
            continue
        if due is None and _is_weak(sentence.lower[start.at : start.end], text):
            continue
        spoken = quote(_CONJUNCTION.sub("", sentence.text[start.at : end]))
        if count_words(spoken) >= _LEAST_WORDS:
            yield ActionItem(text=spoken, segment=sentence.segment, owner=start.owner, due_date=due)


def _starts(sentence: SpokenSentence, names: Mapping[str, str], speakers: Sequence[str]) -> Iterator[_Start]:
    """Yield where items begin: promises of the speaker, requests to others, tasks of people who are named."""
    rules = load_rules().actions
    found: dict[int, _Start] = {}
    for match in any_of(rules.requests).finditer(sentence.lower):
        found[match.start()] = _Start(match.start(), match.end(), _asked(sentence, names, speakers), True)
    for match in _named(tuple(sorted(names))).finditer(sentence.lower) if names else ():
        found[match.start()] = _Start(match.start(), match.end(), names[match["name"]], False)
    for match in any_of(rules.promises).finditer(sentence.lower):
        found.setdefault(match.start(), _Start(match.start(), match.end(), sentence.speaker, False))
    if not found:
        for match in any_of(rules.deliveries).finditer(sentence.lower):
            found[match.start()] = _Start(match.start(), match.end(), sentence.speaker, False)
    end = -1
    for at in sorted(found):
        if at >= end:
            yield found[at]
            end = found[at].end


@lru_cache(maxsize=64)
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    tasks = any_of(load_rules().actions.named).pattern
    return re.compile(rf"(?<!\w)(?P<name>{'|'.join(map(re.escape, names))}),? {tasks}")


def _first_names(transcript: Transcript) -> dict[str, str]:
    """Return first and full names in lower case with the speakers and participants that alone have them."""
    people = dict.fromkeys(
        (*(one.name for one in transcript.participants), *(one.speaker for one in transcript.segments))
    )
    found: dict[str, list[str]] = {}
    for person in people:
        words = lower(person).split()
        surname = words[-1:] if len(words) > 1 else []
        for name in {
            lower(person),
            *words[:1],
            *(f"{title} {one}" for one in surname for title in ("mr", "ms", "mrs", "dr")),
        }:
            if len(name) > 1:
                found.setdefault(name, []).append(person)
    return {name: owners[0] for name, owners in found.items() if len(owners) == 1}


def _asked(sentence: SpokenSentence, names: Mapping[str, str], speakers: Sequence[str]) -> str | None:
    """Return the person asked: one named in the sentence, else the next or the last other speaker."""
    for word in re.findall(r"[^\W\d_]+", sentence.lower):
        if (owner := names.get(word)) and owner != sentence.speaker:
            return owner
    after = speakers[sentence.segment + 1 : sentence.segment + 3]
    before = speakers[max(0, sentence.segment - 2) : sentence.segment][::-1]
    return next((speaker for speaker in (*after, *before) if speaker != sentence.speaker), None)


def _is_refused(following: Sequence[SpokenSentence], sentence: SpokenSentence) -> bool:
    return any(
        one.segment > sentence.segment and any_of(load_rules().actions.refusals).match(one.lower) is not None
        for one in following
    )


def _is_weak(start: str, text: str) -> bool:
    """Return whether a beginning is too general to be a task without a day or a recipient."""
    last = any_of(load_rules().actions.weak).search(start)
    return last is not None and not any_of(("you", "him", "her", "them", "back", "me", "us")).search(text)
