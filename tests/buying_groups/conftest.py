import group_people
import pytest


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    """Return the service over the people, for tests that change none of them."""
    with group_people.served(tmp_path_factory.mktemp("groups")) as service:
        yield service


@pytest.fixture
def own_groups(database, make_service):
    """Return the service over the people, for one test."""
    group_people.load(database)
    service = make_service(lookalikes=False)
    group_people.wait(service)
    return service
