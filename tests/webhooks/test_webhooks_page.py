"""The receivers in docs/webhooks.md, run against signed deliveries."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import httpx
import pytest

from firmograph.settings import Settings
from firmograph.webhooks.sending import signing
from server_fixtures import free_port

pytestmark = pytest.mark.any_database

PAGE = Path(__file__).parents[2] / "docs" / "webhooks.md"
TEXT = PAGE.read_text()
SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
ID = "0b5f5a3e-7a54-4b5e-9c6a-0f6f3a1d2c3b"
BODY = json.dumps({"id": ID, "type": "riskNews", "entityId": "v1.Zoë"}, ensure_ascii=False).encode()
RECEIVERS = {"python": ("receiver.py", sys.executable), "javascript": ("receiver.js", which("node"))}


def code(language):
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    return block


@pytest.fixture(params=list(RECEIVERS))
def url(request, tmp_path) -> Iterator[str]:
    """Start a receiver of the page and yield its URL."""
    name, program = RECEIVERS[request.param]
    if program is None:
        pytest.skip("Node is not installed. On Debian: apt-get install nodejs")
    (tmp_path / name).write_text(code(request.param))
    port = free_port()
    process = subprocess.Popen(
        [program, name],
        cwd=tmp_path,
        env={"WEBHOOK_SECRET": SECRET, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield f"http://127.0.0.1:{port}/"
    process.kill()
    process.wait()


def post(url, body, **headers):
    deadline = time.monotonic() + 60
    while True:
        try:
            return httpx.post(url, content=body, headers=headers)
        except httpx.ConnectError:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def signed(at, secret=SECRET):
    return signing.headers(Settings().brand, secret, ID, int(at), BODY)


def test_the_receivers_accept_only_genuine_deliveries(url):
    accepted = post(url, BODY, **signed(time.time()))
    assert accepted.status_code == 201
    assert accepted.json().keys() == {"received", "timestamp", "webhookId"}
    assert (accepted.json()["received"], accepted.json()["webhookId"]) == (True, ID)
    for refused in (
        post(url, BODY + b" ", **signed(time.time())),
        post(url, BODY, **signed(time.time(), secret=SECRET.replace("MDE", "MDF"))),
        post(url, BODY, **signed(time.time() - 400)),
        post(url, BODY, **(signed(time.time()) | {"X-Service-Signature": "ä".encode()})),
        post(url, BODY),
    ):
        assert refused.status_code == 401


def test_the_documented_python_serialisation_of_a_parsed_body_is_the_signed_text():
    (text,) = re.findall(r"`json\.dumps\(event, (.*?)\)` in Python", TEXT)
    payload = b'{"id":"x","data":{"name":"Zo\xc3\xab / \\"Co\\"","rate":12.5,"visits":1000}}'
    assert (
        eval(f"json.dumps(json.loads(payload), {text})", {"json": json, "payload": payload}).encode()
        == payload
    )
