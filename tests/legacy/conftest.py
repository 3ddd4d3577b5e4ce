import legacy_fixtures
import pytest


@pytest.fixture
def directory(service):
    """Return two companies and two people; Acme has signals of all kinds, Jane a job change and a promotion."""
    return legacy_fixtures.stocked(service)
