"""The expected suggestions for a typed text: a plain reading of the rules over all stored values."""

from collections import Counter
from collections.abc import Iterable, Mapping

from rapidfuzz.distance import OSA

from firmograph.prospecting.engines.port import Suggestion
from firmograph.prospecting.indexing.analysis import whole, words

StoredTexts = Mapping[int, Iterable[str]]


def allowed_edits(word: str) -> int:
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2


def like(typed: str, last: bool, word: str, edits: int) -> bool:
    if word.startswith(typed):
        return True
    beginnings = [word[:size] for size in range(len(word) + 1)] if last else [word]
    far = min(OSA.distance(typed, beginning) for beginning in beginnings)
    return far <= min(edits, allowed_edits(typed))


def group(text: str, entry: str) -> int | None:
    if whole(entry).startswith(whole(text)):
        return -1
    query_words = words(text)
    for edits in range(3):
        each = ((typed, place == len(query_words)) for place, typed in enumerate(query_words, 1))
        if all(any(like(typed, last, word, edits) for word in words(entry)) for typed, last in each):
            return edits
    return None


def plain(stored: StoredTexts, text: str) -> list[Suggestion]:
    volumes = Counter(entry for values in stored.values() for entry in set(values))
    found = [
        (place, -volume, entry)
        for entry, volume in volumes.items()
        if (place := group(text, entry)) is not None
    ]
    return [Suggestion(entry, -order) for _, order, entry in sorted(found)]
