"""Lookalikes of the current generation, and of its earlier paths (docs/reference/lookalikes.md)."""

from typing import NamedTuple

from firmograph.billing.charged_call import Charged
from firmograph.caller import Request
from firmograph.lookalikes.answers import ResultReader
from firmograph.lookalikes.seeds import SeedReaders, read_exclusions, read_seeds
from firmograph.lookalikes.service import Kind, LookalikeQuery, LookalikeResults, Lookalikes
from firmograph.lookalikes.shapes import CompanyLookalikes, ContactLookalikes
from firmograph.security.record_ids import Entity


class Kinds(NamedTuple):
    """Kind of each path."""

    contacts: Kind
    companies: Kind
    earlier_contacts: Kind
    earlier_companies: Kind


def make_kinds(seeds: SeedReaders, results: ResultReader) -> Kinds:
    contacts = Kind(Entity.CONTACT, "lookalikeContact", seeds.contacts, results.contacts)
    companies = Kind(Entity.COMPANY, "lookalikeCompany", seeds.companies, results.companies)
    return Kinds(contacts, companies, contacts, companies._replace(results=results.earlier_companies))


class CurrentLookalikes:
    """The calls by seeds of any kind."""

    def __init__(self, lookalikes: Lookalikes, kinds: Kinds) -> None:
        self._lookalikes = lookalikes
        self.kinds = kinds

    def find(
        self, request: Request, body: ContactLookalikes | CompanyLookalikes, kind: Kind
    ) -> Charged[LookalikeResults]:
        query = LookalikeQuery(
            read_seeds(kind.reader, body.seeds),
            read_exclusions(kind.reader, body.exclude),
            body.dedupe_session_id or None,
            body.limit,
        )
        return self._lookalikes.find(request, kind, query)
