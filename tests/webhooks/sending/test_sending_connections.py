"""The connections that deliveries take: kept, refused, flooded, many at once."""

import asyncio
import resource
import socket

import pytest

from firmograph.outbound import client as outbound
from webhooks.receivers import SILENT, Answer, Receiver
from webhooks.senders import MALFORMED, again, sending, sent

pytestmark = pytest.mark.no_database


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def kept(monkeypatch):
    """Idle connections are kept for as long as a busy machine may need."""
    monkeypatch.setattr(outbound, "_KEEP_ALIVE_SECONDS", 600)


def test_a_flood_of_interim_answers_ends_the_connection(receiver):
    receiver.script(Answer(raw=b"HTTP/1.1 100 Continue\r\n\r\n", endless=b"HTTP/1.1 102 Wait\r\n\r\n" * 1000))
    assert sent(receiver.url).error == MALFORMED
    receiver.until(lambda: receiver.waiting == 0)


def test_a_flood_of_answers_after_the_answer_ends_the_connection(receiver):
    done = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    receiver.script(Answer(raw=done, endless=done * 1000))

    async def until_it_ends(sender):
        first = await again(receiver)(sender)
        await asyncio.to_thread(receiver.until, lambda: receiver.waiting == 0)
        return first.success, (await again(receiver)(sender)).success

    assert sending(until_it_ends) == (True, True)
    assert [received.connection for received in receiver.received] == [1, 2]


def test_a_long_answer_does_not_shorten_those_after_it_on_its_connection(receiver, kept):
    receiver.answer = Answer(200, b"x" * 19_000)

    async def five(sender):
        return {len((await again(receiver)(sender)).body) for _ in range(5)}

    assert sending(five) == {19_000}
    assert receiver.connections == 1


def test_a_connection_that_is_refused_has_failed():
    with socket.socket() as bound:
        # nobody else gets the port, and nobody listens at it
        bound.bind(("127.0.0.1", 0))
        assert sent(f"http://127.0.0.1:{bound.getsockname()[1]}/").error == "The connection was refused"


def test_connections_are_kept_for_the_next_delivery(receiver, kept):
    async def thrice(sender):
        return [await again(receiver)(sender) for _ in range(3)]

    assert all(arrived.success for arrived in sending(thrice))
    assert [received.connection for received in receiver.received] == [1, 1, 1]


def test_a_kept_connection_that_the_receiver_ends_meanwhile_is_no_failure(receiver, kept):
    receiver.script(Answer(200), Answer(raw=b""))

    async def twice(sender):
        return [await again(receiver)(sender) for _ in range(2)]

    assert all(arrived.success for arrived in sending(twice))
    assert [received.connection for received in receiver.received] == [1, 1, 2]


def test_receivers_are_asked_to_close_when_very_many_connections_are_open(receiver, monkeypatch):
    monkeypatch.setattr(outbound, "_CROWDED_ABOVE", 1)
    receiver.script(Answer(held=True), Answer(held=True))

    async def three(sender):
        waiting = [asyncio.create_task(again(receiver)(sender)) for _ in range(2)]
        await asyncio.to_thread(receiver.wait, 2)
        assert (await again(receiver)(sender)).success
        receiver.release()
        await asyncio.gather(*waiting)

    sending(three)
    assert [received.headers.get("connection") for received in receiver.received] == [None, None, "close"]


def test_cookies_are_not_kept(receiver):
    receiver.script(Answer(200, headers=("Set-Cookie: a=b; Path=/",)))

    async def twice(sender):
        return [await again(receiver)(sender) for _ in range(2)]

    sending(twice)
    assert "cookie" not in receiver.received[1].headers


def test_proxies_and_passwords_of_the_environment_are_not_used(receiver, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password hidden\n")
    netrc.chmod(0o600)
    with Receiver() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.origin)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("NETRC", str(netrc))
        assert sent(receiver.url).success
        assert proxy.received == []
    assert "authorization" not in receiver.received[0].headers


def test_400_are_in_flight_at_once(receiver):
    receiver.answer = Answer(held=True)

    async def all_at_once(sender):
        deliveries = asyncio.gather(*(again(receiver)(sender) for _ in range(400)))
        await asyncio.to_thread(receiver.until, lambda: receiver.waiting == 400)
        receiver.release()
        return await deliveries

    assert {arrived.error for arrived in sending(all_at_once)} == {None}
    assert receiver.most_waiting == 400


def test_a_delivery_can_be_cancelled(receiver):
    receiver.answer = SILENT

    async def cancelled(sender):
        delivery = asyncio.create_task(again(receiver)(sender))
        await asyncio.to_thread(receiver.wait, 1)
        delivery.cancel()
        await delivery

    with pytest.raises(asyncio.CancelledError):
        sending(cancelled)
    receiver.until(lambda: receiver.waiting == 0)


def test_that_this_machine_has_no_means_left_is_no_failure_of_a_receiver(receiver):
    async def without_files(sender):
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
        try:
            await again(receiver)(sender)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    with pytest.raises(OSError, match="Too many open files"):
        sending(without_files)
    assert receiver.received == []
