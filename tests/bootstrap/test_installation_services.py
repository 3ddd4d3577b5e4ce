"""Services of an installation, each built by the package that defines its class."""

import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

from firmograph.accounts.service import Accounts
from firmograph.api.dispatch import Dispatcher
from firmograph.billing.charged_call import ChargedCalls
from firmograph.bootstrap.packages import registrations
from firmograph.database.connection import Database
from firmograph.installation import Installation, Registration
from firmograph.kit.clock import SetClock
from firmograph.settings import Settings
from installation_factory import installation_of

pytestmark = pytest.mark.no_database


@pytest.fixture
def unopened(tmp_path):
    """Return an installation whose database is never opened."""
    return installation_of(Database(f"sqlite:///{tmp_path}/unused.db"), SetClock())


class Counter:
    """A service of this module's tests."""

    __module__ = "firmograph.counting.counter"


@pytest.fixture
def with_counter(monkeypatch):
    """Return a function that returns an installation of one package, which builds its counter in this way."""

    def keyring():
        raise AssertionError("no service needs a key")

    def make(build) -> Installation:
        wiring = SimpleNamespace(SERVICES={Counter: build})
        monkeypatch.setitem(sys.modules, "firmograph.counting.wiring", wiring)
        counting = Registration(services=("firmograph.counting.wiring",))
        database = Database("sqlite:///unused.db")
        return Installation(Settings(), database, keyring, SetClock(), {"counting": counting})

    return make


def test_a_service_is_built_once(with_counter):
    installation = with_counter(lambda installation: Counter())
    assert installation.get(Counter) is installation.get(Counter)


def test_two_installations_share_no_service(with_counter):
    first, second = (with_counter(lambda installation: Counter()) for _ in range(2))
    assert first.get(Counter) is not second.get(Counter)


def test_a_class_that_its_package_does_not_register_is_an_error_that_names_both(unopened):
    with pytest.raises(LookupError, match="api does not register Dispatcher"):
        unopened.get(Dispatcher)


def test_a_service_of_another_class_is_an_error(with_counter):
    with pytest.raises(TypeError, match="registered as Counter is of int"):
        with_counter(lambda installation: 3).get(Counter)


def test_services_that_need_no_key_load_no_keyring(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/unused.db")

    def keyring():
        raise AssertionError("the keyring was loaded")

    installation = Installation(Settings(), database, keyring, SetClock(), registrations())
    assert installation.get(Accounts)
    assert installation.get(ChargedCalls)


SERVICES = {
    kind
    for one in registrations().values()
    for module in one.services
    for kind in import_module(module).SERVICES
}


def test_wiring_that_declares_something_else_is_an_error_that_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "firmograph.counting.wiring", SimpleNamespace(WORKER="none"))
    counting = Registration(worker="firmograph.counting.wiring")
    installation = Installation(Settings(), None, None, SetClock(), {"counting": counting})
    with pytest.raises(TypeError, match=r"WORKER of firmograph\.counting\.wiring is no WorkerWiring"):
        list(installation.workers)


@pytest.mark.parametrize("kind", sorted(SERVICES, key=lambda kind: f"{kind.__module__}.{kind.__name__}"))
def test_every_registered_service_is_found_by_its_class_and_can_be_built(unopened, kind):
    assert isinstance(unopened.get(kind), kind)
