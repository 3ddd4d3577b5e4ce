"""Declaration of table endpoints: what all of them share, and their names by kind of records.

def routes(service: Rows) -> list[Endpoint]:
return [*_routes(service, Entity.CONTACT), *_routes(service, Entity.COMPANY)]

def _routes(service: Rows, entity: Entity) -> list[Endpoint]:
@table_endpoint("GET", entity, "/{table_id}/entities", name="get_{kind}_table_rows", ...)
def get_rows(call: Call[None]) -> Deferred:
...
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from firmograph.api.endpoint import B, Endpoint, EndpointFunction, Headers, endpoint
from firmograph.kit.errors import FirmographError, Forbidden, NotFound
from firmograph.record_tables.types import ENTITY_TYPES, check_plan
from firmograph.security.record_ids import Entity

TAG: Final = "Tables"

EXAMPLE_OWNER: Final = {"email": "dana@acme.example"}
"""User who acts in the examples of requests."""

_KINDS: Final = {Entity.CONTACT: "contact", Entity.COMPANY: "company"}


def table_endpoint(
    method: Literal["GET", "POST", "PATCH", "DELETE"],
    entity: Entity,
    path: str,
    *,
    name: str,
    summary: str,
    description: str,
    body: type[B] | None = None,
    query: Any = None,
    segments: Any = None,
    answer: Any,
    status: int = 200,
    charges: bool = False,
    changes: bool = False,
    errors: Sequence[type[FirmographError]] = (),
    headers: Headers = (),
    examples: Mapping[str, Any] | None = None,
) -> Callable[[EndpointFunction[B]], Endpoint]:
    """Decorate a function as the endpoint of one kind of records.

    `path` follows `/v3/{type}/tables`. In `name`, `{kind}` is `contact` or `company`; in `summary` and `description`
    `{kind}` likewise and `{type}` is `contacts` or `companies`.
    """
    words = {"kind": _KINDS[entity], "type": ENTITY_TYPES[entity]}
    found = (NotFound,) if segments is not None else ()

    def declare(function: EndpointFunction[B]) -> Endpoint:
        function.__name__ = name.format(**words)
        return endpoint(
            method,
            f"/v3/{words['type']}/tables{path}",
            body=body,
            query=query,
            segments=segments,
            answer=answer,
            status=status,
            summary=summary.format(**words),
            description=description.format(**words),
            tags=[TAG],
            charges=charges,
            changes=changes,
            errors=[Forbidden, *found, *errors],
            error_shape="numbered",
            headers=headers,
            allow=check_plan,
            examples=examples,
        )(function)

    return declare
