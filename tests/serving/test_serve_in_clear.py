"""`require_https` over a real network: a client using another address of this machine is not loopback."""

import socket

import httpx
import pytest

import database_fixtures
from command_fixtures import InProcess
from firmograph.serving.listener import open_listener, print_address
from firmograph.settings import Settings
from server_fixtures import Server, free_port

pytestmark = pytest.mark.any_database


def own_address():
    """Return an address of this machine that other machines know; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # nothing is sent: the system only chooses the source address
            probe.connect(("198.51.100.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


@pytest.fixture(scope="module")
def address():
    found = own_address()
    if found is None:
        pytest.skip("this machine has no address except loopback")
    return found


@pytest.fixture(scope="module")
def served(tmp_path_factory, address):
    """Return a server that other machines can reach and that trusts this machine's outer address."""
    folder = tmp_path_factory.mktemp("served")
    command = InProcess(folder, database_fixtures.fresh(folder))
    command.json("account", "create", "Acme")
    key = command.json("key", "create", "--account", "Acme")["apiKey"]
    trusting = {"FIRMOGRAPH_TRUSTED_PROXIES": f"10.0.0.0/8, {address}"}
    server = Server(command, free_port(), "--host", "0.0.0.0", **trusting)
    server.key = key
    server.wait_until_ready()
    yield server
    server.stop()
    database_fixtures.drop(command.database_url)


def answer_from(served, host, path="/v3/account/usage", **headers):
    given = {"api_key": served.key, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return httpx.get(f"http://{host}:{served.port}{path}", headers=given)


def test_loopback_is_answered_over_plain_http(served):
    assert answer_from(served, "127.0.0.1").status_code == 200


def test_another_address_is_refused_over_plain_http(served, address):
    answer = answer_from(served, address)
    assert answer.status_code == 403
    assert answer.json() == {"statusCode": 403, "message": "Plain HTTP is refused; use https://"}


def test_a_trusted_address_vouches_for_tls_or_does_not(served, address):
    assert answer_from(served, address, x_forwarded_proto="https").status_code == 200
    assert answer_from(served, address, x_forwarded_proto="http").status_code == 403


def test_health_is_answered_over_plain_http_to_everybody(served, address):
    assert answer_from(served, address, "/health").status_code == 200


def test_a_local_proxy_reports_plain_http_of_its_client(served):
    headers = {"x_forwarded_proto": "http", "x_forwarded_for": "203.0.113.5"}
    assert answer_from(served, "127.0.0.1", **headers).status_code == 403


SECOND_LINES = [
    ("127.0.0.1", Settings(), ""),
    ("0.0.0.0", Settings(), "set FIRMOGRAPH_TRUSTED_PROXIES to an https proxy"),
    ("0.0.0.0", Settings(trusted_proxies="10.0.0.1"), "only over https through the proxies of"),
    ("0.0.0.0", Settings(require_https=False), ""),
    ("0.0.0.0", Settings(certificate_file="fullchain.pem"), ""),
]


@pytest.mark.parametrize(("host", "settings", "warning"), SECOND_LINES)
def test_a_second_line_warns_if_other_machines_will_be_refused(capsys, host, settings, warning):
    with open_listener(host, 0) as listener:
        print_address(listener, settings)
    first, *others = capsys.readouterr().err.splitlines()
    assert first.startswith(f"Firmograph listens on {'https' if settings.certificate_file else 'http'}://")
    assert len(others) == bool(warning)
    assert warning in "".join(others)
