import legacy_fixtures
import pytest


@pytest.fixture
def directory(service):
    """Two companies and two people; Acme has signals of all sorts, Jane a job change and a promotion."""
    return legacy_fixtures.stocked(service)
