"""`firmograph webhooks listen`: a receiver for developers, tested by real requests."""

import base64
import json
import re
import signal
import socket
import time

import httpx
import pytest

from firmograph.cli.webhooks.verification import Verifier
from firmograph.webhooks.sending import signing

pytestmark = pytest.mark.any_database

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()
ID = "8f14e45f-ceea-467f-ab6c-1f2e3d4c5b6a"
PAYLOAD = {
    "id": ID,
    "type": "promotion",
    "data": {"currentCompanyName": "Müller \u001b[31m \u007f\u009b & Co"},
}
BODY = json.dumps(PAYLOAD, separators=(",", ":"), ensure_ascii=False).encode()


NOW = 1_790_000_000


def signed(*, secret=SECRET, brand="Service", at=NOW, body=BODY, **changed):
    """Return the headers of a delivery, some changed or, given as None, left out."""
    headers = {name.lower(): value for name, value in signing.headers(brand, secret, ID, at, BODY).items()}
    return {name: value for name, value in (headers | changed).items() if value is not None}


class Listener:
    """A running `webhooks listen`."""

    def __init__(self, command, *options, **environment):
        self.process = command.start("webhooks", "listen", "--port", "0", *options, **environment)
        self.messages = ""
        while "Listening" not in self.messages and (line := self.process.stderr.readline()):
            self.messages += line
        found = re.search(r"Listening on (http://127\.0\.0\.1:\d+/) for deliveries", self.messages)
        assert found, self.messages
        self.url = found[1]

    def send(self, body=BODY, *, brand="Service", secret=SECRET):
        headers = signing.headers(brand, secret, ID, int(time.time()), body)
        return httpx.post(self.url, content=body, headers=headers)

    def end(self):
        """Interrupt the command and return its output."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        assert (self.process.returncode, err) == (0, "")
        return out


@pytest.fixture
def listen(command):
    started = []

    def listen(*options, **environment):
        started.append(Listener(command, *options, **environment))
        return started[-1]

    yield listen
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
            each.process.communicate()


def test_a_genuine_delivery_is_acknowledged_and_shown(listen):
    listener = listen("--secret", SECRET)
    answer = listener.send()
    assert answer.status_code == 201
    assert answer.json().items() >= {"received": True, "webhookId": ID}.items()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", answer.json()["timestamp"])
    output = listener.end()
    assert f"verified  {ID}  answered 201\n" in output
    assert '"type": "promotion"' in output
    assert "Müller" in output
    assert r"Müller \u001b[31m \u007f\u009b & Co" in output


def test_with_json_each_delivery_is_a_line_with_the_unchanged_payload(listen):
    listener = listen("--json", FIRMOGRAPH_WEBHOOK_SECRET=SECRET)
    for _ in range(2):
        listener.send()
    listener.send(json.dumps(PAYLOAD, indent=2).encode())
    first, second, _ = (json.loads(line) for line in listener.end().split("\n")[:-1])
    assert first.pop("receivedAt")
    assert first == {"webhookId": ID, "attempt": 1, "verified": True, "status": 201, "payload": PAYLOAD}
    assert second["attempt"] == 2


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"secret": OTHER}, "x-service-signature and webhook-signature not made with this secret"),
        ({"x-service-signature": "0" * 64}, "x-service-signature not made with this secret"),
        ({"webhook-signature": "v1,x"}, "webhook-signature not made with this secret"),
        ({"webhook-id": "another"}, "webhook-signature not made with this secret"),
        ({"webhook-signature": None}, "missing webhook-signature"),
        ({"brand": "Acme"}, "--brand must be the server's FIRMOGRAPH_BRAND"),
        ({"at": NOW - 301}, "the timestamp is 301 seconds off the local clock"),
        ({"at": NOW + 301}, "the timestamp is 301 seconds off the local clock"),
        ({"x-service-timestamp": "soon"}, "the timestamp is not a number of seconds"),
        ({"webhook-timestamp": "1"}, "the two timestamps differ"),
        ({"body": BODY + b" "}, "x-service-signature and webhook-signature not made with this secret"),
    ],
)
def test_an_invalid_delivery_is_described_by_its_error(changed, problem):
    verify = Verifier("Service", SECRET)
    assert verify(signed(at=NOW - 299), BODY, NOW) == (True, None)
    genuine, reason = verify(signed(**changed), changed.get("body", BODY), NOW)
    assert genuine is False
    assert problem in reason


def test_an_invalid_delivery_is_refused_and_shown(listen):
    listener = listen("--secret", SECRET)
    answer = listener.send(secret=OTHER)
    assert answer.status_code == 401
    assert "not made with this secret" in answer.json()["reason"]
    assert "REFUSED" in listener.end()


def test_another_brand_of_the_server_is_verified(listen):
    assert listen("--secret", SECRET, FIRMOGRAPH_BRAND="Acme").send(brand="Acme").status_code == 201


def test_without_a_secret_every_delivery_is_accepted_and_marked_as_unverified(listen):
    listener = listen()
    assert listener.send(b"no json \xff\x1b").status_code == 201
    output = listener.end()
    assert f"not verified  {ID}  answered 201" in output
    assert "not JSON: no json" in output
    assert "\x1b" not in output
    assert "Deliveries are not verified without --secret" in listener.messages


def test_failing_receivers_can_be_simulated(listen):
    listener = listen("--secret", SECRET, "--fail", "2", "--status", "204")
    assert [listener.send().status_code for _ in range(3)] == [500, 500, 204]
    assert "answered 204  again, the 3rd time" in listener.end()
    failing = listen("--secret", SECRET, "--status", "410")
    assert failing.send().status_code == 410


def test_only_deliveries_are_received(listen):
    listener = listen("--json")
    assert httpx.get(listener.url).status_code == 405
    assert httpx.post(listener.url, content=b"x" * (1 << 21)).status_code == 413
    assert listener.send().status_code == 201
    assert len(listener.end().splitlines()) == 1


def test_an_impossible_start_is_reported_in_one_line(command, in_process):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        refused = command("webhooks", "listen", "--port", port)
    assert refused.returncode == 1
    assert refused.stderr == f"Error: Cannot listen on port {port}; choose another with --port\n"
    wrong = in_process("webhooks", "listen", "--secret", SECRET.removeprefix("whsec_"), "--port", "0")
    assert (wrong.returncode, SECRET.removeprefix("whsec_") in wrong.stderr) == (2, False)
    assert "A webhook secret begins with whsec_" in wrong.stderr
