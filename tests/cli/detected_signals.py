"""Signals of a company and of a contact, stored as detectors do."""

from firmograph.database.connection import RECORDS
from firmograph.directory.identity import Digests
from firmograph.security.record_ids import Entity
from firmograph.signals import events, store
from firmograph.signals.events import Detected
from firmograph.signals.listing_store import ListingFilter, iterate_newest


def grown(company, day, months="1m"):
    event = events.HeadcountChange(100, 120, 20)
    return Detected(Entity.COMPANY, company, f"headcountIncrease{months}", day, day, event)


def moved(contact, day, type="companyChange"):
    event = events.JobMove(
        2, "New Ltd", "new.example.com", "Head of Sales", "Sales", "Director", 1, "Old Ltd", "old.example.com", "Clerk"
    )  # fmt: skip
    return Detected(Entity.CONTACT, contact, type, day, day, event)


def store_in(database, keyring, signals, at=1_780_000_000.0):
    with database.write(RECORDS) as session:
        store.store_signals(session, Digests(keyring), signals, at)


def detected(database):
    """Return company, type and day of every stored signal."""
    with database.read() as session:
        return sorted(
            (one.number, one.type, one.day)
            for some in iterate_newest(session, ListingFilter("9999-12-31"))
            for one in some
        )
