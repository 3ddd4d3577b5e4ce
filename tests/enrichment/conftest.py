import demo_people
import pytest


@pytest.fixture
def people(service):
    """Return the service over the small directory."""
    demo_people.load(service.database)
    return service
