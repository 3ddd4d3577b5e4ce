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


@pytest.fixture
def own_people(service):
    """Return an installation of the test's own over the small directory, whose records may change."""
    demo_people.load(service.database)
    return service
