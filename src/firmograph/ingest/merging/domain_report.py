"""Report of hosts that companies with different names have as their domain."""

from typing import Final

_MANY: Final = 5
"""Number of names from which a host is reported (docs/reference/records.md#shared-hosts)."""
_MOST_NAMES: Final = 1_000
"""Names kept per host, which bounds memory."""


class HostNames:
    """Company names by host, for hosts with more than one."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}

    def add(self, host: str, *names: str) -> None:
        """Add normalised names of companies with this host."""
        if len(set(names)) > 1:
            known = self._names.setdefault(host, set())
            if len(known) < _MOST_NAMES:
                known.update(names)

    def update(self, other: "HostNames") -> None:
        for host, names in other._names.items():
            self.add(host, *names)

    def shared(self) -> dict[str, int]:
        """Return the hosts of many companies with their numbers of names, most first."""
        many = {host: len(names) for host, names in self._names.items() if len(names) >= _MANY}
        return dict(sorted(many.items(), key=lambda pair: (-pair[1], pair[0])))
