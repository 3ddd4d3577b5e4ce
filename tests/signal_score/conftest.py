import pytest
import score_calls


@pytest.fixture(scope="module")
def stored(shared_service):
    """Return the application of the module over a few companies and people."""
    score_calls.load(shared_service.database)
    return shared_service


@pytest.fixture
def directory(stored):
    """Return a new account over the companies and people of the module."""
    return stored.with_account()
