"""The request of the API that the options of `firmograph prospect` and a file stand for, checked as strictly."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import typer

from firmograph.api.body_decoder import Decoder
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
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from firmograph.settings import load_settings

Request = TypeVar("Request", bound=msgspec.Struct)

_SIDE_OF: Final = {Entity.CONTACT: CONTACTS, Entity.COMPANY: COMPANIES}


Part = tuple[str, tuple[str, ...], Any]
"""An option that was given, and what it puts where in the request."""


def request(
    shape: type[Request],
    entity: Entity,
    file: str | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Request:
    """What a file, the filters by their Python names, and the parts of `options` make together.

    Raises BadRequest as the API does, Refused when the file cannot be read, BadParameter when an option is wrong
    in itself.
    """
    decoder = Decoder(shape, max_depth=load_settings().max_body_depth)
    body: dict[str, Any] = {}
    if file is not None:
        raw = _contents(file)
        decoder.decode(raw)
        body = msgspec.json.decode(raw)
    for part in _parts(entity, given):
        _put(body, part)
    said = {name: value for name, value in options.items() if value is not None}
    if said:
        body["options"] = body.get("options", {}) | said
    decoded: Any = decoder.decode(_encoded(body))
    return decoded  # type: ignore[no-any-return]


def _contents(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}") from error


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        raise typer.BadParameter("a value is not valid UTF-8") from None


def _parts(entity: Entity, given: Mapping[str, Any]) -> Iterator[Part]:
    """The request's parts that options stand for, by their Python names; the others are left alone."""
    for prefix, side in (("", "include"), ("exclude-", "exclude")):
        for filter in FILTERS[entity]:
            option = prefix + filter.option
            if values := given.get(python_name(option)):
                path = ("filters", filter.side, side, filter.name)
                yield option, path, _values(filter, option, values)
        places = {
            option: values
            for option in LOCATION_OPTIONS
            if (values := given.get(python_name(prefix + option)))
        }
        if places:
            path = ("filters", _SIDE_OF[entity], side, "locations")
            yield prefix + next(iter(places)), path, _locations(places, together=side == "include")
        signals = {
            part.name: values
            for part in (SIGNAL, SIGNAL_SINCE)
            if (values := given.get(python_name(prefix + part.option)))
        }
        if signals:
            yield prefix + SIGNAL.option, ("filters", _SIDE_OF[entity], side, "signals"), signals
    for option, (whom, name, _) in CONDITIONS.items():
        if given.get(python_name(option)):
            yield option, ("filters", whom, "include", name), "and"


def _locations(places: Mapping[str, Sequence[str]], *, together: bool) -> list[dict[str, str]]:
    """Included: any city in any state in any country. Excluded: whatever is in any of them."""
    fields = [LOCATION_OPTIONS[option][0] for option in places]
    if together:
        return [dict(zip(fields, values, strict=True)) for values in product(*places.values())]
    return [{field: value} for field, values in zip(fields, places.values(), strict=True) for value in values]


def _values(filter: Filter, option: str, given: Any) -> Any:
    try:
        return [filter.read(value) for value in given] if filter.many else filter.read(given)
    except ValueError as error:
        refuse_option(option, str(error))


def _put(body: dict[str, Any], part: Part) -> None:
    """Adds a part to a request. What the request says already may not be said again."""
    option, path, value = part
    inside = body
    for name in path[:-1]:
        inside = inside.setdefault(name, {})
    if inside.get(path[-1], []) != []:
        refuse_option(option, f"{'.'.join(path)} stands in the file too; give it in one place")
    inside[path[-1]] = value
