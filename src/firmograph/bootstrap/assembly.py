"""Assembly of an installation with all packages."""

from typing import TYPE_CHECKING

from firmograph.bootstrap.packages import registrations
from firmograph.installation import Installation
from firmograph.kit.clock import Clock, SystemClock
from firmograph.settings import Settings

if TYPE_CHECKING:
    from firmograph.database.connection import Database
    from firmograph.security.keyring import Keyring


def make_installation(
    settings: Settings,
    database: "Database",
    keyring: "Keyring | None" = None,
    clock: Clock | None = None,
    *,
    counter_file: str | None = None,
) -> Installation:
    """Return the installation of a prepared database.

    Without a keyring, that of the database is loaded, or created, at its first use (`keyring.py`). `counter_file` has
    the counters that the workers of one `serve` share (`rate_limits/shared_memory.py`).
    """

    def load_keyring() -> "Keyring":
        from firmograph.bootstrap.keyring import ensure_keyring

        return keyring or ensure_keyring(settings, database)

    return Installation(
        settings,
        database,
        load_keyring,
        clock or SystemClock(),
        registrations(),
        counter_file=counter_file,
    )
