"""Tables and keys of the providers file."""

import re
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from firmograph.kit.errors import Refused

T = TypeVar("T")

MAX_SECONDS: Final = 10.0
"""Time limit of a request, from the look-up of the name to the last byte."""
MAX_POLL_SECONDS: Final = 60.0

_Credits = Annotated[int, Meta(ge=0, le=1_000_000)]
_Rate = Annotated[float, Meta(gt=0, le=10_000)]
_Text = Annotated[str, Meta(min_length=1, max_length=4_096)]


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Prices(_Table, frozen=True):
    """Credits for a match; an absent one is the price of the account's plan."""

    emails: _Credits | None = None
    phones: _Credits | None = None


class _ProviderTable(_Table, frozen=True, kw_only=True):
    kind: str
    eu: bool = False
    prices: Prices = Prices()
    rate_per_second: _Rate | None = None


class ConnectionTable(_ProviderTable, frozen=True, kw_only=True):
    """Keys of a provider that is reached by HTTP."""

    url: _Text
    key: _Text | None = None
    insecure: bool = False
    ca_file: str = ""
    timeout_seconds: Annotated[float, Meta(gt=0, le=MAX_SECONDS)] = MAX_SECONDS


class FirmographTable(ConnectionTable, frozen=True, kw_only=True):
    """Another server of this API."""


class RequestTable(_Table, frozen=True):
    method: Literal["GET", "POST", "PUT"] | None = None
    headers: dict[str, str] = {}
    body: dict[str, Any] | str | None = None


class ResponseTable(_Table, frozen=True):
    """JMESPath of the values in an answer."""

    emails: _Text | None = None
    phones: _Text | None = None
    first_name: _Text | None = None
    last_name: _Text | None = None


class PollTable(_Table, frozen=True):
    url: _Text
    done: _Text
    every_seconds: Annotated[float, Meta(ge=0.01, le=MAX_POLL_SECONDS)] = 1.0
    at_most_seconds: Annotated[float, Meta(gt=0, le=MAX_POLL_SECONDS)] = 30.0


class HttpTable(ConnectionTable, frozen=True, kw_only=True):
    """HTTP API of any other form."""

    response: ResponseTable
    request: RequestTable = RequestTable()
    poll: PollTable | None = None


class FileTable(_ProviderTable, frozen=True, kw_only=True):
    """File of people on this machine."""

    file: _Text


ProviderTable = FirmographTable | HttpTable | FileTable
TABLES: Final[dict[str, type[FirmographTable] | type[HttpTable] | type[FileTable]]] = {
    "firmograph": FirmographTable,
    "http": HttpTable,
    "file": FileTable,
}
"""Form of a provider's table by its kind."""


def convert_table(value: Any, kind: type[T], place: str) -> T:
    """Return a table of its form. Raises Refused with the place of the key and the expected value, never the given."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        raise Refused(_explain(reason, f"{place}{path.rstrip('`')}")) from None


_NAMED: Final = re.compile(r"Object (?:contains unknown|missing required) field `(.*)`", re.DOTALL)
_EXPECTED: Final = re.compile(r"Expected `(.*)`, got `.*`")
_BOUND: Final = re.compile(r"Expected `.*` (>=|<=|>|<|of length >=|of length <=) (\S+)")
_BOUNDS: Final = {
    ">=": "at least",
    "<=": "at most",
    ">": "more than",
    "<": "less than",
    "of length >=": "a text with a length of at least",
    "of length <=": "a text with a length of at most",
}
_KINDS: Final = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "a table",
    "array": "a list",
    "null": "",
}


def _explain(reason: str, place: str) -> str:
    if named := _NAMED.fullmatch(reason):
        what = "is required" if "missing" in reason else "is no key of this table"
        return f"{place}.{named[1]}: {what}"
    if bound := _BOUND.match(reason):
        return f"{place}: must be {_BOUNDS[bound[1]]} {bound[2]}"
    if expected := _EXPECTED.fullmatch(reason):
        words = [_KINDS.get(each.strip(), each.strip()) for each in expected[1].split("|")]
        return f"{place}: must be {' or '.join(filter(None, words))}"
    return f"{place}: must be one of the words in docs/reference/providers-file.md"
