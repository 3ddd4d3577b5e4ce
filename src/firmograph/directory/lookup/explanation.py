"""Explanation of a look-up of a person: the candidates, their scores, the rules, and why the others were refused."""

from typing import Final

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.lookup.people_by_name import NameMatch, PeopleByName, names_of
from firmograph.directory.lookup.queries import ContactQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.matching import score_names
from firmograph.directory.resemblance import resemblance
from firmograph.directory.store import LookupContact

MOST_EXPLAINED: Final = 20
"""Limit of the candidates shown."""


class ExplainedPerson(msgspec.Struct, frozen=True):
    """A candidate of a look-up by name."""

    number: int
    company_id: int | None
    first_name: str
    last_name: str
    score: float
    """Score by which look-ups decide, from 0 to 1."""
    similarity: float
    """Similarity of the names where no rule joins them, else the score."""
    rule: str
    """Rule that gave the score."""
    verdict: str
    """`answered`, or the reason of the refusal."""


class PeopleExplanation(msgspec.Struct, frozen=True):
    """Course of one look-up of a person."""

    found_by: str
    """`identifier`, `name`, `other spelling`; empty if nobody was found."""
    answer: int | None
    """Number of the person answered."""
    reason: str
    """Reason of the answer, or of its absence."""
    threshold: float
    margin: float
    employers: list[int]
    """Companies at which the name was searched."""
    candidates: list[ExplainedPerson]
    """The best first, at most `MOST_EXPLAINED`."""


def explain_people(session: Session, lookup: RecordLookup, query: ContactQuery) -> PeopleExplanation:
    """Return how a look-up is answered, as `RecordLookup.contacts` answers it.

    Suppressed people are not held, so none is a candidate.
    """
    people, hit = lookup.people, lookup.contacts(session, [query])[0]
    if query.name is None or query.company is None:
        reason = "an identifier names this person" if hit.contact else "no identifier names a person"
        return _explain_identifier(people, hit.contact, reason)
    match = people.find(session, [query])[0]
    if hit.contact and (match.contact is None or match.contact.number != hit.contact.number):
        return _explain_identifier(people, hit.contact, "an identifier names this person, before the name")
    return _explain_name(people, query.name, match)


def _explain_identifier(
    people: PeopleByName, contact: LookupContact | None, reason: str
) -> PeopleExplanation:
    number = contact.number if contact else None
    return PeopleExplanation(
        "identifier" if contact else "", number, reason, people.threshold, people.margin, [], []
    )


def _explain_name(people: PeopleByName, name: tuple[str, str], match: NameMatch) -> PeopleExplanation:
    ranked = match.ranking.best[:MOST_EXPLAINED]
    candidates = [_explain_candidate(people, name, match, match.contacts[choice.number]) for choice in ranked]
    found_by = ("other spelling" if match.other_spellings else "name") if match.choice else ""
    if match.choice:
        reason = match.choice.score.rule
    elif not match.employers:
        reason = "no company is found, or too many have this name"
    elif not candidates:
        reason = "nobody at the company has a name like this"
    else:
        reason = candidates[0].verdict
    number = match.choice.number if match.choice else None
    return PeopleExplanation(
        found_by, number, reason, people.threshold, people.margin, list(match.employers), candidates
    )


def _explain_candidate(
    people: PeopleByName, name: tuple[str, str], match: NameMatch, contact: LookupContact
) -> ExplainedPerson:
    own = names_of(contact)
    score = score_names(name, own)
    if match.choice and match.choice.number == contact.number:
        verdict = "answered"
    elif score < people.threshold:
        verdict = f"the score is below the threshold of {people.threshold:g}"
    elif match.choice:
        verdict = "the name of the person answered fits better"
    else:
        verdict = f"another person is within the margin of {people.margin:g}"
    return ExplainedPerson(
        contact.number,
        contact.company_id,
        *own,
        round(float(score), 4),
        round(resemblance(name, own), 4),
        score.rule,
        verdict,
    )
