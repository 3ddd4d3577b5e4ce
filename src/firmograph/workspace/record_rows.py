"""Previews of records as rows of a page. Their texts are untrusted; templates escape them."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.security.record_ids import Entity

COLUMNS: Final[Mapping[Entity, tuple[str, ...]]] = {
    Entity.CONTACT: ("Title", "Company", "Location"),
    Entity.COMPANY: ("Domain", "Industry", "Location"),
}


class DataPoint(NamedTuple):
    """Data point that can be revealed."""

    field: str
    credits: int
    """0 if the account has paid it."""


class RecordRow(NamedTuple):
    """Record in a list."""

    id: str
    name: str
    linkedin: str
    cells: tuple[str, ...]
    """Texts of the columns."""
    company_id: str
    """Company of a contact; empty for none."""
    reveals: list[DataPoint]
    signal_types: list[str]

    @property
    def credits(self) -> int:
        """Price of everything."""
        return sum(one.credits for one in self.reveals)


def read_row(entity: Entity, preview: bytes) -> RecordRow:
    """Return the row of a preview whose data points have prices."""
    record = msgspec.json.decode(preview)
    company = record.get("company", {})
    title = record.get("jobTitle", {}).get("title", "")
    texts = (
        (title, company.get("name", ""))
        if entity is Entity.CONTACT
        else (record.get("domain", ""), record.get("industry", ""))
    )
    return RecordRow(
        record["id"],
        name_of(record),
        record.get("socialLinks", {}).get("linkedin", ""),
        (*texts, _place(record.get("location", {}))),
        company.get("id", ""),
        [DataPoint(one["field"], one["credits"]) for one in record["canReveal"]],
        record.get("signalTypes", []),
    )


def name_of(record: Mapping[str, Any]) -> str:
    """Return the name of a contact or company as JSON has it."""
    parts = (record.get("firstName"), record.get("lastName"))
    return record.get("name") or " ".join(filter(None, parts)) or "Without a name"


def _place(location: Mapping[str, Any]) -> str:
    return ", ".join(location[name] for name in ("city", "state", "country") if location.get(name))
