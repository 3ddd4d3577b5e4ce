"""The interface of engines in the bench."""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from bench.shapes import Shape

Answer = tuple[int, list[int]]
"""The exact total, and the ids of the first page in order."""
Search = Callable[[], Answer]


class Engine(ABC):
    """An engine, built once into a folder that later runs of the same size use again."""

    name: str
    version = 1
    """Increased when it is built in another way."""

    def __init__(self, extract: Path, folder: Path) -> None:
        """Take the rows (`bench.extract`) from `extract`; keep the engine's files in `folder`."""
        name = f"{type(self).__name__.lower()}-{self.version}-of-{extract.name}"
        for older in folder.glob(f"{type(self).__name__.lower()}-*"):
            if older.name != name:
                shutil.rmtree(older)
        self.folder = folder / name
        if not (self.folder / "whole").exists():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.build(extract)
            (self.folder / "whole").touch()

    @abstractmethod
    def build(self, extract: Path) -> None:
        """Load the rows and make the indexes."""

    @abstractmethod
    def open(self) -> None:
        """Get ready to search."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def prepare(self, shape: Shape) -> Search:
        """Return a search for this shape with all preparations done."""

    @abstractmethod
    def release(self) -> str:
        """Return its version, once it is open."""

    def bytes(self) -> int:
        """Return its size on disk."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
