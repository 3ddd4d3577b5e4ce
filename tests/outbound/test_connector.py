import asyncio
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack

import aiohttp
import pytest
import uvloop

from firmograph.kit.errors import Refused
from firmograph.outbound import connector as outbound
from firmograph.outbound.address_guard import AddressGuard, parse_networks
from firmograph.outbound.connector import (
    AddressRefused,
    Connector,
    NameNotFound,
    create_tls_context,
    is_local_shortage,
)
from webhooks.receivers import Answer, Receiver

pytestmark = pytest.mark.any_database

# one loopback network stands for public addresses, another for private ones
PUBLIC, PRIVATE = "127.8.0.1", "127.0.0.1"
GUARD = AddressGuard(parse_networks("N", "127.8.0.0/16"))


class Names:
    """A resolver that answers with the given address lists in order and repeats the last one."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.lookups = 0

    def __call__(self, host, port, **_):
        self.lookups += 1
        addresses = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        families = [socket.AF_INET6 if ":" in each else socket.AF_INET for each in addresses]
        return [
            (family, socket.SOCK_STREAM, 6, "", (each, port))
            for family, each in zip(families, addresses, strict=True)
        ]


@pytest.fixture
def public():
    with Receiver(Answer(), host=PUBLIC) as receiver:
        yield receiver


@pytest.fixture
def private():
    with Receiver(Answer(), host=PRIVATE) as receiver:
        yield receiver


def connecting(work, lookup, guard=GUARD):
    async def entered():
        connector = Connector(guard, create_tls_context("N", ""), lookup)
        async with aiohttp.ClientSession(connector=connector) as session:
            return await work(session)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(entered())


async def status(session, url):
    async with session.get(url) as response:
        return response.status


async def until(true):
    async with asyncio.timeout(30):
        while not true():
            await asyncio.sleep(0.001)


async def refusal(session, url):
    """Return the reason why a connection was refused."""
    with pytest.raises(aiohttp.ClientConnectorError) as raised:
        await session.get(url)
    return type(raised.value.__cause__)


def test_a_name_is_connected_to_if_all_its_addresses_are_allowed(public):
    url = f"http://hooks.example.com:{public.port}/"
    assert connecting(lambda session: status(session, url), Names([PUBLIC])) == 200
    assert public.received[0].headers["host"] == f"hooks.example.com:{public.port}"


@pytest.mark.parametrize(
    "addresses",
    [
        [PRIVATE],
        [PUBLIC, PRIVATE],
        [PRIVATE, PUBLIC],
        [PUBLIC, "::1"],
        [PUBLIC, "::ffff:127.0.0.1"],
        [PUBLIC, "fe80::1%lo"],
    ],
)
def test_a_name_with_one_refused_address_is_not_connected_to(public, private, addresses):
    for receiver in (public, private):
        url = f"http://hooks.example.com:{receiver.port}/"
        assert connecting(lambda session, url=url: refusal(session, url), Names(addresses)) is AddressRefused
    assert public.connections == private.connections == 0


def test_the_connection_goes_to_the_checked_address(public, private):
    names = Names([PUBLIC], [PRIVATE])

    async def while_the_name_changes(session):
        connected = await status(session, f"http://hooks.example.com:{public.port}/")
        return connected, names.lookups

    assert connecting(while_the_name_changes, names) == (200, 1)
    assert private.connections == 0


@pytest.fixture
def same_port():
    """Return a public and a private receiver on one port, so that a changed name reaches the private one."""
    with ExitStack() as opened:
        while True:
            public = opened.enter_context(Receiver(Answer(), host=PUBLIC))
            try:
                # the port may be in use on the other address
                socket.create_server((PRIVATE, public.port)).close()
            except OSError:
                continue
            yield public, opened.enter_context(Receiver(Answer(), host=PRIVATE, port=public.port))
            return


def test_a_name_later_bound_to_a_private_address_is_refused_from_then_on(same_port):
    public, victim = same_port
    url = f"http://hooks.example.com:{public.port}/"
    public.answer = Answer(cut=True, headers=("Connection: close",))

    async def twice(session):
        first = await status(session, url)
        session.connector.clear_dns_cache()
        return first, await refusal(session, url)

    assert connecting(twice, Names([PUBLIC], [PRIVATE])) == (200, AddressRefused)
    assert public.connections == 1
    assert victim.connections == 0


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:FFFF:7F00:1]",
        "[fe80::1%25lo]",
    ],
)
def test_an_address_in_the_url_is_checked_without_a_lookup(private, host):
    names = Names([PUBLIC])
    url = f"http://{host}:{private.port}/"
    assert connecting(lambda session: refusal(session, url), names) is AddressRefused
    assert names.lookups == private.connections == 0


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0x7f.1", "0x7f000001", "0177.1", "１２７.１", "127.0.0.1."]
)
def test_no_other_spelling_of_an_address_is_connected_to(private, host):
    async def refused(session):
        with pytest.raises((aiohttp.InvalidURL, aiohttp.ClientConnectorError)):
            await session.get(f"http://{host}:{private.port}/")

    connecting(refused, socket.getaddrinfo)
    assert private.connections == 0


def unknown(*_, **__):
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def unspeakable(*_, **__):
    raise UnicodeError("label too long")


@pytest.mark.parametrize("lookup", [unknown, unspeakable, Names([])])
def test_a_name_without_addresses_is_not_found(lookup):
    assert connecting(lambda session: refusal(session, "http://hooks.example.com/"), lookup) is NameNotFound


def test_names_with_slow_lookups_delay_no_others(public):
    answered = threading.Event()
    slow = 200

    def lookup(host, port, **given):
        if host.startswith("slow"):
            assert answered.wait(30)
        return Names([PUBLIC])(host, port, **given)

    async def next_to_slow_names(session):
        waiting = [
            asyncio.create_task(status(session, f"http://slow{i}.example.com:{public.port}/"))
            for i in range(slow)
        ]
        quick = await status(session, f"http://hooks.example.com:{public.port}/")
        unfinished = sum(not task.done() for task in waiting)
        answered.set()
        return quick, unfinished, set(await asyncio.gather(*waiting))

    assert connecting(next_to_slow_names, lookup) == (200, slow, {200})


def test_a_name_is_looked_up_once_for_simultaneous_requests(public):
    answered = threading.Event()
    names = Names([PUBLIC])

    def lookup(host, port, **given):
        assert answered.wait(30)
        return names(host, port, **given)

    async def together(session):
        url = f"http://hooks.example.com:{public.port}/"
        waiting = [asyncio.create_task(status(session, url)) for _ in range(20)]
        await asyncio.sleep(0)
        answered.set()
        return set(await asyncio.gather(*waiting))

    assert connecting(together, lookup) == {200}
    assert names.lookups == 1


def test_too_many_running_lookups_do_not_count_against_the_next_name(monkeypatch):
    monkeypatch.setattr(outbound, "_MAX_LOOKUPS", 2)
    begun, answered = [], threading.Event()

    def lookup(host, *_, **__):
        begun.append(host)
        assert answered.wait(30)
        return []

    async def three(session):
        waiting = [asyncio.create_task(refusal(session, f"http://{i}.example.com/")) for i in range(2)]
        await until(lambda: len(begun) == 2)
        with pytest.raises(aiohttp.ClientConnectorError) as raised:
            await session.get("http://third.example.com/")
        answered.set()
        return raised.value.os_error, await asyncio.gather(*waiting)

    third, others = connecting(three, lookup)
    assert is_local_shortage(third)
    assert others == [NameNotFound] * 2


def test_as_many_files_may_be_open_as_connections_need():
    """A process of its own is needed, as the hard limit can only be lowered."""
    script = """
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from firmograph.outbound.connector import allow_many_connections
for limits in (5000, 8000), (256, 8000), (256, 1000):
    setrlimit(RLIMIT_NOFILE, limits)
    allow_many_connections()
    print(*getrlimit(RLIMIT_NOFILE))
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["5000 8000", "4096 8000", "1000 1000"]


def test_closed_connections_do_not_count_as_crowding(public, monkeypatch):
    monkeypatch.setattr(outbound, "_CROWDED_ABOVE", 1)
    public.answer = Answer(until_release=True)

    async def two(session):
        url = f"http://{PUBLIC}:{public.port}/"
        waiting = [asyncio.create_task(status(session, url)) for _ in range(2)]
        await asyncio.to_thread(public.wait, 2)
        crowded = session.connector.is_crowded()
        public.release()
        await asyncio.gather(*waiting)
        await session.connector.close()
        await until(lambda: not session.connector.is_crowded())
        return crowded

    assert connecting(two, Names([PUBLIC]))


@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_unreadable_authorities_are_refused_by_their_setting(tmp_path, content):
    file = tmp_path / "authorities.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(Refused, match=r"^FIRMOGRAPH_X: .*authorities.pem cannot be read as certificates"):
        create_tls_context("FIRMOGRAPH_X", str(file))
