"""How large an index, how many changes and how long a time make it worth doing what."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measures:
    """When to do what, in records, changes and seconds."""

    small: int = 50_000
    """Up to this many records all work is done in this process."""
    changes: int = 10_000
    share: float = 0.02
    """A checkpoint is written after this many changes, and at least this share of the records, ..."""
    every: float = 60.0
    """... but not sooner than this after the last ..."""
    few: int = 1_000
    quiet: float = 600.0
    """... or for a few changes after this time; of a small index also when the server ends."""
