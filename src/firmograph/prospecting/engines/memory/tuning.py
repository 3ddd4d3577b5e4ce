"""Tuning thresholds of the in-memory engine."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tuning:
    """Thresholds in records, changes and seconds.

    A checkpoint is written after `checkpoint_changes` changes that are at least `checkpoint_share` of the records,
    but at most every `checkpoint_seconds`; or after `idle_seconds` for at least `idle_changes` changes.
    """

    small_index: int = 50_000
    """Up to this many records all work is done in this process."""
    checkpoint_changes: int = 10_000
    checkpoint_share: float = 0.02
    checkpoint_seconds: float = 60.0
    idle_changes: int = 1_000
    """A small index with this many changes is also written when the server ends."""
    idle_seconds: float = 600.0
