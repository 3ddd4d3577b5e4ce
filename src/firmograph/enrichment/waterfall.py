"""Data waterfall as contact enrich uses it, supplied by the package of that name (docs/waterfall.md)."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from firmograph.billing.charged_call import Charged, ChargedCall
from firmograph.caller import AccountCaller, Request
from firmograph.enrichment.shapes import ContactEnrich
from firmograph.table_rows import FoundValues


class WaterfallResults(NamedTuple):
    """Content of an answer to which other providers contribute."""

    results: Sequence[bytes]
    """Rendered result of each item, or its error."""
    numbers: Sequence[int]
    """Record of each item that has one, in order."""
    members: bytes
    """Further members of the answer, each followed by a comma."""
    is_open: bool
    """Whether providers are still asked."""
    found: Mapping[int, FoundValues]
    """Values of other providers, by record."""

    @property
    def returned(self) -> int:
        return len(self.numbers)


class WaterfallCall(Protocol):
    """Enrich of an account with providers."""

    @abstractmethod
    def ready(self) -> ChargedCall[WaterfallResults]:
        """Return the call as it is before any provider has answered."""

    @abstractmethod
    def is_open(self) -> bool:
        """Return whether asks of the call are open, by a short reading."""

    @abstractmethod
    def finish(self, charged: Charged[WaterfallResults]) -> Charged[WaterfallResults]:
        """Return the answer after the wait, with what it has cost by then.

        It keeps that under the key of the call. It may wait for the writer.
        """


@runtime_checkable
class Waterfall(Protocol):
    """Data waterfall of an installation."""

    wait_seconds: float
    """How long a call waits for its asks."""

    @abstractmethod
    def applies(self, caller: AccountCaller, body: ContactEnrich) -> bool:
        """Return whether a call asks other providers. No statement."""

    @abstractmethod
    def enrich(self, request: Request, body: ContactEnrich) -> WaterfallCall:
        """Return a call. Raises BadRequest."""
