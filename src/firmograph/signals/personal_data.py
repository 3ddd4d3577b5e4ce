"""Personal data of signals: a person's job moves and posts, and mentions in posts and news.

On a restore the signals of an erased record are deleted, and so is every post and news item that names an erased or
newly suppressed person, as a whole, as SQL cannot rewrite one. The next import of posts restores it without the name.
Rules of other packages may join `new_unsaid`, the ids of these signals.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from firmograph.database.connection import Session
from firmograph.privacy.declarations import Impersonal, People, PersonalData, TableData
from firmograph.privacy.restore_rules import SAME_ORIGIN, FoundTable, RestoreRule
from firmograph.security.record_ids import Entity
from firmograph.signals import erasure_store
from firmograph.signals.erasure import erase_signals, find_affected, person_keys
from firmograph.signals.tables import (
    company_figures,
    figures_to_judge,
    job_places,
    job_postings,
    job_weeks,
    signal_feeds,
    signal_people,
    signals,
)

_CONTACT: Final = int(Entity.CONTACT)
_CODE, _VOCABULARY, _HASH = Impersonal.CODE, Impersonal.VOCABULARY, Impersonal.KEYED_HASH


def find_signals(session: Session, people: People) -> Iterable[Mapping[str, Any]]:
    """Return the signals of the people's records, and those that name them."""
    return erasure_store.select_signals(session, find_affected(session, people).records)


def find_mentions(session: Session, people: People) -> Iterable[Mapping[str, Any]]:
    """Return the digests by which signals name the people."""
    return erasure_store.select_mentions(session, person_keys(people))


_TABLES = (
    TableData(
        signals,
        erased=("entity_id", "event"),
        impersonal={"identity": _HASH, "day": _CODE, "detail": _VOCABULARY},
        find=find_signals,
    ),
    TableData(signal_people, erased=("digest",), find=find_mentions),
    TableData(signal_feeds, impersonal={"kind": _CODE, "as_of": _CODE, "snapshot": _CODE}),
    TableData(company_figures, impersonal={"kind": _CODE, "day": _CODE, "currency": _VOCABULARY}),
    TableData(figures_to_judge, impersonal={"kind": _CODE}),
    TableData(
        job_postings,
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

# `signal_people` has the keys of people named in posts and news, digests of 17 bytes for the numbers of contacts in
# posts (`posts.number_digest`), and of 18 bytes for people that summaries may name (`posts.summary_digest`)
_AFFECTED = (
    f"SELECT s.id FROM signals s JOIN new_erased e ON e.number = s.entity_id WHERE s.entity = {_CONTACT}"
    " UNION SELECT p.signal_id FROM signal_people p JOIN new_suppressed n ON n.digest = p.digest"
    " UNION SELECT p.signal_id FROM signal_people p JOIN contact_keys k ON k.digest = p.digest"
    " JOIN new_erased e ON e.number = k.contact_id"
    " UNION SELECT p.signal_id FROM signal_people p JOIN new_suppressed n ON n.digest = substr(p.digest, 1, 16)"
    f" WHERE length(p.digest) = 17 AND {SAME_ORIGIN}"
    " UNION SELECT p.signal_id FROM signal_people p JOIN new_suppressed n ON n.digest = substr(p.digest, 1, 16)"
    " WHERE length(p.digest) = 18"
)
_SIGNALS = RestoreRule(
    found=(FoundTable("new_unsaid", _AFFECTED),),
    changes=(
        "INSERT INTO changes (entity, entity_id)"
        f" SELECT DISTINCT entity, entity_id FROM signals WHERE entity <> {_CONTACT}"
        " AND id IN (SELECT id FROM new_unsaid)",
        "DELETE FROM signal_people WHERE signal_id IN (SELECT id FROM new_unsaid)",
        "DELETE FROM signals WHERE id IN (SELECT id FROM new_unsaid)",
    ),
)

PERSONAL_DATA: Final = PersonalData(
    "signals", uses=("records",), tables=_TABLES, erasers=(erase_signals,), restore=(_SIGNALS,)
)
