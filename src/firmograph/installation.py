"""Installation with the services built from it, and the registration of a package.

A package adds itself to an installation by `REGISTRATION` in its `registration.py`; `bootstrap/packages.py` lists the
packages. A registration is light: it names the wiring modules of the package, which import what they build and are
loaded at their first use, so that a command loads only what it uses.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Never, Protocol, TypeVar

from firmograph.caller import Price
from firmograph.settings import Settings

if TYPE_CHECKING:
    from litestar.types import ASGIApp

    from firmograph.api.docs_and_health import HealthPart
    from firmograph.api.endpoint import Endpoint
    from firmograph.database.connection import AccountSession, Database
    from firmograph.directory.identity import Digests
    from firmograph.jobs.scheduler import PeriodicJob, ScopedJob
    from firmograph.kit.clock import Clock
    from firmograph.privacy.declarations import PersonalData
    from firmograph.security.keyring import Keyring
    from firmograph.security.record_ids import RecordIds

T = TypeVar("T")


class Installation:
    """Settings, database, keys and clock of one installation, with its services, each built once in a process."""

    def __init__(
        self,
        settings: Settings,
        database: "Database",
        keyring: "Callable[[], Keyring]",
        clock: "Clock",
        registrations: "Mapping[str, Registration]",
        *,
        counter_file: str | None = None,
    ) -> None:
        """Create an installation over a prepared database; `keyring` is called at the first use of a key.

        `registrations` are those of the packages by name. `counter_file` has the rate limit counters that the workers
        of one `serve` share.
        """
        self.settings = settings
        self.database = database
        self.clock = clock
        self.registrations = registrations
        self.counter_file = counter_file
        self._load_keyring = keyring
        self._services: dict[type, object] = {}

    @cached_property
    def keyring(self) -> "Keyring":
        return self._load_keyring()

    @cached_property
    def record_ids(self) -> "RecordIds":
        from firmograph.security.record_ids import RecordIds

        return RecordIds(self.keyring)

    @cached_property
    def digests(self) -> "Digests":
        from firmograph.directory.identity import Digests

        return Digests(self.keyring)

    @property
    def personal_data(self) -> "list[PersonalData]":
        """Declarations of all packages."""
        return [each for one in self.registrations.values() for each in one.personal_data()]

    @property
    def servers(self) -> "list[ServerWiring]":
        """What all packages add to a server process."""
        named = [one.server for one in self.registrations.values() if one.server]
        return [_load(module, "SERVER", ServerWiring) for module in named]

    @property
    def workers(self) -> "list[WorkerWiring]":
        """What all packages add to the background work."""
        named = [one.worker for one in self.registrations.values() if one.worker]
        return [_load(module, "WORKER", WorkerWiring) for module in named]

    @property
    def accounts(self) -> "list[AccountWiring]":
        """What all packages do when users leave and accounts are closed."""
        named = [one.accounts for one in self.registrations.values() if one.accounts]
        return [_load(module, "ACCOUNTS", AccountWiring) for module in named]

    @property
    def indexes(self) -> "list[RegisteredIndex]":
        """Indexes of a server process, of all packages."""
        return [each for one in self.servers for each in one.indexes(self)]

    def get(self, kind: type[T]) -> T:
        """Return the service of this class, built at its first use by the package that defines the class.

        Raises LookupError if the package does not register it.
        """
        service = self._services.get(kind)
        if service is None:
            service = self._services[kind] = self._build(kind)
        if not isinstance(service, kind):
            raise TypeError(f"the service registered as {kind.__name__} is of {type(service).__name__}")
        return service

    def _build(self, kind: type) -> object:
        package = kind.__module__.split(".")[1]
        registration = self.registrations.get(package)
        for module in registration.services if registration else ():
            services: Services = _load(module, "SERVICES", Mapping)
            if kind in services:
                return services[kind](self)
        raise LookupError(f"{package} does not register {kind.__name__} as a service")


def _load(module: str, name: str, kind: type[T]) -> T:
    """Return what a wiring module declares by this name. Raises TypeError if it is of another class."""
    declared = getattr(import_module(module), name)
    if not isinstance(declared, kind):
        raise TypeError(f"{name} of {module} is no {kind.__name__}")
    return declared


Services = Mapping[type, Callable[[Installation], object]]
"""Functions that build what other packages, the application or commands ask for, by its class."""


class Worker(Protocol):
    """Worker in threads of its own between `start` and `stop`, or in one event loop until nothing waits."""

    def start(self) -> None: ...

    def stop(self) -> None: ...

    async def run_until_idle(self) -> int:
        """Do what waits and what becomes due by that; return the number of tasks done."""
        ...


class BackgroundWork(NamedTuple):
    """Background work."""

    name: str
    done: str
    """What is counted, as in `Webhook deliveries sent: 3`."""
    worker: Worker


class IndexState(Protocol):
    """Index in service in a server process (`indexing/active_index.py`)."""

    state: Literal["loading", "rebuilding", "ready"]
    head: int
    on_served: Callable[[], None]

    @property
    def applied(self) -> int: ...


class RegisteredIndex(NamedTuple):
    """Index of a server process, as its package registers it."""

    name: str
    active: IndexState
    following: Sequence[Any]
    """Each `indexing.follower.FollowingIndex` that this process keeps up to date for it; none if another does."""


def _none(installation: Installation) -> tuple[Never, ...]:
    return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Registration:
    """What a package adds to an installation, and the names of its wiring modules, loaded at their first use."""

    prices: Mapping[str, Price] = field(default_factory=dict)
    """Packaged prices by price key; the operator's plans file is merged over them (`billing/plans.py`)."""
    personal_data: "Callable[[], Sequence[PersonalData]]" = tuple
    """Where it holds data of people, and how that is erased, exported and kept out by a restore."""
    services: Sequence[str] = ()
    """Modules whose `SERVICES` build services of classes of this package, in the order in which they are searched:
    first what commands use, last what loads more."""
    server: str = ""
    """Module whose `SERVER` a server process loads."""
    worker: str = ""
    """Module whose `WORKER` is loaded by `worker`, and by `serve` if it works in the background."""
    accounts: str = ""
    """Module whose `ACCOUNTS` is loaded when a user is removed, or an account is closed or erased."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerWiring:
    """What a package adds to a server process."""

    endpoints: "Callable[[Installation], Sequence[Endpoint]]" = _none
    lifespans: "Callable[[Installation], Sequence[AbstractAsyncContextManager[object]]]" = _none
    """Entered in order as a server process starts, and left in reverse as it ends."""
    health: "Callable[[Installation], HealthPart] | None" = None
    """Its member of the answer of `/health`."""
    mounts: "Callable[[Installation], Mapping[str, ASGIApp]]" = lambda installation: {}
    """Applications next to the endpoints, each by the path below which everything is its own."""
    metrics: Callable[[Installation], None] = lambda installation: None
    """Creates the metrics that every server shows, also those of work that another process does."""
    indexes: Callable[[Installation], Sequence[RegisteredIndex]] = _none
    """Indexes of a server process, with what it keeps up to date for them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerWiring:
    """What a package adds to the background work of `serve` and `worker`."""

    periodic_jobs: "Callable[[Installation], Sequence[PeriodicJob | ScopedJob]]" = _none
    background: "Callable[[Installation], Sequence[BackgroundWork]]" = _none
    """Work besides the periodic jobs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountWiring:
    """What a package does when users leave and accounts are closed, in a transaction with the account's scope."""

    count_owned: "Callable[[AccountSession, int], int]" = lambda session, user_id: 0
    """Returns how much a user owns."""
    give: "Callable[[AccountSession, int, int], None]" = lambda session, user_id, new_owner: None
    """Makes the second user the owner of what the first one owns. Raises Refused."""
    close: "Callable[[AccountSession, float], None]" = lambda session, at: None
    """Ends the work of an account, and releases what it holds."""
    erase: "Callable[[AccountSession, float], int]" = lambda session, at: 0
    """Erases a part of the own content of a closed account; returns its amount, 0 if nothing is left."""


def packaged_prices(registrations: Mapping[str, Registration]) -> dict[str, Price]:
    """Return the prices of all packages by price key. Raises ValueError for a key that two packages register."""
    prices: dict[str, Price] = {}
    for package, registration in registrations.items():
        if repeated := prices.keys() & registration.prices.keys():
            raise ValueError(f"{package} registers {min(repeated)}, the price key of another package")
        prices.update(registration.prices)
    return prices
