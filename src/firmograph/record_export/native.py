"""Exported records as JSON in the form that imports read, with all values."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from firmograph.directory.records import Company, CompanyRef, Contact, PastJob
from firmograph.ingest.merging.origins import Origins, ValueOrigin, find_origin
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


class RecordValue(NamedTuple):
    path: str
    """Names of the fields and indexes of lists, joined by dots."""
    value: Any
    """Text, number or truth value, or a list of those."""
    origin: ValueOrigin | None
    """None for what no row states."""


def record_values(exported: ExportedRecord) -> Iterator[RecordValue]:
    """Yield the values of a record one by one; those of a plain list together as far as their origin is the same."""
    fields = msgspec.json.decode(json_line(exported._replace(origins=None)))
    del fields["id"]
    yield from _values("", fields, exported.origins or {})


def _values(path: str, value: Any, origins: Origins) -> Iterator[RecordValue]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _values(f"{path}.{name}".lstrip("."), inner, origins)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for index, item in enumerate(value):
            yield from _values(f"{path}.{index}", item, origins)
    elif isinstance(value, list):
        found = [(find_origin(origins, f"{path}.{index}"), item) for index, item in enumerate(value)]
        for origin, items in groupby(found, key=lambda one: one[0]):
            yield RecordValue(path, [item for _, item in items], origin)
    else:
        yield RecordValue(path, value, find_origin(origins, path))
