"""Connections of deliveries: reuse, refusal, floods, concurrency."""

import asyncio
import resource
import socket

import pytest

from firmograph.outbound import connector as outbound
from webhooks.receivers import SILENT, Answer, Receiver
from webhooks.senders import MALFORMED, delivery_to, run_with_sender, send_delivery

pytestmark = pytest.mark.no_database


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def long_keep_alive(monkeypatch):
    """Keep idle connections for as long as a busy machine may need."""
    monkeypatch.setattr(outbound, "_KEEP_ALIVE_SECONDS", 600)


def test_a_flood_of_interim_answers_closes_the_connection(receiver):
    receiver.script(Answer(raw=b"HTTP/1.1 100 Continue\r\n\r\n", endless=b"HTTP/1.1 102 Wait\r\n\r\n" * 1000))
    assert send_delivery(receiver.url).error == MALFORMED
    receiver.until(lambda: receiver.waiting == 0)


def test_a_flood_of_answers_after_the_answer_closes_the_connection(receiver):
    done = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    receiver.script(Answer(raw=done, endless=done * 1000))

    async def until_it_ends(sender):
        first = await delivery_to(receiver)(sender)
        await asyncio.to_thread(receiver.until, lambda: receiver.waiting == 0)
        return first.success, (await delivery_to(receiver)(sender)).success

    assert run_with_sender(until_it_ends) == (True, True)
    assert [received.connection for received in receiver.received] == [1, 2]


def test_a_long_answer_does_not_shorten_later_answers_on_its_connection(receiver, long_keep_alive):
    receiver.answer = Answer(200, b"x" * 19_000)

    async def five(sender):
        return {len((await delivery_to(receiver)(sender)).body) for _ in range(5)}

    assert run_with_sender(five) == {19_000}
    assert receiver.connections == 1


def test_a_refused_connection_is_a_failure():
    with socket.socket() as bound:
        # a bound port without a listener, which no other process can get
        bound.bind(("127.0.0.1", 0))
        assert (
            send_delivery(f"http://127.0.0.1:{bound.getsockname()[1]}/").error == "The connection was refused"
        )


def test_connections_are_reused_for_the_next_delivery(receiver, long_keep_alive):
    async def thrice(sender):
        return [await delivery_to(receiver)(sender) for _ in range(3)]

    assert all(result.success for result in run_with_sender(thrice))
    assert [received.connection for received in receiver.received] == [1, 1, 1]


def test_an_idle_connection_closed_by_the_receiver_is_no_failure(receiver, long_keep_alive):
    receiver.script(Answer(200), Answer(raw=b""))

    async def twice(sender):
        return [await delivery_to(receiver)(sender) for _ in range(2)]

    assert all(result.success for result in run_with_sender(twice))
    assert [received.connection for received in receiver.received] == [1, 1, 2]


def test_requests_ask_to_close_their_connections_when_too_many_are_open(receiver, monkeypatch):
    monkeypatch.setattr(outbound, "_CROWDED_ABOVE", 1)
    receiver.script(Answer(until_release=True), Answer(until_release=True))

    async def three(sender):
        waiting = [asyncio.create_task(delivery_to(receiver)(sender)) for _ in range(2)]
        await asyncio.to_thread(receiver.wait, 2)
        assert (await delivery_to(receiver)(sender)).success
        receiver.release()
        await asyncio.gather(*waiting)

    run_with_sender(three)
    assert [received.headers.get("connection") for received in receiver.received] == [None, None, "close"]


def test_cookies_are_not_stored(receiver):
    receiver.script(Answer(200, headers=("Set-Cookie: a=b; Path=/",)))

    async def twice(sender):
        return [await delivery_to(receiver)(sender) for _ in range(2)]

    run_with_sender(twice)
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
        assert send_delivery(receiver.url).success
        assert proxy.received == []
    assert "authorization" not in receiver.received[0].headers


def test_400_deliveries_can_be_in_flight_at_once(receiver):
    receiver.answer = Answer(until_release=True)

    async def all_at_once(sender):
        deliveries = asyncio.gather(*(delivery_to(receiver)(sender) for _ in range(400)))
        await asyncio.to_thread(receiver.until, lambda: receiver.waiting == 400)
        receiver.release()
        return await deliveries

    assert {result.error for result in run_with_sender(all_at_once)} == {None}
    assert receiver.most_waiting == 400


def test_a_delivery_can_be_cancelled(receiver):
    receiver.answer = SILENT

    async def cancel_delivery(sender):
        delivery = asyncio.create_task(delivery_to(receiver)(sender))
        await asyncio.to_thread(receiver.wait, 1)
        delivery.cancel()
        await delivery

    with pytest.raises(asyncio.CancelledError):
        run_with_sender(cancel_delivery)
    receiver.until(lambda: receiver.waiting == 0)


def test_a_lack_of_local_resources_is_no_failure_of_the_receiver(receiver):
    async def without_files(sender):
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
        try:
            await delivery_to(receiver)(sender)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    with pytest.raises(OSError, match="Too many open files"):
        run_with_sender(without_files)
    assert receiver.received == []
