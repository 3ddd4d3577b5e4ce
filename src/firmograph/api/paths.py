"""Table of paths: what is declared for a path, found by the path of a request.

A path without parameters wins over one with them, and a fixed segment over a parameter in its place. Slashes at the
ends and repeated ones do not count.
"""

import re
from collections.abc import Mapping
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_SLASHES: Final = re.compile("//+")


class _Segment(Generic[T]):
    """Place in the tree of the paths with parameters: what may follow the segments so far."""

    __slots__ = ("fixed", "found", "names", "parameter")

    def __init__(self) -> None:
        self.fixed: dict[str, _Segment[T]] = {}
        self.parameter: _Segment[T] | None = None
        self.found: T | None = None
        self.names: list[str] = []


class PathTable(Generic[T]):
    """Values by path; whole segments of a path in the form `{name}` are parameters."""

    def __init__(self, values: Mapping[str, T]) -> None:
        """Build the table. Raises ValueError for two paths that differ in the names of their parameters only."""
        self._fixed = {path: value for path, value in values.items() if "{" not in path}
        self._root: _Segment[T] = _Segment()
        for path, value in values.items():
            if path not in self._fixed:
                self._add(path, value)

    def _add(self, path: str, value: T) -> None:
        segment, names = self._root, []
        for text in path[1:].split("/"):
            if text.startswith("{"):
                names.append(text[1:-1])
                segment.parameter = segment.parameter or _Segment()
                segment = segment.parameter
            else:
                segment = segment.fixed.setdefault(text, _Segment())
        if segment.found is not None:
            raise ValueError(f"{path} is declared twice, with other names of its parameters")
        segment.found, segment.names = value, names

    def find(self, path: str) -> tuple[T, dict[str, str]] | None:
        """Return the value of a decoded path and its parameters; None if no path of the table fits."""
        path = _SLASHES.sub("/", path.strip("/"))
        value = self._fixed.get(f"/{path}")
        if value is not None:
            return value, {}
        segment, texts = self._root, []
        for text in path.split("/"):
            following = segment.fixed.get(text)
            if following is None and text:
                following = segment.parameter
                texts.append(text)
            if following is None:
                return None
            segment = following
        return (
            None if segment.found is None else (segment.found, dict(zip(segment.names, texts, strict=True)))
        )
