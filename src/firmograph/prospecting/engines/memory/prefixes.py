"""Words and texts by how they begin."""

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from firmograph.prospecting.engines.memory.lexicon import Lexicon

_PLAIN = np.array([byte < 128 and chr(byte).isalnum() for byte in range(256)])
_LOWER = np.frombuffer(bytes(range(256)).lower(), dtype=np.uint8)


def starting(held: list[str], beginning: str) -> list[str]:
    """Those of sorted texts that begin like this."""
    low = bisect_left(held, beginning)
    size = len(beginning)
    high = bisect_left(held, True, lo=low, key=lambda text: text[:size] > beginning)
    return held[low:high]


def may_begin(texts: Lexicon, places: npt.NDArray[np.int64], beginning: str) -> npt.NDArray[np.int64]:
    """Those of the texts at these places that may, once folded, begin like this: none that does is left out.

    Letters and digits of ASCII fold to themselves in lower case, so a text is out where one of them is another than
    in the beginning and all before it was alike; anything else has to be folded to be sure.
    """
    block = np.frombuffer(texts.block, dtype=np.uint8)
    starts = np.where(places, texts.ends[places - 1].astype(np.int64), 0) if len(places) else places
    unsure = []
    for offset, letter in enumerate(beginning):
        if not letter.isascii() or not len(places):
            break
        found = block.take(starts + offset, mode="clip")
        alike = _LOWER[found] == ord(letter)
        unsure.append(places[~alike & ~_PLAIN[found]])
        places, starts = places[alike], starts[alike]
    return np.concatenate([places, *unsure])


def may_begin_texts(texts: Iterable[str], beginning: str) -> list[str]:
    """The same of texts at hand, by their first letter alone."""
    first = beginning[:1]
    if not first or not first.isascii():
        return list(texts)
    return [
        text for text in texts if text[0].lower() == first or not text[0].isascii() or not text[0].isalnum()
    ]
