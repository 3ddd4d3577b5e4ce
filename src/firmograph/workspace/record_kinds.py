"""What differs between the pages of contacts and of companies."""

import shlex
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.kit.body_decoder import Decoder
from firmograph.kit.errors import NotFound
from firmograph.prospecting.filters.requests import CompanyProspecting, ContactProspecting
from firmograph.security.record_ids import Entity
from firmograph.workspace import AT
from firmograph.workspace.filter_form import FormField, form_of
from firmograph.workspace.visit import Visit

_SHOWN: Final = ("filters", "options", "pagination")
"""Properties of a search in its form; the others say the same once more."""


class RecordPages(NamedTuple):
    """Pages of one kind of records."""

    entity: Entity
    search: type[ContactProspecting | CompanyProspecting]
    """Body of a search."""

    @property
    def name(self) -> str:
        """Name in paths, as in those of the API."""
        return self.entity.plural

    @property
    def form(self) -> FormField:
        """Form of a search, the side of the records themselves first."""
        whole = form_of(self.search)
        return whole._replace(fields=[one for one in whole.fields if one.name in _SHOWN])

    @property
    def search_path(self) -> str:
        return f"{AT}/search/{self.name}"


PAGES: Final[Mapping[str, RecordPages]] = {
    one.name: one
    for one in (
        RecordPages(Entity.CONTACT, ContactProspecting),
        RecordPages(Entity.COMPANY, CompanyProspecting),
    )
}


def pages_of(visit: Visit) -> RecordPages:
    """Return the kind that a path names. Raises NotFound."""
    try:
        return PAGES[visit.parameters["kind"]]
    except KeyError:
        raise NotFound("There is no such page") from None


def decode(visit: Visit, kind: type[Any], body: Mapping[str, Any]) -> Any:
    """Return the body of a call as the API decodes it. Raises BadRequest with the path of each problem."""
    depth = visit.installation.settings.max_body_depth
    return Decoder(kind, max_depth=depth).decode(msgspec.json.encode(body))


def curl(visit: Visit, path: str, body: Mapping[str, Any]) -> str:
    """Return the command that sends the same call to the API."""
    address = f"{visit.installation.settings.public_url}{path}"
    sent = shlex.quote(msgspec.json.encode(body).decode())
    return f'curl -s {address} -H "api_key: $KEY" -H "content-type: application/json" -d {sent}'
