"""Networks: tables and databases in MaxMind's format, nested and of several sources."""

from ipaddress import ip_address, ip_network
from random import Random

import pyarrow as pa
import pytest
from maxmind_file import write_maxmind
from pyarrow import parquet

from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.networks.ranges import AddressRanges, pack
from firmograph.visits.networks.service import Networks
from firmograph.visits.networks.types import Network, NetworkKind, NetworkOwner


@pytest.fixture
def networks(database):
    return Networks(database, SetClock(), OperatorAudit())


def find(networks, address):
    found = networks.lookup().find(ip_address(address))
    return (found.company.domain if found.company else None, found.country)


def test_the_longest_of_any_nested_networks_is_found():
    random = Random(7)
    held = {
        ip_network((random.getrandbits(10) << 22, random.randint(4, 32)), strict=False) for _ in range(200)
    }
    networks = [
        Network(4, int(one.network_address), one.prefixlen, NetworkOwner(str(one), "", NetworkKind.ISP, ""))
        for one in held
    ]
    ranges = AddressRanges(pack(networks))
    edges = {
        int(one.network_address) + step
        for one in held
        for step in (-1, 0, one.num_addresses - 1, one.num_addresses)
    }
    for number in edges:
        if 0 <= number < 1 << 32:
            address = ip_address(number)
            expected = max(
                (one for one in held if address in one), key=lambda one: one.prefixlen, default=None
            )
            found = ranges.find(address)
            assert (found.owner.name if found else None) == (str(expected) if expected else None)


def test_databases_of_maxmind_and_ipinfo_name_companies_and_countries(networks, tmp_path):
    records = {
        "192.0.2.0/25": {"traits": {"user_type": "business", "organization": "Acme", "domain": "acme.test"}},
        "192.0.2.128/25": {"country": {"iso_code": "DE"}},
        "198.51.100.0/25": {"name": "Globex", "domain": "globex.test", "type": "business", "country": "US"},
        "198.51.100.128/25": {
            "as_name": "Cloud",
            "as_domain": "c.test",
            "as_type": "hosting",
            "country_code": "FR",
        },
        "203.0.113.0/24": {"autonomous_system_organization": "Provider", "autonomous_system_number": 64500},
    }
    counts = networks.load(write_maxmind(tmp_path / "all.mmdb", records), "all")
    assert (counts.networks, counts.companies) == (5, 2)
    assert find(networks, "192.0.2.1") == ("acme.test", None)
    assert find(networks, "192.0.2.200") == (None, "DE")
    assert find(networks, "198.51.100.1") == ("globex.test", "US")
    assert find(networks, "198.51.100.200") == (None, "FR")
    assert find(networks, "203.0.113.1") == (None, None)


def test_the_longest_network_of_all_sources_names_the_company(networks, tmp_path):
    table = pa.table({"network": ["192.0.2.0/24"], "domain": ["acme.test"], "type": ["business"]})
    parquet.write_table(table, tmp_path / "own.parquet")
    networks.load(tmp_path / "own.parquet", "own")
    networks.load(
        write_maxmind(tmp_path / "country.mmdb", {"192.0.2.0/26": {"country": {"iso_code": "DE"}}}), "maxmind"
    )
    assert find(networks, "192.0.2.1") == ("acme.test", "DE")
    networks.remove("maxmind")
    assert find(networks, "192.0.2.1") == ("acme.test", None)


def test_a_later_load_replaces_the_networks_of_its_source(networks, tmp_path):
    file = tmp_path / "own.csv"
    for domain in ("acme.test", "globex.test"):
        file.write_text(f"network;domain;type\n192.0.2.0/24;{domain};Business\n")
        networks.load(file, "own")
    assert find(networks, "192.0.2.1") == ("globex.test", None)
    assert [one.name for one in networks.sources()] == ["own"]


def test_lines_that_are_no_network_are_counted_and_the_rest_is_read(networks, tmp_path):
    file = tmp_path / "own.csv"
    file.write_text(
        "Network,Type,Domain\n192.0.2.0/24,business,acme.test\n300.0.0.0/8,isp,\n10.0.0.0/8,cable,\n"
    )
    counts = networks.load(file, "own")
    assert (counts.networks, counts.rejections, counts.unknown_kinds) == (2, 1, {"cable": 1})
    assert counts.rejected == {3: "no network such as 192.0.2.0/24 or 2001:db8::/32"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("own.csv", b"cidr,domain\n192.0.2.0/24,acme.test\n", "has no column `network`"),
        ("own.csv", b"network,domain\nnone,acme.test\n", "no network that can be read: line 2"),
        ("own.mmdb", b"\xab\xcd\xefMaxMind.com\xe0", "is damaged"),
    ],
)
def test_other_files_are_refused(networks, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Refused, match=message):
        networks.load(tmp_path / name, "own")
    assert networks.sources() == []
