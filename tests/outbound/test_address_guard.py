import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.kit.errors import Refused
from firmograph.outbound.address_guard import AddressGuard, parse_networks

pytestmark = pytest.mark.no_database

PUBLIC = """
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
    169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.31.195.255 192.31.197.0
    192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0
    198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
    2001:200:: 2001:4860:4860::8888 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2003:: 2606:4700:4700::1111
    2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001:: 2a00:1450:4001::1 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff
    3fff:1000:: ::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::8.8.8.8 64:ff9b::808:808
""".split()

SPECIAL = {
    "this network": "0.0.0.0 0.0.0.1 0.255.255.255",
    "private": "10.0.0.0 10.1.2.3 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255",
    "carrier-grade NAT": "100.64.0.0 100.100.100.200 100.127.255.255",
    "loopback": "127.0.0.0 127.0.0.1 127.1.2.3 127.255.255.255 ::1 0:0:0:0:0:0:0:1",
    "link-local": "169.254.0.0 169.254.169.254 169.254.255.255 fe80:: fe80::1 febf:ffff::1 fe80::1%eth0 fe80::1%1",
    "protocol assignments": "192.0.0.0 192.0.0.8 192.0.0.9 192.0.0.170 192.0.0.192 192.0.0.255",
    "documentation": """
        192.0.2.0 192.0.2.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255
        2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff
    """,
    "AS112": "192.31.196.1 192.175.48.1 192.175.48.255 2620:4f:8000:: 2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
    "tunnels of multicast": "192.52.193.1 2001:3::1",
    "relays of 6to4": "192.88.99.0 192.88.99.1 192.88.99.2 192.88.99.255",
    "benchmarking": "198.18.0.0 198.19.255.255 2001:2:: 2001:2:0:ffff::1",
    "multicast": "224.0.0.0 224.0.0.1 239.255.255.255 ff00:: ff02::1 ff0e::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "reserved": "240.0.0.0 240.0.0.1 255.255.255.254",
    "broadcast": "255.255.255.255",
    "unspecified": ":: 0:0:0:0:0:0:0:0",
    "mapped": """
        ::ffff:0.0.0.0 ::ffff:10.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:7F00:0001 0:0:0:0:0:ffff:127.0.0.1
        ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:192.168.0.1 ::ffff:100.64.0.1 ::ffff:255.255.255.255
    """,
    "compatible": "::127.0.0.1 ::7f00:1 ::8.8.8.8 ::10.0.0.1 ::2",
    "translated, old": "::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8",
    "NAT64": """
        64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b::192.168.1.1
        64:ff9b::1:808:808
    """,
    "NAT64 of one network": "64:ff9b:1:: 64:ff9b:1::8.8.8.8 64:ff9b:1::127.0.0.1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
    "6to4": "2002:: 2002:7f00:1:: 2002:a00:1::1 2002:c0a8:101:: 2002:a9fe:a9fe::1 2002:808:808::1",
    "Teredo": "2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:808:808::1",
    "other protocols": "2001:1::1 2001:1::2 2001:1::3 2001:4:112::1 2001:1ff:ffff::1",
    "ORCHID": "2001:10::1 2001:1f:ffff::1 2001:20::1 2001:2f:ffff::1",
    "drones": "2001:30::1 2001:3f:ffff::1",
    "unique local": "fc00:: fc00::1 fd00::1 fd00:ec2::254 fdff:ffff::1",
    "site-local": "fec0:: fec0::1 feff:ffff::1",
    "discarded": "100:: 100::1 100::ffff:ffff:ffff:ffff",
    "dummy": "100:0:0:1::1",
    "segments": "5f00:: 5f00::1 5f00:ffff::1",
    "not given out": "1::1 200::1 400::1 1fff::1 4000:: 6000::1 8000::1 a000::1 c000::1 e000::1 f000::1 fe00::1",
}

NOT_AN_ADDRESS = [
    "",
    "localhost",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "127.0.0.01",
    "127.0.0.1.",
    " 127.0.0.1",
    "8.8.8.8/32",
    "8.8.8.8 ",
    "１２７.０.０.１",
    "[::1]",
    "::1::",
    "12345::",
    "::ffff:127.1",
    "8.8.8.8.8",
    "256.1.1.1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address):
    assert AddressGuard().check(address)


@pytest.mark.parametrize(
    "address",
    [pytest.param(each, id=f"{kind}: {each}") for kind, all in SPECIAL.items() for each in all.split()],
)
def test_special_addresses_are_refused(address):
    assert not AddressGuard().check(address)


@pytest.mark.parametrize("text", NOT_AN_ADDRESS)
def test_an_address_in_an_unusual_spelling_is_refused(text):
    assert not AddressGuard(parse_networks("N", "0.0.0.0/0,::/0"), loopback=True).check(text)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_embedded_in_ipv6_is_treated_as_alone(address):
    guard = AddressGuard(parse_networks("N", "10.0.0.0/8"))
    assert guard.check(f"::ffff:{address}") == guard.check(f"64:ff9b::{address}") == guard.check(str(address))


@given(st.ip_addresses(v=6))
def test_no_allowed_address_is_special_according_to_python(address):
    embedded = address.ipv4_mapped or address
    if AddressGuard().check(str(address)):
        known = (
            embedded.is_private
            or embedded.is_loopback
            or embedded.is_link_local
            or embedded.is_multicast
            or embedded.is_reserved
        )
        assert not known or address in ipaddress.ip_network("64:ff9b::/96")


@pytest.mark.parametrize(
    ("allowed", "address"),
    [
        ("10.1.0.0/16", "10.1.2.3"),
        ("10.1.0.0/16", "::ffff:10.1.2.3"),
        ("10.1.0.0/16", "64:ff9b::10.1.2.3"),
        ("::ffff:10.1.0.0/112", "::ffff:10.1.2.3"),
        ("192.168.1.7", "192.168.1.7"),
        ("fd00::/8, 10.0.0.0/8", "fd12::1"),
        ("fe80::/10", "fe80::1%eth0"),
        ("2002::/16", "2002:a00:1::1"),
    ],
)
def test_configured_networks_are_allowed(allowed, address):
    assert not AddressGuard().check(address)
    assert AddressGuard(parse_networks("N", allowed)).check(address)


def test_configured_networks_allow_no_neighbours():
    guard = AddressGuard(parse_networks("N", "10.1.0.0/16,fd00::/64"))
    others = ["10.2.0.0", "10.0.255.255", "127.0.0.1", "fd00:0:0:1::", "::1", "2002:a01:1::1", "::10.1.0.1"]
    assert [each for each in others if guard.check(each)] == []


def test_this_machine_is_allowed_by_its_setting():
    guard = AddressGuard(loopback=True)
    this_machine = ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"]
    assert [each for each in this_machine if not guard.check(each)] == []
    others = ["0.0.0.0", "::", "10.0.0.1", "169.254.169.254", "fe80::1"]
    assert [each for each in others if guard.check(each)] == []


@pytest.mark.parametrize("wrong", ["10.0.0.1/8", "localhost", "10.0.0.0/33", "10.0.0.0-10.0.0.9", "::/129"])
def test_an_invalid_network_is_refused_by_its_name(wrong):
    with pytest.raises(Refused, match=f"FIRMOGRAPH_X: {wrong} is not an address or network"):
        parse_networks("FIRMOGRAPH_X", f"10.0.0.0/8, {wrong}")


def test_an_empty_setting_has_no_networks():
    assert parse_networks("FIRMOGRAPH_X", "") == parse_networks("FIRMOGRAPH_X", " , ") == []
