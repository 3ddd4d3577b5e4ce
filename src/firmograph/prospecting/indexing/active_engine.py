"""The index that answers searches now: which engine, and how far it has followed the change sequence."""

import threading
from collections.abc import Callable
from typing import Literal

from firmograph.kit.errors import Loading
from firmograph.prospecting.engines.port import SearchEngine

State = Literal["loading", "rebuilding", "ready"]
"""`loading`: a checkpoint is read, or caught up with; `rebuilding`: the index is made from the records."""


class Index:
    """The one reference through which an engine is reached, so that another can take its place.

    Whoever answers a request takes `current` once and works on that engine to the end.
    """

    def __init__(self) -> None:
        self._engine: SearchEngine | None = None
        self._moved = threading.Condition()
        self.changing = threading.Lock()
        """Held while changes are applied to an engine in service, and while deleted people are removed ahead of the
        sequence: what was read of them before must not come after."""
        self.state: State = "loading"
        self.head = 0
        """The last place of the change sequence, as last looked at."""
        self.making: tuple[int, int] | None = None
        """How many records of the index that is being made are in, and of how many; None while none is made."""
        self.served: Callable[[], None] = lambda: None
        """Called after an engine has come into service, by the thread that brought it."""

    @property
    def current(self) -> SearchEngine:
        """The engine to ask. Raises Loading (503 with `Retry-After`) until the state is `ready` (decisions E)."""
        engine = self._engine
        if engine is None:
            raise Loading
        return engine

    @property
    def applied(self) -> int:
        """The place up to which every change can be found; 0 while there is no engine."""
        engine = self._engine
        return engine.applied if engine else 0

    def serve(self, engine: SearchEngine) -> None:
        """From now on this engine answers; requests that hold the one before finish with it."""
        with self._moved:
            self._engine = engine
            self.state = "ready"
            self._moved.notify_all()
        self.served()

    def withdraw(self) -> None:
        """From now on nothing answers, until there is another engine."""
        with self._moved:
            self._engine = None
            self.state = "loading"
            self._moved.notify_all()

    def moved(self) -> None:
        """Tell those who wait that more was applied."""
        with self._moved:
            self._moved.notify_all()

    def wait_until(self, sequence: int, timeout: float) -> bool:
        """Wait until the engine in service has applied this place; whether it has within so many seconds."""
        with self._moved:
            return self._moved.wait_for(
                lambda: self._engine is not None and self.applied >= sequence, timeout
            )
