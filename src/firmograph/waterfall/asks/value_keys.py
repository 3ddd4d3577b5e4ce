"""Keys by which values of providers are found when a person asks for erasure."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from firmograph.directory.identity import Digests
from firmograph.directory.normalise.emails import bare_address
from firmograph.waterfall.types import DATA_POINT_NUMBERS

EMAILS: Final = DATA_POINT_NUMBERS["emails"]
PHONES: Final = DATA_POINT_NUMBERS["phones"]

decode_values = msgspec.json.Decoder(list[dict[str, Any]]).decode


class ValueKeys:
    """Reader of keys: of e-mail addresses those of suppressions, of numbers those of the do-not-call registry."""

    def __init__(self, digests: Digests) -> None:
        self._digests = digests

    def of_email(self, email: str) -> set[bytes]:
        """Return the keys of an address and of its mailbox."""
        bare = bare_address(email)
        keys = {self._digests.contact_email(email)}
        return keys | {self._digests.contact_mailbox(bare)} if bare is not None else keys

    def of_value(self, data_point: int, value: Mapping[str, Any]) -> set[bytes]:
        """Return the keys of one value, as its JSON has it."""
        if data_point == EMAILS:
            return self.of_email(value["email"])
        return {self._digests.phone_number(value["number"])}

    def of_contents(self, data_point: int, contents: bytes) -> set[bytes]:
        """Return the keys of all values of a data point."""
        return {key for value in decode_values(contents) for key in self.of_value(data_point, value)}
