"""The first run of a served process: the printed link, and the person who comes in by it."""

import re

import httpx
import pytest
from page_visitors import PASSWORD

from server_fixtures import Server, free_port

LINK = re.compile(r"(http://127\.0\.0\.1:\d+)(/workspace/link/[\w-]+)")


@pytest.mark.slow("first run")
def test_the_printed_link_makes_operator_account_and_admin_once(command):
    server = Server(command, free_port())
    line = next(line for line in server.process.stderr if "workspace" in line)
    url, path = LINK.search(line).groups()
    server.wait_until_ready()
    form = {"email": "ada@example.com", "account": "Example", "password": PASSWORD, "repeated": PASSWORD}
    headers = {"sec-fetch-site": "same-origin"}
    with httpx.Client(base_url=url, timeout=60) as visitor:
        assert visitor.post(path, data=form, headers=headers).status_code == 303
        assert "Example" in visitor.get("/workspace").text
        assert "Accounts of this service" in visitor.get("/workspace/operator").text
    server.stop()
    again = Server(command, free_port())
    again.wait_until_ready()
    assert "Nobody can sign in" not in again.stop()
