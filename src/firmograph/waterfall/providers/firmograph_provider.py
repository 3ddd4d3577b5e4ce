"""Provider that is another server of this API.

It is asked by search-and-enrich, which never asks providers itself: so two servers can be each other's provider.
"""

from typing import Any, Final

import msgspec
from yarl import URL

from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.waterfall.providers.exchange import Answer, Exchange
from firmograph.waterfall.providers.file_shapes import FirmographTable
from firmograph.waterfall.providers.provider import ProviderTraits, found_values
from firmograph.waterfall.providers.secret import ProviderSecret
from firmograph.waterfall.providers.templates import check_base
from firmograph.waterfall.providers.types import DataPoint, Found, Miss, Person, Trouble

_PATH: Final = "/v3/contacts/search-and-enrich"
_ITEM_ENDS: Final[dict[str, Miss | Trouble]] = {
    "NOT_FOUND": Miss("not found"),
    "COMPLIANCE_RESTRICTED": Miss("restricted"),
}
_OTHER_FORM: Final = Trouble("answer of another form")


class _Email(msgspec.Struct):
    email: str


class _Phone(msgspec.Struct, rename="camel"):
    number: str
    do_not_call: bool = False


class _Error(msgspec.Struct):
    code: str


class _Result(msgspec.Struct, rename="camel"):
    error: _Error | None = None
    first_name: str | None = None
    last_name: str | None = None
    emails: list[_Email] = []
    phones: list[_Phone] = []


class _Answer(msgspec.Struct):
    results: list[_Result]


_decode = msgspec.json.Decoder(_Answer).decode
_encode = msgspec.json.Encoder().encode


class FirmographProvider(ProviderTraits):
    def __init__(
        self, name: str, table: FirmographTable, secret: ProviderSecret | None, clock: Clock, place: str
    ) -> None:
        """Create a provider. Raises Refused for a URL that cannot be called, or a missing key."""
        super().__init__(name, table)
        check_base(table.url, f"{place}.url", insecure=table.insecure)
        if "?" in table.url:
            raise Refused(f"{place}.url: must be the address of the server, without a query")
        if secret is None:
            raise Refused(f"{place}.key: is required: env:NAME or file:PATH of an API key of that server")
        self._secret = secret
        self._url = URL(f"{table.url.rstrip('/')}{_PATH}", encoded=True)
        self._exchange = Exchange(name, table, clock, place)

    def can_ask(self, person: Person, data_point: DataPoint) -> bool:
        named = person.first_name and (person.company or person.domain)
        return bool(person.email or person.linkedin_url or named)

    async def ask(self, person: Person, data_point: DataPoint, key: str) -> Found | Miss | Trouble:
        headers = {
            "api_key": self._secret.reveal(),
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        body = _encode({"contacts": [_item(person)], "reveal": [data_point]})
        answer = await self._exchange.send("POST", self._url, headers, body)
        if isinstance(answer, Answer):
            return _read(answer.body, data_point)
        # the call itself is never missing at a server of this API
        return Trouble("request refused") if answer == Miss("not found") else answer

    async def close(self) -> None:
        await self._exchange.close()


def _item(person: Person) -> dict[str, Any]:
    """Return the contact as the API takes it: without a part that identifies nobody."""
    named = person.first_name and (person.company or person.domain)
    item = {
        "email": person.email,
        "linkedinUrl": person.linkedin_url,
        "firstName": person.first_name if named else None,
        "lastName": person.last_name if named else None,
        "companyName": person.company if named else None,
        "companyDomain": person.domain if named else None,
    }
    return {name: value for name, value in item.items() if value}


def _read(body: bytes, data_point: DataPoint) -> Found | Miss | Trouble:
    try:
        (result,) = _decode(body).results
    except (ValueError, RecursionError):
        return _OTHER_FORM
    if result.error is not None:
        return _ITEM_ENDS.get(result.error.code, Trouble("failed there"))
    # a number that is not to be called has no mark here that callers would see
    values = (
        [one.email for one in result.emails]
        if data_point == "emails"
        else [one.number for one in result.phones if not one.do_not_call]
    )
    return found_values(data_point, values, result.first_name, result.last_name)
