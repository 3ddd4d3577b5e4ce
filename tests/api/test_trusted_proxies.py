"""The client's address behind proxies, and the setting `trusted_proxies`."""

import pytest

from firmograph.api.trusted_proxies import TrustedProxies, is_loopback, trusted_networks
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database

PROXIES = TrustedProxies(trusted_networks("10.0.0.0/8, 192.168.7.7, 2001:db8:5::/48"))
CLIENT = "203.0.113.5"
FORGED = "198.51.100.1"


def client_address(peer, headers, proxies=PROXIES):
    given = [tuple(part.strip(" ").encode("latin-1") for part in line.split(":", 1)) for line in headers]
    return proxies.client({"client": peer and (peer, 4711), "headers": given}).address


@pytest.mark.parametrize(
    ("peer", "headers", "expected"),
    [
        # without proxies
        (CLIENT, [], CLIENT),
        ("::ffff:203.0.113.5", [], CLIENT),
        ("2001:db8::9", [], "2001:db8::9"),
        (None, [], None),
        # an untrusted peer is believed nothing
        (CLIENT, [f"x-forwarded-for: {FORGED}"], CLIENT),
        ("192.168.7.8", [f"forwarded: for={FORGED}"], "192.168.7.8"),
        # one proxy and several
        ("10.1.2.3", [], "10.1.2.3"),
        ("10.1.2.3", [f"x-forwarded-for: {CLIENT}"], CLIENT),
        ("127.0.0.1", [f"x-forwarded-for: {CLIENT}"], CLIENT),
        ("10.1.2.3", [f"x-forwarded-for: {CLIENT}, 192.168.7.7"], CLIENT),
        ("127.0.0.1", [f"x-forwarded-for: {CLIENT},10.9.9.9 ,  192.168.7.7"], CLIENT),
        ("10.1.2.3", [f"x-forwarded-for: {CLIENT}", "x-forwarded-for: 10.9.9.9"], CLIENT),
        ("10.1.2.3", [f"x-forwarded-for: {CLIENT}, 192.168.7.8"], "192.168.7.8"),
        ("10.1.2.3", ["x-forwarded-for: 10.4.4.4, 192.168.7.7"], "10.4.4.4"),
        # entries that the client sent stand to the left
        ("10.1.2.3", [f"x-forwarded-for: {FORGED}, {CLIENT}"], CLIENT),
        ("10.1.2.3", [f"x-forwarded-for: {FORGED}, 10.4.4.4, {CLIENT}, 192.168.7.7"], CLIENT),
        ("10.1.2.3", [f"x-forwarded-for: 127.0.0.1, {CLIENT}"], CLIENT),
        ("10.1.2.3", ["x-forwarded-for: nonsense", f"x-forwarded-for: {CLIENT}"], CLIENT),
        ("10.1.2.3", [f"x-forwarded-for: {CLIENT}", f"forwarded: for={FORGED}"], CLIENT),
        # IPv6 and ports
        ("2001:db8:5:1::9", ["x-forwarded-for: 2001:db8::7"], "2001:db8::7"),
        ("2001:db8:5:1::9", ["x-forwarded-for: 2001:db8::7, 2001:db8:5::2"], "2001:db8::7"),
        ("::1", ["x-forwarded-for: [2001:db8::7]:4711"], "2001:db8::7"),
        ("::1", ["x-forwarded-for: ::ffff:203.0.113.5, ::ffff:10.1.2.3"], CLIENT),
        ("10.1.2.3", [f"x-forwarded-for: {CLIENT}:4711"], CLIENT),
        # malformed entries of a trusted proxy
        ("10.1.2.3", [f"x-forwarded-for: {FORGED}, unknown"], None),
        ("10.1.2.3", [f"x-forwarded-for: {FORGED}, unknown, 10.4.4.4"], None),
        ("10.1.2.3", [f"x-forwarded-for: {FORGED},"], None),
        ("10.1.2.3", ["x-forwarded-for: "], None),
        ("10.1.2.3", ["x-forwarded-for: 203.0.113.256"], None),
        ("10.1.2.3", ["x-forwarded-for: \xe9"], None),
        # RFC 7239
        ("10.1.2.3", [f"forwarded: for={CLIENT};proto=https"], CLIENT),
        ("10.1.2.3", [f"forwarded: for={FORGED}, for={CLIENT};by=_x, For=10.4.4.4"], CLIENT),
        ("10.1.2.3", ['forwarded: for="[2001:db8::7]:80", for="192.168.7.7:1"'], "2001:db8::7"),
        ("10.1.2.3", [f"forwarded: for={FORGED}", f"forwarded: for={CLIENT}"], CLIENT),
        ("10.1.2.3", [f"forwarded: for={FORGED}, proto=https"], None),
        ("10.1.2.3", [f'forwarded: for=", for={CLIENT}'], None),
        ("10.1.2.3", [f"forwarded: for={FORGED}, for=_hidden"], None),
    ],
)
def test_the_client_is_the_rightmost_address_that_no_trusted_proxy_holds(peer, headers, expected):
    assert client_address(peer, headers) == expected


def test_only_this_machine_is_trusted_unless_proxies_are_named():
    forwarded = [f"x-forwarded-for: {CLIENT}"]
    assert client_address("10.1.2.3", forwarded, TrustedProxies()) == "10.1.2.3"
    assert client_address("127.0.0.1", forwarded, TrustedProxies()) == CLIENT


@pytest.mark.parametrize(
    ("setting", "networks"),
    [
        ("", []),
        (" , ", []),
        ("10.0.0.5", ["10.0.0.5/32"]),
        ("10.0.0.0/8,::1 , 2001:db8::/32,", ["10.0.0.0/8", "::1/128", "2001:db8::/32"]),
        ("::ffff:10.0.0.0/104", ["10.0.0.0/8"]),
        ("::/0", ["::/0"]),
    ],
)
def test_trusted_proxies_are_addresses_and_networks(setting, networks):
    assert [str(network) for network in trusted_networks(setting)] == networks


@pytest.mark.parametrize(
    "wrong", ["proxy.example.com", "10.0.0.1/8", "10.0.0.0/33", "*", "10.0.0.5 10.0.0.6"]
)
def test_an_invalid_trusted_proxy_is_named_in_one_line(wrong):
    with pytest.raises(
        Refused, match=r"^FIRMOGRAPH_TRUSTED_PROXIES: \S[^\n]* is not an address or network"
    ) as refusal:
        trusted_networks(f"10.0.0.5,{wrong}")
    assert f": {wrong} is" in refusal.value.message


@pytest.mark.parametrize(
    ("client", "expected"),
    [(("127.0.0.1", 1), True), (("::ffff:127.0.0.1", 1), True), (("192.0.2.1", 1), False), (None, False)],
)
def test_loopback_is_this_machine(client, expected):
    assert is_loopback(client) is expected
