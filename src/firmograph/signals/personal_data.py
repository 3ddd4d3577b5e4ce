"""Personal data of signals: a person's job moves and posts, and mentions in posts and news."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from firmograph.billing.paid_units import find_signal_payers
from firmograph.database.connection import Session
from firmograph.privacy.declarations import (
    Impersonal,
    People,
    PersonalData,
    Recipient,
    RecipientKind,
    TableData,
)
from firmograph.signals import erasure_store
from firmograph.signals.erasure import erase_signals, find_all_about, person_keys, remove_signals
from firmograph.signals.tables import (
    company_figures,
    figures_to_judge,
    job_places,
    job_postings,
    job_weeks,
    signal_feeds,
    signal_people,
    signal_statements,
    signals,
)

_CODE, _VOCABULARY, _HASH = Impersonal.CODE, Impersonal.VOCABULARY, Impersonal.KEYED_HASH


def find_signals(session: Session, people: People) -> Iterable[Mapping[str, Any]]:
    """Return the signals of the people's records, and those that name them."""
    return erasure_store.select_signals(session, find_all_about(session, people))


def find_mentions(session: Session, people: People) -> Iterable[Mapping[str, Any]]:
    """Return the digests by which signals name the people."""
    return erasure_store.select_mentions(session, person_keys(people))


def find_payers(session: Session, people: People) -> Iterator[Recipient]:
    """Yield the accounts that were shown signals about the people."""
    identities = erasure_store.identities_of(session, find_all_about(session, people))
    for account, first_at, last_at in find_signal_payers(session, identities):
        yield Recipient(RecipientKind.ACCOUNT, account, "", "signals", first_at, last_at)


_TABLES = (
    TableData(
        signals,
        erased=("entity_id", "event"),
        removed=("entity_id",),
        impersonal={"identity": _HASH, "day": _CODE, "detail": _VOCABULARY},
        find=find_signals,
        place="signals",
    ),
    TableData(signal_people, erased=("digest",), find=find_mentions, place="mentions in signals"),
    TableData(signal_statements),
    TableData(signal_feeds, impersonal={"kind": _CODE, "as_of": _CODE, "snapshot": _CODE}),
    TableData(
        company_figures,
        impersonal={"kind": _CODE, "day": _CODE, "currency": _VOCABULARY},
        removed=("company_id",),
    ),
    TableData(figures_to_judge, impersonal={"kind": _CODE}, removed=("company_id",)),
    TableData(
        job_postings,
        removed=("company_id",),
        impersonal={
            "posting_id": Impersonal.COMPANY,
            **dict.fromkeys(("opened", "closed", "seen"), _CODE),
            **dict.fromkeys(
                ("department", "seniority", "country_code", "state_code", "country", "state"), _VOCABULARY
            ),
        },
    ),
    TableData(job_weeks, impersonal={"week": _CODE}),
    TableData(
        job_places,
        impersonal=dict.fromkeys(("country", "state", "country_code", "state_code"), _VOCABULARY),
    ),
)

PERSONAL_DATA: Final = PersonalData(
    "signals",
    uses=("records",),
    tables=_TABLES,
    removers=(remove_signals,),
    erasers=(erase_signals,),
    recipients=(find_payers,),
)
