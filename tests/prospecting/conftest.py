import prospected_people
import pytest

from firmograph.prospecting import follower


@pytest.fixture
def people(database, make_service):
    """The service over the small directory, every change findable."""
    prospected_people.load(database)
    service = make_service()
    prospected_people.wait(service)
    return service


@pytest.fixture
def lagging(database, make_service, monkeypatch):
    """The same, but the index follows no later change."""
    monkeypatch.setattr(follower, "POLL_SECONDS", 3_600.0)
    prospected_people.load(database)
    service = make_service()
    prospected_people.wait(service)
    return service
