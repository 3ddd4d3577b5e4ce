"""Endpoints of all packages, as they are declared."""

from types import NoneType
from typing import Any, get_args

import pytest

from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from installation_factory import installation_of

pytestmark = pytest.mark.no_database


@pytest.fixture
def endpoints(tmp_path):
    installation = installation_of(Database(f"sqlite:///{tmp_path}/unused.db"), SetClock())
    return [each for one in installation.servers for each in one.endpoints(installation)]


def test_every_function_takes_calls_with_the_body_that_its_endpoint_declares(endpoints):
    taken = {one.name: get_args(one.function.__annotations__["call"]) for one in endpoints}
    declared = {one.name: one.body or NoneType for one in endpoints}
    assert {name for name, body in taken.items() if body not in [(Any,), (declared[name],)]} == set()


def test_every_name_is_that_of_one_endpoint(endpoints):
    names = [one.name for one in endpoints]
    assert len(set(names)) == len(names)
