"""Endpoint of jobs."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.api.envelope import Billing
from firmograph.directory.data_points import ContactUnit
from firmograph.directory.previews import ResponsePart, Token
from firmograph.enrichment.answers import SourcedContact
from firmograph.kit.errors import NotFound
from firmograph.waterfall.jobs import Jobs, ShownJob
from firmograph.waterfall.rendering import RETRY_SECONDS


class JobPath(msgspec.Struct, forbid_unknown_fields=True):
    job_id: Annotated[str, Meta(description="Id of a job, from the answer of a contact enrich.")]


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


def routes(jobs: Jobs) -> list[Endpoint]:
    def get_contacts_enrich_job(call: Call[None]) -> Deferred:
        return Deferred(lambda: _render(jobs.show(call.request, call.segments.job_id)), writes=False)

    return [
        Endpoint(
            name="get_contacts_enrich_job",
            method="GET",
            path="/v3/contacts/jobs/{job_id}",
            function=get_contacts_enrich_job,
            segments=JobPath,
            answer=JobAnswer,
            tags=["Contacts"],
            summary="Poll the job of a contact enrich",
            description="What other providers are still asked for after the answer of a contact enrich with `job`, and"
            " what they have found. Free. A job is open for a day at most, and kept for a day after its end. 404 for"
            " every other id, also that of another account's job.",
            errors=(NotFound,),
        )
    ]


def _render(job: ShownJob) -> bytes:
    shown: dict[str, Any] = {"jobId": job.token, "status": job.status}
    if job.status == "processing":
        shown["retryAfter"] = RETRY_SECONDS
    shown["covers"] = [{"id": one.token, "dataPoints": one.data_points} for one in job.covers]
    shown["contacts"] = [msgspec.Raw(each) for each in job.contacts]
    shown["creditsCharged"] = job.credits
    shown["billing"] = {"creditsCharged": 0, "resultsReturned": len(job.contacts)}
    return msgspec.json.encode(shown)
