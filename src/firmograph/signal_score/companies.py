"""Scores of companies, each requested by exactly one identifier."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import UNSET

from firmograph.database.connection import Session
from firmograph.directory.lookup.identifiers import EMAIL, ValuePath, describe_problem, raise_problem
from firmograph.directory.lookup.queries import CompanyQuery, QueryReader
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import ItemErrorCode as Code
from firmograph.directory.store import LookupCompany
from firmograph.directory.stored_views import view_company
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signal_score.record_scores import PRICE_KEYS, score_companies
from firmograph.signal_score.rules import Score
from firmograph.signal_score.service import ResolvedItem
from firmograph.signal_score.shapes import (
    CompanyScores,
    ScoreCompanyItem,
    ScoredCompany,
    UnscoredCompany,
    error_detail,
)

_IDENTIFIERS = ("id", "domain", "name", "email")


class CompanyScoring:
    entity = Entity.COMPANY
    price_key = PRICE_KEYS[Entity.COMPANY]

    def __init__(self, lookup: RecordLookup, tokens: RecordIds) -> None:
        self._lookup = lookup
        self._tokens = tokens

    def items(self, body: CompanyScores) -> Sequence[ScoreCompanyItem]:
        return body.companies

    def find(self, session: Session, items: Sequence[ScoreCompanyItem]) -> list[ResolvedItem]:
        reader = self._lookup.queries
        for index, item in enumerate(items):
            _check_identifiers(item, ("companies", index))
        queries = [_query(reader, item, ("companies", index)) for index, item in enumerate(items)]
        found = self._lookup.companies(session, queries)
        return [ResolvedItem(one.number if one else None, one, None if one else "NOT_FOUND") for one in found]

    def scores(
        self,
        session: Session,
        found: Iterable[ResolvedItem],
        newest: Mapping[int, Mapping[str, str]],
        since: str,
    ) -> dict[int, Score | None]:
        numbers = {one.number for one in found if one.number is not None}
        return score_companies(session, numbers, newest, since)

    def result(self, item: ScoreCompanyItem, found: ResolvedItem, score: Score) -> ScoredCompany:
        company: LookupCompany = found.record
        preview = view_company(company.preview)
        return ScoredCompany(
            id=self._tokens.seal(self.entity, company.number),
            name=preview.name,
            domain=preview.domain,
            signal_score=score.value,
            signal_types=score.types,
            no_active_signals=not score.types,
            client_reference_id=item.client_reference_id,
        )

    def error_result(self, item: ScoreCompanyItem, code: Code) -> UnscoredCompany:
        return UnscoredCompany(
            client_reference_id=item.client_reference_id,
            id=item.id,
            domain=item.domain if item.email is UNSET else _domain_of(item.email),
            name=item.name,
            error=error_detail(self.entity, code),
        )


def _check_identifiers(item: ScoreCompanyItem, path: ValuePath) -> None:
    """Raise BadRequest unless the item has exactly one identifier, and for an incomplete e-mail address."""
    given = [name for name in _IDENTIFIERS if getattr(item, name) is not UNSET]
    if len(given) != 1:
        raise_problem(describe_problem(f"must have exactly one of {', '.join(_IDENTIFIERS)}", path))
    if item.email is not UNSET:
        EMAIL.parse(item.email, (*path, "email"))


def _query(reader: QueryReader, item: ScoreCompanyItem, path: ValuePath) -> CompanyQuery:
    domain = item.domain if item.email is UNSET else _domain_of(item.email)
    return reader.company(path, id=item.id, domain=domain, name=item.name)


def _domain_of(email: str) -> str:
    return email.strip().rpartition("@")[2].lower()
