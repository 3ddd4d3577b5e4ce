import demo_people
import pytest


@pytest.fixture(scope="module")
def directory(shared_service):
    """Return the application of the module over the small directory."""
    demo_people.load(shared_service.database)
    return shared_service


@pytest.fixture
def people(directory):
    """Return a new account over the small directory of the module; added records must be nobody else's."""
    return directory.with_account()
