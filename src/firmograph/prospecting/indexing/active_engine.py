"""Search index of this process: the engine in service, its state and its position in the change sequence."""

import threading
from collections.abc import Callable
from typing import Literal

from firmograph.kit.errors import Loading
from firmograph.prospecting.engines.port import SearchEngine

State = Literal["loading", "rebuilding", "ready"]
"""`loading`: a checkpoint is loaded and catches up; `rebuilding`: the index is built from the records."""


class SearchIndex:
    """Replaceable reference to the engine in service.

    A request reads `current` once and uses that engine to the end.
    """

    def __init__(self) -> None:
        self._engine: SearchEngine | None = None
        self.change_lock = threading.Lock()
        """Held while changes are applied to an engine in service, and while deleted people are removed ahead of the
        sequence: changes read before the deletion must not be applied after it."""
        self.state: State = "loading"
        self.head = 0
        """Last known position of the change sequence."""
        self.build_progress: tuple[int, int] | None = None
        """Records done and in total while an index is built; otherwise None."""
        self.on_served: Callable[[], None] = lambda: None
        """Called after an engine has come into service, in the thread that brought it."""

    @property
    def current(self) -> SearchEngine:
        """Engine in service. Raises Loading (503 with `Retry-After`) until the state is `ready`."""
        engine = self._engine
        if engine is None:
            raise Loading
        return engine

    @property
    def applied(self) -> int:
        """Position up to which all changes are searchable; 0 without an engine."""
        engine = self._engine
        return engine.applied if engine else 0

    def serve(self, engine: SearchEngine) -> None:
        """Put an engine in service; requests using the previous one finish with it."""
        self._engine = engine
        self.state = "ready"
        self.on_served()

    def withdraw(self) -> None:
        """Take the engine out of service; searches are refused until there is another."""
        self._engine = None
        self.state = "loading"
