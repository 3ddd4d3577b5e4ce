"""Sentences and tokens of the beginning of an article, in linear time."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from firmograph.directory.names_in_text.table import load_name_words

MAX_TOKENS: Final = 90
"""Limit of tokens of a sentence; the rest is ignored."""
_MAX_TOKEN: Final = 60
_BREAK: Final = re.compile(r"\n+|(?<=[.!?])[\"'”’)]?\s+(?=[\"'“‘(]?[A-Z0-9])")
_DATELINE: Final = re.compile(
    r"^[A-Z][^.;?!—–]{1,80}?\s?(?:--|—|–|\s-\s)(?=[\s(A-Z])(?:\s?\([A-Z][^)]{1,40}\)\s?(?:--|—|–))?\s?"
)
_BEFORE: Final = "\"'“‘«([{"
_AFTER: Final = "\"'”’»)]},;:!?…."
_POSSESSIVE: Final = re.compile(r"(.+)(?:'s|’s)", re.IGNORECASE)
_INITIALS: Final = re.compile(r"(?:[A-Za-z]\.)+")


class Sentence(NamedTuple):
    text: str
    tokens: tuple[str, ...]
    """Words as written; signs and the possessive `'s` are tokens of their own."""
    title: bool = False


def split_sentences(title: str, text: str) -> Iterator[Sentence]:
    """Yield the title, then the first sentences of the text, up to the limits of the table."""
    table = load_name_words()
    if title.strip():
        yield _sentence(" ".join(title.split()), True)
    read = 0
    for part in _parts(text[: table.lead_characters]):
        sentence = _sentence(_DATELINE.sub("", part, count=1), False)
        if len(sentence.tokens) < table.least_tokens:
            continue
        yield sentence
        read += 1
        if read == table.lead_sentences:
            return


def _sentence(text: str, title: bool) -> Sentence:
    return Sentence(text, tuple(islice(_tokens(text), MAX_TOKENS)), title)


def _parts(text: str) -> Iterator[str]:
    """Split a text into sentences, but not after an abbreviation."""
    start = 0
    for found in _BREAK.finditer(text):
        before = text[max(start, found.start() - 30) : found.start() + 1]
        words = before.split()
        last = words[-1] if words else ""
        if "\n" not in found[0] and _is_abbreviation(last):
            continue
        yield " ".join(text[start : found.end()].split())
        start = found.end()
    yield " ".join(text[start:].split())


def _is_abbreviation(word: str) -> bool:
    bare = word.strip(_BEFORE)
    return bare.casefold() in load_name_words().abbreviations or bool(_INITIALS.fullmatch(bare))


def _tokens(text: str) -> Iterator[str]:
    for chunk in text.split():
        chunk = chunk.replace("—", " — ").replace("–", " – ").replace("--", " — ")
        for part in chunk.split():
            yield from _split_signs(part[:_MAX_TOKEN])


def _split_signs(chunk: str) -> Iterator[str]:
    """Yield the tokens of a chunk between spaces; its outer signs are tokens of their own."""
    while chunk and chunk[0] in _BEFORE:
        yield chunk[0]
        chunk = chunk[1:]
    after: list[str] = []
    while chunk and chunk[-1] in _AFTER and not _is_abbreviation(chunk):
        after.append(chunk[-1])
        chunk = chunk[:-1]
    possessive = _POSSESSIVE.fullmatch(chunk)
    if possessive:
        yield possessive[1]
        yield "'s"
    elif chunk:
        yield chunk
    yield from reversed(after)
