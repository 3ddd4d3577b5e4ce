"""`/admin` without its setting."""

import pytest

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize("path", ["/admin", "/admin/accounts", "/admin/accounts/1", "/admin/openapi.json"])
def test_without_the_setting_paths_below_admin_are_those_of_nobody(shared_service, path):
    def answer(method, path):
        given = shared_service.client.request(method, path, headers={"operator_key": "fgo_x"})
        headers = {name: value for name, value in given.headers.items() if name != "x-request-id"}
        return given.status_code, given.text, headers

    for method in ("GET", "POST", "OPTIONS", "PUT"):
        assert answer(method, path) == answer(method, "/nothing")
    assert answer("GET", path)[0] == 404
