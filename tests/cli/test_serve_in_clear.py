"""`require_https` over a real network: a client that comes by another address of this machine is not loopback."""

import socket

import httpx
import pytest

import database_fixtures
from command_fixtures import InProcess
from firmograph.cli.serving.listener import listen, print_address
from firmograph.settings import Settings
from server_fixtures import Server, free_port


def own_address():
    """An address of this machine that other machines know; None when it has no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            # nothing is sent: the system only chooses from which address it would be
            asked.connect(("198.51.100.1", 9))
        except OSError:
            return None
        address = asked.getsockname()[0]
    return None if address.startswith("127.") else address


@pytest.fixture(scope="module")
def address():
    found = own_address()
    if found is None:
        pytest.skip("this machine has no address beside loopback")
    return found


@pytest.fixture(scope="module")
def served(tmp_path_factory, address):
    """A server that other machines can reach, and that trusts this one when it comes by its outer address."""
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


def asked(served, host, path="/v3/account/usage", **headers):
    given = {"api_key": served.key, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return httpx.get(f"http://{host}:{served.port}{path}", headers=given)


def test_loopback_is_answered_in_clear(served):
    assert asked(served, "127.0.0.1").status_code == 200


def test_another_address_is_refused_in_clear(served, address):
    answer = asked(served, address)
    assert answer.status_code == 403
    assert answer.json() == {"statusCode": 403, "message": "Plain HTTP is refused; use https://"}


def test_a_trusted_address_vouches_for_tls_or_does_not(served, address):
    assert asked(served, address, x_forwarded_proto="https").status_code == 200
    assert asked(served, address, x_forwarded_proto="http").status_code == 403


def test_health_is_answered_in_clear_to_everybody(served, address):
    assert asked(served, address, "/health").status_code == 200


def test_a_proxy_on_this_machine_that_was_asked_in_clear_says_so(served):
    told = {"x_forwarded_proto": "http", "x_forwarded_for": "203.0.113.5"}
    assert asked(served, "127.0.0.1", **told).status_code == 403


SECOND_LINES = [
    ("127.0.0.1", Settings(), ""),
    ("0.0.0.0", Settings(), "name a proxy that does in FIRMOGRAPH_TRUSTED_PROXIES"),
    ("0.0.0.0", Settings(trusted_proxies="10.0.0.1"), "only over https through the proxies of"),
    ("0.0.0.0", Settings(require_https=False), ""),
    ("0.0.0.0", Settings(certificate_file="fullchain.pem"), ""),
]


@pytest.mark.parametrize(("host", "settings", "said"), SECOND_LINES)
def test_a_second_line_tells_when_other_machines_will_be_refused(capsys, host, settings, said):
    with listen(host, 0) as listener:
        print_address(listener, settings)
    first, *others = capsys.readouterr().err.splitlines()
    assert first.startswith(f"Firmograph listens on {'https' if settings.certificate_file else 'http'}://")
    assert len(others) == bool(said)
    assert said in "".join(others)
