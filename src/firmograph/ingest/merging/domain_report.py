"""Hosts that companies with different names give as their domain, so that an operator sees which ones many share."""

from typing import Final

_MANY: Final = 5
"""As many companies of different names give a host that is reported (docs/reference/records.md#shared-hosts)."""
_MOST_NAMES: Final = 1_000
"""Remembered of one host, so that memory stays bounded."""


class HostNames:
    """The names that came with each host, where more than one did."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}

    def add(self, host: str, *names: str) -> None:
        """Note normalised names of companies that have this host."""
        if len(set(names)) > 1:
            held = self._names.setdefault(host, set())
            if len(held) < _MOST_NAMES:
                held.update(names)

    def update(self, other: "HostNames") -> None:
        for host, names in other._names.items():
            self.add(host, *names)

    def shared(self) -> dict[str, int]:
        """The hosts that many companies gave, with how many names came with each, most first."""
        many = {host: len(names) for host, names in self._names.items() if len(names) >= _MANY}
        return dict(sorted(many.items(), key=lambda pair: (-pair[1], pair[0])))
