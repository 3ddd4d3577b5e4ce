"""Declaration of table endpoints: what all of them share, and their names by kind of records."""

from collections.abc import Iterable
from typing import Final

import msgspec

from firmograph.api.endpoint import Endpoint
from firmograph.kit.errors import Forbidden, NotFound
from firmograph.record_tables.types import check_plan
from firmograph.security.record_ids import Entity

TAG: Final = "Tables"

EXAMPLE_OWNER: Final = {"email": "dana@acme.example"}
"""User who acts in the examples of requests."""


def table_endpoints(entity: Entity, endpoints: Iterable[Endpoint]) -> list[Endpoint]:
    """Return endpoints of one kind of records, with what all table endpoints share.

    Each `path` follows `/v3/{type}/tables`. In `name`, `summary` and `description`, `{kind}` is `contact` or
    `company`, and `{type}` is `contacts` or `companies`.
    """
    words = {"kind": entity.singular, "type": entity.plural}
    return [
        msgspec.structs.replace(
            one,
            name=one.name.format(**words),
            path=f"/v3/{words['type']}/tables{one.path}",
            summary=one.summary.format(**words),
            description=one.description.format(**words),
            tags=[TAG],
            errors=[Forbidden, *([NotFound] if one.segments is not None else ()), *one.errors],
            error_shape="numbered",
            allow=check_plan,
        )
        for one in endpoints
    ]
