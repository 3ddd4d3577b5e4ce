"""Active index: the index in service in this process, its state and its position in the change sequence."""

from collections.abc import Callable
from typing import Generic, Literal, Protocol, TypeVar

from firmograph.database.connection import Session
from firmograph.indexing import store
from firmograph.indexing.removed_records import RemovedRecords
from firmograph.kit.errors import Loading

State = Literal["loading", "rebuilding", "ready"]
"""`loading`: a checkpoint is loaded and catches up; `rebuilding`: the index is built from the records."""


class HasPosition(Protocol):
    @property
    def applied(self) -> int:
        """Position in the change sequence up to which all changes are in the index."""
        ...


P = TypeVar("P", bound=HasPosition)


class ActiveIndex(Generic[P]):
    """Replaceable reference to the index in service.

    A request reads it once and uses that index to the end.
    """

    def __init__(self) -> None:
        self._index: P | None = None
        self.state: State = "loading"
        self.head = 0
        """Last known position of the change sequence."""
        self.build_progress: tuple[int, int] | None = None
        """Records done and in total while an index is built; otherwise None."""
        self.seconds_left: float | None = None
        """Expected time until the end of that build, if it has come far enough to tell."""
        self.on_served: Callable[[], None] = lambda: None
        """Called after an index has come into service, in the thread that brought it."""

    @property
    def current(self) -> P:
        """Index in service. Raises Loading (503 with `Retry-After`) until the state is `ready`."""
        index = self._index
        if index is None:
            raise Loading(seconds_left=self.seconds_left)
        return index

    @property
    def applied(self) -> int:
        """Position up to which all changes are in the index in service; 0 without one."""
        index = self._index
        return index.applied if index else 0

    def with_removed(self, session: Session) -> tuple[P, RemovedRecords]:
        """Return the index in service, and the records deleted since it last followed.

        Takes microseconds if there are none. Raises Loading without an index in service.
        """
        index = self.current
        return index, store.removed_since(session, index.applied)

    def set_preparation(self, state: State) -> None:
        """Set the state while there is no index in service."""
        if self._index is None:
            self.state = state

    def serve(self, index: P) -> None:
        """Put an index in service; requests using the previous one finish with it."""
        self._index = index
        self.state = "ready"
        self.on_served()

    def withdraw(self) -> None:
        """Take the index out of service; requests are refused until there is another."""
        self._index = None
        self.state = "loading"
