import asyncio
import socket
import threading

import pytest

from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.settings import Settings
from firmograph.webhooks.sending.client import Sender
from webhooks.receivers import Answer, Receiver
from webhooks.senders import BODY, PAYLOAD, SECRET, run_with_sender, send_delivery

pytestmark = pytest.mark.no_database

REFUSED = "The URL's address was not found or is not allowed"


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


def resolving(*answers):
    """Return a look-up with these successive addresses; the last one is repeated."""
    remaining = list(answers)

    def lookup(host, port, **_):
        address = remaining.pop(0) if len(remaining) > 1 else remaining[0]
        return socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)

    return lookup


def offline(host, port, **given):
    """Look up addresses without a name server: every name has the address of this machine."""
    try:
        return socket.getaddrinfo(host, port, **given | {"flags": socket.AI_NUMERICHOST})
    except OSError:
        return socket.getaddrinfo("127.0.0.1", port, type=socket.SOCK_STREAM)


@pytest.mark.parametrize(
    "host",
    [
        *(
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7F.1",
            "0177.0.0.1",
            "017700000001",
        ),
        *(
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::FFFF:7F00:1]",
            "[::127.0.0.1]",
        ),
        *(
            "１２７.０.０.１",
            "①②⑦.0.0.1",
            "127。0。0。1",
            "１２７.１",
            "127.0.0.1.",
            "localhost",
            "localhost.",
            "LocalHost",
        ),
        *("0.0.0.0", "0", "[::]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fe80::1%25lo]"),
        *("169.254.169.254", "10.0.0.1", "[fd00:ec2::254]"),
    ],
)
def test_private_addresses_are_refused_in_any_spelling(receiver, host):
    result = send_delivery(f"https://{host}:{receiver.port}/", lookup=offline, allow_insecure_webhooks=False)
    assert result.status_code is None
    assert result.error == REFUSED
    assert receiver.connections == 0


def test_insecure_webhooks_are_sent_to_this_machine_and_no_other_private_address(receiver):
    assert send_delivery(f"http://localhost:{receiver.port}/", lookup=resolving("127.0.0.1")).success
    assert send_delivery("http://10.0.0.1/").error == REFUSED
    assert send_delivery("http://hooks.example.com/", lookup=resolving("192.168.0.1")).error == REFUSED


def test_allowed_networks_receive_deliveries(receiver):
    url = f"https://hooks.example.com:{receiver.port}/"
    settings = {"allow_insecure_webhooks": False, "webhook_allowed_networks": "10.0.0.0/8, 127.0.0.0/31"}

    async def until_it_is_reached(sender):
        # the receiver has no TLS and does not answer
        delivery = asyncio.create_task(sender.send(url, PAYLOAD, SECRET, BODY))
        await asyncio.to_thread(receiver.until, lambda: receiver.connections == 1)
        delivery.cancel()

    run_with_sender(until_it_is_reached, lookup=resolving("127.0.0.1"), **settings)
    assert send_delivery(url, lookup=resolving("127.0.0.2"), **settings).error == REFUSED


def test_a_plain_http_subscription_is_refused_after_development(receiver):
    settings = {"allow_insecure_webhooks": False, "webhook_allowed_networks": "127.0.0.0/8"}
    result = send_delivery(
        f"http://hooks.example.com:{receiver.port}/", lookup=resolving("127.0.0.1"), **settings
    )
    assert (result.status_code, result.error) == (None, "The URL must begin with https://")
    assert receiver.connections == 0


def test_a_name_rebound_to_a_private_address_is_refused():
    once = Answer(headers=("Connection: close",), cut=True)
    with Receiver(once) as public:
        url = f"http://hooks.example.com:{public.port}/"

        async def before_and_after(sender):
            first = await sender.send(url, PAYLOAD, SECRET, BODY)
            sender._client.connector.clear_dns_cache()
            return first.success, (await sender.send(url, PAYLOAD, SECRET, BODY)).error

        assert run_with_sender(before_and_after, lookup=resolving("127.0.0.1", "10.0.0.1")) == (True, REFUSED)
        assert public.connections == 1


def test_all_refused_addresses_have_the_same_result():
    urls = [
        "https://10.0.0.1/",
        "https://[::1]:9/",
        "https://127.1/",
        "https://0/",
        "https://hooks.example.com/",
    ]
    results = {
        send_delivery(url, lookup=resolving("10.0.0.1"), allow_insecure_webhooks=False) for url in urls
    }
    assert {result._replace(duration_ms=0) for result in results} == {(None, 0, REFUSED, b"", None, None)}


def test_the_time_of_an_attempt_includes_the_look_up():
    answered = threading.Event()

    def lookup(*_, **__):
        answered.wait(30)
        return []

    result = send_delivery("http://hooks.example.com/", lookup=lookup, seconds=0.2)
    answered.set()
    assert result.error == "No answer within 0.2 seconds"


def test_hundreds_of_pending_look_ups_do_not_block_another_name(receiver):
    answered, requested = threading.Event(), threading.Semaphore(0)

    def lookup(host, port, **_):
        if host.endswith(".silent.example.com"):
            requested.release()
            answered.wait()
            return []
        return resolving("127.0.0.1")(host, port)

    async def silent_first(sender):
        urls = [f"http://h{number}.silent.example.com/" for number in range(600)]
        pending = [asyncio.create_task(sender.send(url, PAYLOAD, SECRET, BODY)) for url in urls]
        assert await asyncio.to_thread(lambda: all(requested.acquire(timeout=60) for _ in urls))
        for delivery in pending:
            delivery.cancel()
        return await sender.send(f"http://found.example.com:{receiver.port}/", PAYLOAD, SECRET, BODY)

    try:
        assert run_with_sender(silent_first, lookup=lookup).success
    finally:
        answered.set()


def test_an_invalid_network_is_refused_at_startup():
    with pytest.raises(Refused, match=r"^FIRMOGRAPH_WEBHOOK_ALLOWED_NETWORKS: 10\.0\.0\.0/99 is no"):
        Sender(Settings(webhook_allowed_networks="10.0.0.0/99"), SetClock())
