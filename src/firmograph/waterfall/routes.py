"""Endpoint of jobs."""

from typing import Any

import msgspec

from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.kit.errors import NotFound
from firmograph.waterfall.answers import JobAnswer
from firmograph.waterfall.jobs import Jobs, ShownJob
from firmograph.waterfall.rendering import RETRY_SECONDS
from firmograph.waterfall.shapes import JobPath


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
