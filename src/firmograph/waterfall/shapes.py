"""Requests of the data waterfall."""

from typing import Annotated

import msgspec
from msgspec import Meta


class JobPath(msgspec.Struct, forbid_unknown_fields=True):
    job_id: Annotated[str, Meta(description="Id of a job, from the answer of a contact enrich.")]
