"""Answers of the data waterfall."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing
from firmograph.directory.data_points import ContactUnit
from firmograph.directory.previews import ResponsePart, Token
from firmograph.enrichment.answers import SourcedContact


class CoveredContact(ResponsePart):
    """Contact of a job."""

    id: Token
    data_points: list[ContactUnit]


class JobAnswer(ResponsePart, kw_only=True):
    """What a call has left open, and what has become of it."""

    job_id: str
    status: Annotated[
        Literal["processing", "complete", "expired"],
        Meta(description="`expired`: open for a day; what it has found until then is shown"),
    ]
    retry_after: (
        Annotated[int, Meta(description="Seconds until the next poll; only while it is processed")]
        | UnsetType
    ) = UNSET
    covers: list[CoveredContact]
    contacts: Annotated[list[SourcedContact], Meta(description="As enrich shows them now")]
    credits_charged: Annotated[int, Meta(ge=0, description="By the job, after the answer of the call")]
    billing: Annotated[Billing, Meta(description="Of the poll, which is free")]
