"""People of a conversation: keyed hashes of all who take part or may be named, and the masks of suppressed ones.

Names in the text are not classified: each name at each company of the conversation counts as a possible person, and a
suppressed person was once stored there under that name (docs/reference/conversations.md#suppressed-people).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from firmograph.conversations.transcript import Participant, Transcript
from firmograph.conversations.types import REMOVED
from firmograph.conversations.words import hosts_of
from firmograph.directory.company_names import company_keys
from firmograph.directory.identity import Digests
from firmograph.directory.names import PARTICLES, fold, full_name_key, full_name_keys, split_full_name
from firmograph.directory.names_in_text.people import find_names
from firmograph.directory.normalise.emails import bare_address, is_free_mail, normalise_email

MASK: Final = "[…]"
"""Replacement of masked words; it has no letter, so nothing is found by it."""
DIGEST_BYTES: Final = 8
"""Beginning of a hash that a conversation keeps; who is found by it is looked at again in full."""

_MOST_NAMES: Final = 400
_MOST_COMPANIES: Final = 8
_MOST_BETWEEN: Final = 2
"""Middle names between first and last."""
_SHORTEST: Final = 3
"""Letters of a first or last name that is masked where it stands alone."""
_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_TOKEN: Final = re.compile(r"[^\W_]+(?:[-.'’ʼ][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['’]s$", re.IGNORECASE)
_CAPITALS: Final = re.compile(r"[A-Z](?<!\w.)[\w'.-]*(?:\s+(?:[a-z]{1,3}\s+){0,2}[A-Z][\w'.-]*)+")
"""Capitalised words in a row, in a text of ASCII alone; short words may stand in between."""
_PLAIN_MARKS: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."})


class PersonOf(NamedTuple):
    """Possible person of a conversation."""

    words: tuple[str, ...]
    """Folded words of the name."""
    keys: frozenset[bytes]
    name: str = ""
    """As the participant or speaker is called; empty for a name in the text."""


class MaskedTranscript(NamedTuple):
    """Transcript without suppressed people."""

    transcript: Transcript
    names: Collection[str]
    """Names of the participants and speakers who were masked."""


class ConversationPeople:
    """People of one conversation."""

    def __init__(self, digests: Digests, transcript: Transcript) -> None:
        self._digests = digests
        self._transcript = transcript
        self._companies = self._company_forms()
        self.people = [*self._takers_part(), *self._named()]
        self.addresses = {
            address: self._address_keys(address)
            for text in self._texts()
            if "@" in text
            for found in _EMAIL.findall(text)
            if (address := normalise_email(found))
        }

    def all_keys(self) -> set[bytes]:
        """Return the keys of all of them."""
        found = {key for person in self.people for key in person.keys}
        return found.union(*self.addresses.values())

    def packed(self) -> bytes:
        """Return the beginnings of the keys as they are stored."""
        return b"".join(sorted({key[:DIGEST_BYTES] for key in self.all_keys()}))

    def masked(self, suppressed: Collection[bytes]) -> MaskedTranscript | None:
        """Return the transcript without the people who have one of these keys; None if it names none of them."""
        gone = [one for one in self.people if not one.keys.isdisjoint(suppressed)]
        addresses = [text for text, keys in self.addresses.items() if not keys.isdisjoint(suppressed)]
        if not gone and not addresses:
            return None
        return self._mask(gone, addresses)

    def _mask(self, gone: Sequence[PersonOf], addresses: Sequence[str]) -> MaskedTranscript:
        names = {one.name for one in gone if one.name}
        stay = {
            word
            for one in self._transcript.participants
            if one.name not in names
            for word in fold(one.name).split()
        }
        wanted = {one.words for one in gone} | {
            (word,)
            for one in gone
            if one.name
            for word in one.words
            if len(word) >= _SHORTEST and word not in stay and word not in PARTICLES
        }
        masks = _Masks(wanted, addresses)
        given = self._transcript
        participants = tuple(
            Participant(REMOVED) if one.name in names else replace(one, name=masks.apply(one.name))
            for one in given.participants
        )
        masked = replace(
            given,
            title=masks.apply(given.title),
            participants=tuple(dict.fromkeys(participants)),
            segments=tuple(
                replace(one, speaker=REMOVED, text=MASK)
                if one.speaker in names
                else replace(one, text=masks.apply(one.text))
                for one in given.segments
            ),
        )
        return MaskedTranscript(masked, names)

    def _takers_part(self) -> Iterator[PersonOf]:
        by_name: dict[str, set[bytes]] = {}
        for one in self._transcript.participants:
            keys = by_name.setdefault(one.name, set())
            keys |= self._name_keys(one.name)
            if one.email and (address := normalise_email(one.email)):
                keys |= self._address_keys(address)
        for name in {one.speaker for one in self._transcript.segments}:
            if name not in by_name:
                by_name[name] = self._name_keys(name)
        for name, keys in by_name.items():
            words = tuple(full_name_key(*split_full_name(name)).split())
            if words and name != REMOVED:
                yield PersonOf(words, frozenset(keys), name)

    def _named(self) -> Iterator[PersonOf]:
        runs = dict.fromkeys(run for text in self._texts() for run in _runs(text))
        found = dict.fromkeys(name for run in runs for name in _names_in(run))
        for key in [*found][:_MOST_NAMES]:
            keys = (self._digests.contact_name_company(key, company) for company in self._companies)
            yield PersonOf(tuple(key.split()), frozenset(keys))

    def _texts(self) -> Iterator[str]:
        yield self._transcript.title
        for segment in self._transcript.segments:
            yield segment.text

    def _address_keys(self, address: str) -> frozenset[bytes]:
        bare = bare_address(address)
        keys = [self._digests.contact_email(address)]
        if bare is not None:
            keys += [self._digests.contact_email(bare), self._digests.contact_mailbox(bare)]
        return frozenset(keys)

    def _name_keys(self, name: str) -> set[bytes]:
        return {
            self._digests.contact_name_company(key, company)
            for key in full_name_keys(*split_full_name(name))
            if " " in key
            for company in self._companies
        }

    def _company_forms(self) -> list[str]:
        """Return the names and domains of the conversation's companies as suppression keys know them."""
        forms = dict.fromkeys(company_keys(self._transcript.company_name or ""))
        hosts = sorted(host for host in hosts_of(self._transcript) if not is_free_mail(host))
        return [*forms, *hosts[:_MOST_COMPANIES]]


def apply_names(transcript: Transcript, names: Mapping[str, str]) -> Transcript:
    """Return a transcript with the names given to speakers; the words of a removed one are masked."""
    if not names:
        return transcript
    renamed = (replace(one, speaker=names.get(one.speaker, one.speaker)) for one in transcript.segments)
    return replace(
        transcript,
        segments=tuple(replace(one, text=MASK) if one.speaker == REMOVED else one for one in renamed),
    )


def _runs(text: str) -> Sequence[str]:
    """Return the parts of a text that may hold names; most texts have none."""
    if not text.isascii():
        text = text.translate(_PLAIN_MARKS)
    return _CAPITALS.findall(text) if text.isascii() else [text]


@lru_cache(maxsize=16_384)
def _names_in(run: str) -> tuple[str, ...]:
    return tuple(find_names([run], ""))


class _Masks:
    """Masks of names, as whole words, and of addresses."""

    def __init__(self, names: Iterable[tuple[str, ...]], addresses: Collection[str]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in names:
            for order in {words, words[-1:] + words[:-1]}:
                self._by_first.setdefault(order[0], []).append(order)
        self._addresses = addresses

    def apply(self, text: str) -> str:
        """Return a text without the names and addresses."""
        if self._addresses and "@" in text:
            text = _EMAIL.sub(
                lambda found: MASK if normalise_email(found[0]) in self._addresses else found[0], text
            )
        spans = list(self._spans(text))
        for start, end in reversed(spans):
            text = text[:start] + MASK + text[end:]
        return text

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places of names from left to right, without overlaps."""
        tokens = [
            (word, found.start(), found.start() + len(bare))
            for found in _TOKEN.finditer(text)
            for bare in [_POSSESSIVE.sub("", found[0])]
            for word in fold(bare).split()
        ]
        at = 0
        while at < len(tokens):
            ends = [
                end
                for words in self._by_first.get(tokens[at][0], ())
                if (end := _match(text, tokens, at, words))
            ]
            if ends:
                last = max(ends)
                yield tokens[at][1], tokens[last - 1][2]
                at = last
            else:
                at += 1


def _match(text: str, tokens: Sequence[tuple[str, int, int]], at: int, words: Sequence[str]) -> int | None:
    """Return the end of a name that begins at a token; middle names that it lacks may stand in between."""
    if len(words) == 1:
        return at + 1 if not text[tokens[at][1]].islower() else None
    between = 0
    for word in words[1:]:
        at += 1
        while at < len(tokens) and tokens[at][0] != word:
            between += 1
            if between > _MOST_BETWEEN or text[tokens[at][1]].islower():
                return None
            at += 1
        if at >= len(tokens):
            return None
    return at + 1
