"""Prefix search in sorted words and in texts."""

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from firmograph.prospecting.engines.memory.lexicon import Lexicon

_PLAIN = np.array([byte < 128 and chr(byte).isalnum() for byte in range(256)])
_LOWER = np.frombuffer(bytes(range(256)).lower(), dtype=np.uint8)


def with_prefix(sorted_texts: list[str], prefix: str) -> list[str]:
    """Return the texts that begin with a prefix."""
    low = bisect_left(sorted_texts, prefix)
    size = len(prefix)
    high = bisect_left(sorted_texts, True, lo=low, key=lambda text: text[:size] > prefix)
    return sorted_texts[low:high]


def may_have_prefix(texts: Lexicon, ordinals: npt.NDArray[np.int64], prefix: str) -> npt.NDArray[np.int64]:
    """Return the ordinals of the texts that may begin with a prefix once folded; none that does is missing.

    ASCII letters and digits fold to their lower case. A text is excluded at the first of them that differs from the
    prefix; any other character leaves the text undecided, to be folded by the caller.
    """
    block = np.frombuffer(texts.block, dtype=np.uint8)
    starts = np.where(ordinals, texts.ends[ordinals - 1].astype(np.int64), 0) if len(ordinals) else ordinals
    undecided = []
    for offset, letter in enumerate(prefix):
        if not letter.isascii() or not len(ordinals):
            break
        bytes_at = block.take(starts + offset, mode="clip")
        equal = _LOWER[bytes_at] == ord(letter)
        undecided.append(ordinals[~equal & ~_PLAIN[bytes_at]])
        ordinals, starts = ordinals[equal], starts[equal]
    return np.concatenate([ordinals, *undecided])


def texts_may_have_prefix(texts: Iterable[str], prefix: str) -> list[str]:
    """Return the texts that may begin with a prefix once folded, judged by their first letter."""
    first = prefix[:1]
    if not first or not first.isascii():
        return list(texts)
    return [
        text for text in texts if text[0].lower() == first or not text[0].isascii() or not text[0].isalnum()
    ]
