"""Explanation of a look-up of a company by name, for the operator."""

from typing import Final, NamedTuple

import msgspec

from firmograph.company_names.factory import open_names
from firmograph.directory import store
from firmograph.directory.likeness.spellings import name_form
from firmograph.directory.lookup.company_choice import choose_company, keys_of
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.store import LookupCompany
from firmograph.indexing.all_records import ReportProgress
from firmograph.installation import Installation
from firmograph.security.record_ids import Entity

MOST_CANDIDATES: Final = 10


class CompanyCandidate(NamedTuple):
    """Company that a name may mean."""

    id: str
    name: str
    """As it is held."""
    compared: str
    """Words that were compared."""
    country: str
    """ISO code in the name, else of the company; empty if unknown."""
    score: float
    refusal: str
    """Why it is not meant; empty for the answer."""


class CompanyExplanation(NamedTuple):
    """What a look-up by a company's name answers, and why."""

    name: str
    compared: str
    answer: str | None
    """Id of the company."""
    rule: str
    """Rule that decided."""
    threshold: float
    margin: float
    candidates: list[CompanyCandidate]
    """Likeliest first."""


class _Named(msgspec.Struct):
    name: str = ""


_named = msgspec.json.Decoder(_Named).decode


def explain_company(installation: Installation, name: str, report: ReportProgress) -> CompanyExplanation:
    """Return the outcome of a look-up by name with its candidates. Raises Refused if the index cannot be written."""
    settings = installation.settings
    query = installation.get(RecordLookup).queries.named_company(name)
    threshold, margin = settings.company_match_threshold, settings.company_match_margin
    compared = name_form(name).text
    with installation.database.read() as session:
        by_key = store.companies_by_key(session, set(keys_of(query)))
    if any(by_key.values()):
        chosen = choose_company(query, {}, by_key)
        held = {one.number: one for companies in by_key.values() for one in companies}
        candidates = [
            _by_key(
                installation,
                one,
                is_answer=one is chosen or (chosen is not None and one.number == chosen.number),
            )
            for one in list(held.values())[:MOST_CANDIDATES]
        ]
        rule = "equal key" if chosen else "several companies have the key"
        answer = installation.record_ids.seal(Entity.COMPANY, chosen.number) if chosen else None
        return CompanyExplanation(name, compared, answer, rule, threshold, margin, candidates)
    if not settings.company_likeness:
        rule = "no company has the key, and company_likeness is off"
        return CompanyExplanation(name, compared, None, rule, threshold, margin, [])
    alike = open_names(installation.database, settings.search_folder, report).find(name, threshold, margin)
    shown = alike.candidates[:MOST_CANDIDATES]
    with installation.database.read() as session:
        companies = store.companies_by_number(session, [each.name.number for each in shown])
    candidates = [
        CompanyCandidate(
            installation.record_ids.seal(Entity.COMPANY, each.name.number),
            _named(companies[each.name.number].preview).name,
            each.name.form.text,
            each.name.country,
            each.score,
            each.refusal,
        )
        for each in shown
        if each.name.number in companies
    ]
    rule = "no company has a name that is alike enough" if alike.answer is None else "likeness of names"
    sealed = None if alike.answer is None else installation.record_ids.seal(Entity.COMPANY, alike.answer)
    return CompanyExplanation(name, compared, sealed, rule, threshold, margin, candidates)


def _by_key(installation: Installation, company: LookupCompany, *, is_answer: bool) -> CompanyCandidate:
    refusal = "" if is_answer else "another company has the key too"
    name = _named(company.preview).name
    id_ = installation.record_ids.seal(Entity.COMPANY, company.number)
    return CompanyCandidate(id_, name, name_form(name).text, "", 1.0, refusal)
