"""Companies to reveal: their stored profiles, and the data points that an account pays for."""

from collections.abc import Collection, Mapping, Sequence

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.company_json import is_bare
from firmograph.directory.data_points import COMPANY_BASE
from firmograph.directory.result_slots import ItemErrorCode
from firmograph.directory.store import CompanyProfile
from firmograph.enrichment.record_renderer import company_tokens
from firmograph.security.record_ids import Entity


class CompanyRecords:
    """Record kind (`reveal.RecordKind`) of companies."""

    entity = Entity.COMPANY

    def load(self, session: Session, numbers: Collection[int]) -> Mapping[int, CompanyProfile]:
        return store.company_profiles(session, numbers)

    def units(self, record: CompanyProfile, reveal: frozenset[str]) -> Sequence[str]:
        base = () if is_bare(record.profile) else (COMPANY_BASE,)
        return [unit for unit in (*base, *company_tokens(record.tokens)) if unit in reveal]

    def errors(self, session: Session, numbers: Collection[int]) -> Mapping[int, ItemErrorCode]:
        return {}
