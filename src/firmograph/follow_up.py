"""What follows a charged answer, in a transaction of its own."""

from typing import NamedTuple, Protocol

from firmograph.kit.errors import FirmographError


class Followed(NamedTuple):
    """What followed an answer."""

    member: bytes
    """Member that it adds to the answer, as `"name":value`."""
    credits: int
    """Credits that it has charged, part of the price of the answer."""


class FollowUp(Protocol):
    """Work that follows a charged answer; whatever becomes of it, the answer stands.

    `endpoint` is its name, for the log.
    """

    def run(self, endpoint: str) -> Followed:
        """Do the work. It may wait for the writer of the database; an error shows in what it returns."""
        ...

    def refuse(self, endpoint: str, error: FirmographError) -> Followed:
        """Return what the answer says of work that was not done because of an error."""
        ...

    def keep(self, refused: Followed) -> Followed:
        """Keep a refusal under the key of the call; return what is kept. It may wait for the writer."""
        ...
