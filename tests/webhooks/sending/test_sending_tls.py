import asyncio
import socket
import ssl

import pytest

from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.settings import Settings
from firmograph.webhooks.sending.client import Sender
from services.proxy import Certificate
from webhooks.receivers import Receiver
from webhooks.senders import BODY, PAYLOAD, SECRET, run_with_sender, send_delivery

pytestmark = pytest.mark.no_database

UNVERIFIED = "The receiver's certificate could not be verified"


@pytest.fixture
def certificate(tmp_path):
    """Create a certificate for localhost and 127.0.0.1 that the system does not trust."""
    return Certificate(tmp_path)


@pytest.fixture
def receiver(certificate):
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate.chain, certificate.key)
    with Receiver(tls=tls) as receiver:
        yield receiver


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "localhost.", "LOCALHOST"])
def test_the_ca_file_makes_a_receiver_trusted(receiver, certificate, host):
    url = f"https://{host}:{receiver.port}/hook"
    assert send_delivery(url, webhook_ca_file=str(certificate.chain), lookup=_loopback).success
    assert receiver.received[0].body == BODY


def test_a_receiver_with_an_unknown_authority_gets_nothing(receiver):
    assert send_delivery(receiver.url).error == UNVERIFIED
    assert receiver.received == []


def test_a_certificate_of_another_name_is_not_trusted(receiver, certificate):
    url = f"https://hooks.example.com:{receiver.port}/hook"
    assert send_delivery(url, webhook_ca_file=str(certificate.chain), lookup=_loopback).error == UNVERIFIED
    assert receiver.received == []


def test_the_ca_file_adds_to_the_authorities_of_the_system(certificate):
    context = Sender(Settings(webhook_ca_file=str(certificate.chain)), SetClock())._client._tls
    alone = ssl.create_default_context()
    assert context.cert_store_stats()["x509"] == alone.cert_store_stats()["x509"] + 1
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


def test_a_receiver_without_tls_is_a_failure():
    async def to_plain_server(sender):
        async def answer(reader, writer):
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await writer.drain()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return await sender.send(f"https://127.0.0.1:{port}/", PAYLOAD, SECRET, BODY)

    assert run_with_sender(to_plain_server).error == "The TLS connection failed"


def test_the_time_of_an_attempt_includes_the_tls_handshake():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        result = send_delivery(f"https://127.0.0.1:{listener.getsockname()[1]}/", seconds=0.3)
    assert result.error == "No answer within 0.3 seconds"


def test_a_missing_ca_file_is_refused_at_startup():
    with pytest.raises(Refused, match=r"^FIRMOGRAPH_WEBHOOK_CA_FILE: /nowhere.pem cannot be read"):
        Sender(Settings(webhook_ca_file="/nowhere.pem"), SetClock())


def _loopback(host, port, **_):
    return socket.getaddrinfo("127.0.0.1", port, type=socket.SOCK_STREAM)
