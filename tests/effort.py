"""The effort of a run of the tests: that of a commit, or all of it (`make test-thorough`)."""

import os
from typing import Final

THOROUGH: Final = os.environ.get("FIRMOGRAPH_TEST_THOROUGH") == "1"

_SHARE = 5
_FEWEST = 5


def examples(most: int) -> int:
    """Return how many examples to try: `most` in a thorough run, else a fifth of them and at least five."""
    return most if THOROUGH else max(_FEWEST, most // _SHARE)
