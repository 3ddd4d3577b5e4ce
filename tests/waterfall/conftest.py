import pytest
from fake_providers import FakeProviders, in_place_of_the_file

from firmograph.waterfall.administration import WaterfallAdministration


@pytest.fixture(scope="module")
def providers():
    """Return the providers of the module; each test adds its own."""
    with in_place_of_the_file(FakeProviders()) as providers:
        yield providers


@pytest.fixture(scope="module")
def module_service(providers, make_shared_service):
    """Return an application whose calls do not wait for asks, so that a test says when they are done."""
    return make_shared_service(waterfall_wait_seconds=0)


@pytest.fixture
def account(module_service):
    """Return the application with an account of the test, without providers."""
    return module_service.with_account()


@pytest.fixture
def enable(account, providers):
    """Return a function that adds providers and enables them for the account, in this order."""

    def add(*given, service=account, **options):
        providers.add(*given)
        account_id = service.accounts.find(service.account).id
        service.installation.get(WaterfallAdministration).enable(
            account_id, [one.name for one in given], **options
        )

    return add
