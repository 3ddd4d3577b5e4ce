import legacy_fixtures
import legacy_records
import pytest


@pytest.fixture
def directory(service):
    """Return two companies and two people; Acme has signals of all kinds, Jane a job change and a promotion."""
    return legacy_fixtures.stocked(service)


@pytest.fixture
def stocked(service):
    """Return the service over a full and a bare person and company."""
    return legacy_records.stock(service)
