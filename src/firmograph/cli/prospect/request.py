"""Composition of the API request from options and a file, with the API's validation."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
import typer

from firmograph.cli.prospect.filters import (
    COMPANIES,
    CONDITIONS,
    CONTACTS,
    FILTERS,
    LOCATION_OPTIONS,
    SIGNAL,
    SIGNAL_SINCE,
    Filter,
    python_name,
)
from firmograph.cli.prospect.options import refuse_option
from firmograph.kit.body_decoder import Decoder
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.prospecting.filters.requests import CompanyProspecting, ContactProspecting

Request = TypeVar("Request", bound=msgspec.Struct)

_SIDE_OF: Final = {Entity.CONTACT: CONTACTS, Entity.COMPANY: COMPANIES}


def contact_request(
    file: str | None,
    given: Mapping[str, Any],
    *,
    exclude_dnc: bool,
    max_per_company: int | None,
    partial: bool | None,
) -> "ContactProspecting":
    """Return the request of the options for contacts; raises as `build_request` does."""
    from firmograph.prospecting.filters.requests import ContactProspecting

    options = {
        "excludeDnc": exclude_dnc or None,
        "maxContactsPerCompany": max_per_company,
        "includePartialProfiles": partial,
    }
    return build_request(ContactProspecting, Entity.CONTACT, file, given, options)


def company_request(
    file: str | None, given: Mapping[str, Any], *, partial: bool | None
) -> "CompanyProspecting":
    """Return the request of the options for companies; raises as `build_request` does."""
    from firmograph.prospecting.filters.requests import CompanyProspecting

    options = {"includePartialProfiles": partial}
    return build_request(CompanyProspecting, Entity.COMPANY, file, given, options)


Part = tuple[str, tuple[str, ...], Any]
"""An option, a path in the request, and the value there."""


def build_request(
    shape: type[Request],
    entity: Entity,
    file: str | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Request:
    """Return the request from a file, the filters by their Python names, and `options`.

    Raises BadRequest as the API does, Refused if the file cannot be read, BadParameter for an invalid option.
    """
    decoder = Decoder(shape, max_depth=load_settings().max_body_depth)
    body: dict[str, Any] = {}
    if file is not None:
        raw = _read_file(file)
        decoder.decode(raw)
        body = msgspec.json.decode(raw)
    for part in _parts(entity, given):
        _add_part(body, part)
    given_options = {name: value for name, value in options.items() if value is not None}
    if given_options:
        body["options"] = body.get("options", {}) | given_options
    decoded: Any = decoder.decode(_encode(body))
    return decoded  # type: ignore[no-any-return]


def _read_file(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}") from error


def _encode(body: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        raise typer.BadParameter("a value is not valid UTF-8") from None


def _parts(entity: Entity, given: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the request's parts from options by their Python names; other names are ignored."""
    for prefix, side in (("", "include"), ("exclude-", "exclude")):
        for filter in FILTERS[entity]:
            option = prefix + filter.option
            if values := given.get(python_name(option)):
                path = ("filters", filter.side, side, filter.name)
                yield option, path, _values(filter, option, values)
        locations = {
            option: values
            for option in LOCATION_OPTIONS
            if (values := given.get(python_name(prefix + option)))
        }
        if locations:
            path = ("filters", _SIDE_OF[entity], side, "locations")
            yield prefix + next(iter(locations)), path, _locations(locations, together=side == "include")
        signals = {
            part.name: values
            for part in (SIGNAL, SIGNAL_SINCE)
            if (values := given.get(python_name(prefix + part.option)))
        }
        if signals:
            yield prefix + SIGNAL.option, ("filters", _SIDE_OF[entity], side, "signals"), signals
    for option, (side, name, _) in CONDITIONS.items():
        if given.get(python_name(option)):
            yield option, ("filters", side, "include", name), "and"


def _locations(locations: Mapping[str, Sequence[str]], *, together: bool) -> list[dict[str, str]]:
    """Return location filters: included ones combine country, state and city; excluded ones apply separately."""
    fields = [LOCATION_OPTIONS[option][0] for option in locations]
    if together:
        return [dict(zip(fields, values, strict=True)) for values in product(*locations.values())]
    return [
        {field: value} for field, values in zip(fields, locations.values(), strict=True) for value in values
    ]


def _values(filter: Filter, option: str, given: Any) -> Any:
    try:
        return [filter.parse(value) for value in given] if filter.many else filter.parse(given)
    except ValueError as error:
        refuse_option(option, str(error))


def _add_part(body: dict[str, Any], part: Part) -> None:
    """Add a part to a request. Exits for a part that the request already has."""
    option, path, value = part
    parent = body
    for name in path[:-1]:
        parent = parent.setdefault(name, {})
    if parent.get(path[-1], []) != []:
        refuse_option(option, f"{'.'.join(path)} is also in the file; give it only once")
    parent[path[-1]] = value
