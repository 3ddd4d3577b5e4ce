"""Exported records as JSON in the form that imports read, with all values."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from firmograph.directory.records import Company, CompanyRef, Contact, PastJob
from firmograph.ingest.merging.origins import Origins
from firmograph.kit.whole_numbers import encode
from firmograph.record_export.service import ExportedRecord


class _Head(msgspec.Struct, omit_defaults=True):
    id: str
    deleted: bool = False


class _Tail(msgspec.Struct, omit_defaults=True, rename="camel"):
    """Members behind the fields of a record."""

    company: Mapping[str, Any] | None = None
    partial_profile: bool = False
    """Whether a company is known only from other records."""
    sources: Mapping[str, Mapping[str, str]] | None = None


def json_line(exported: ExportedRecord) -> bytes:
    """Return a record as one JSON object; of a deleted one only its id."""
    record = exported.record
    if record is None:
        return encode(_Head(exported.id, deleted=True))
    tail = _Tail(sources=None if exported.origins is None else _sources(exported.origins))
    if isinstance(record, Contact):
        if record.company is not None:
            tail.company = _employer(record.company, exported.employer_id)
        fields = encode(replace(record, company=None, previous_employment=_jobs(record.previous_employment)))
    else:
        tail.partial_profile = record.stub
        fields = encode(_without_tokens(record))
    parts = (encode(_Head(exported.id)), fields, encode(tail))
    return b"{%b}" % b",".join(part[1:-1] for part in parts if part != b"{}")


def _employer(company: CompanyRef, id: str) -> Mapping[str, Any]:
    named: dict[str, Any] = msgspec.to_builtins(_plain(company))
    return {"id": id} | named if id else named


def _sources(origins: Origins) -> Mapping[str, Mapping[str, str]]:
    return {path: {"source": origin.source, "day": origin.day} for path, origin in origins.items()}


def _jobs(jobs: Sequence[PastJob]) -> list[PastJob]:
    return [replace(job, company=_plain(job.company)) for job in jobs]


def _without_tokens(record: Company) -> Company:
    """Return a company whose references to others lack ids of other installations, and those that are only ids."""
    return replace(
        record,
        stub=False,
        competitors=_references(record.competitors),
        parents=_references(record.parents),
        direct_parent=next(iter(_references([record.direct_parent])), None),
        ultimate_parent=next(iter(_references([record.ultimate_parent])), None),
    )


def _references(companies: Sequence[CompanyRef | None]) -> list[CompanyRef]:
    return [plain for each in companies if each is not None and (plain := _plain(each)) != CompanyRef()]


def _plain(company: CompanyRef) -> CompanyRef:
    if company.id is None and company.token is None:
        return company
    return replace(company, id=None, token=None)
