"""Lookalikes of the current generation, and of its earlier paths (docs/reference/lookalikes.md)."""

from typing import Any, NamedTuple

from firmograph.api.endpoint import Call, Deferred
from firmograph.api.envelope import render_answer
from firmograph.api.table_rows import requested_rows
from firmograph.kit.whole_numbers import encode
from firmograph.lookalikes.answers import LookalikeMeta, ResultReader
from firmograph.lookalikes.seeds import SeedReader, read_exclusions, read_seeds
from firmograph.lookalikes.service import Kind, LookalikeRequest, LookalikeResults, Lookalikes
from firmograph.security.record_ids import Entity


class Kinds(NamedTuple):
    """Kind of each path."""

    contacts: Kind
    companies: Kind
    earlier_contacts: Kind
    earlier_companies: Kind


def make_kinds(contact_seeds: SeedReader, company_seeds: SeedReader, results: ResultReader) -> Kinds:
    contacts = Kind(Entity.CONTACT, "lookalikeContact", contact_seeds, results.contacts, render_lookalikes)
    companies = Kind(Entity.COMPANY, "lookalikeCompany", company_seeds, results.companies, render_lookalikes)
    return Kinds(
        contacts,
        companies,
        contacts._replace(render=render_earlier),
        companies._replace(results=results.earlier_companies, render=render_earlier),
    )


class CurrentLookalikes:
    """The calls by seeds of any kind."""

    def __init__(self, lookalikes: Lookalikes) -> None:
        self._lookalikes = lookalikes

    def answer(self, call: Call[Any], kind: Kind) -> Deferred:
        return self._lookalikes.answer(call, kind, lambda: _read(call, kind))


def _read(call: Call[Any], kind: Kind) -> LookalikeRequest:
    body = call.body
    return LookalikeRequest(
        read_seeds(kind.reader, body.seeds),
        read_exclusions(kind.reader, body.exclude),
        body.dedupe_session_id or None,
        body.limit,
        requested_rows(call, kind.entity),
    )


def render_lookalikes(
    content: LookalikeResults, request_id: str, credits: int, members: bytes = b""
) -> bytes:
    """Render the answer; `members` are further ones, each followed by a comma."""
    returned = len(content.results)
    meta = LookalikeMeta(*content.seeds, returned, content.has_more)
    own = b'"dedupeSessionId":%s,"meta":%s,' % (encode(content.session_id), encode(meta))
    results = list(map(encode, content.results.values()))
    return render_answer(request_id, results, credits, returned, own + members)


def render_earlier(content: LookalikeResults, request_id: str, credits: int) -> bytes:
    """Render the answer with `creditsCharged` at top level as well."""
    return render_lookalikes(content, request_id, credits, b'"creditsCharged":%d,' % credits)
