"""What the bench asks of an engine."""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from bench.shapes import Shape

Answer = tuple[int, list[int]]
"""The exact total, and the ids of the first page in order."""
Search = Callable[[], Answer]


class Engine(ABC):
    """Built once into a folder of its own, which later runs of the same size use again."""

    name: str
    version = 1
    """Goes up when it is built in another way."""

    def __init__(self, extract: Path, folder: Path) -> None:
        """`extract` holds the rows (`bench.extract`); `folder` is where engines keep what they build."""
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
        """Be ready to search."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def prepare(self, shape: Shape) -> Search:
        """A search for this shape, all that can be done before it is asked done."""

    @abstractmethod
    def release(self) -> str:
        """Its version, once it is open."""

    def bytes(self) -> int:
        """What it keeps on disk."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
