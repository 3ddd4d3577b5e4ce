import legacy_fixtures
import legacy_records
import pytest


@pytest.fixture(scope="module")
def shared_directory(shared_service):
    """Return the application of the module over two companies and two people with signals."""
    return legacy_fixtures.stocked(shared_service)


@pytest.fixture
def directory(shared_directory):
    """Return a new account over two companies and two people.

    Acme has signals of all kinds, Jane a job change and a promotion.
    """
    return shared_directory.with_account()


@pytest.fixture(scope="module")
def shared_stock(shared_service):
    """Return the application of the module over a full and a bare person and company."""
    return legacy_records.stock(shared_service)


@pytest.fixture
def stocked(shared_stock):
    """Return a new account over a full and a bare person and company."""
    return shared_stock.with_account()
