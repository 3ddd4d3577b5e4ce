"""Revision of the do-not-call registry and of deletion lists, by which a restore notices a change."""

from typing import Final

from firmograph.database.connection import Session
from firmograph.directory.contact_scans import read_counter
from firmograph.privacy import store

_NAME: Final = "privacy_lists"


def read_revision(session: Session) -> int:
    return read_counter(session, _NAME)


def raise_revision(session: Session) -> None:
    """Note a change; part of its transaction."""
    store.raise_counters(session, {_NAME: read_revision(session) + 1})
