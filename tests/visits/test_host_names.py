"""Host names of addresses: which domain a name stands for, and names that are anybody's."""

from ipaddress import ip_address

import pytest

from firmograph.visits.networks.host_names import company_domain

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("name", "address", "domain"),
    [
        ("mail.acme.com", "73.12.34.56", "acme.com"),
        ("nat-3.london.acme.co.uk.", "73.12.34.56", "acme.co.uk"),
        ("gw1.cs.stanford.edu", "2a00:1450::12", "stanford.edu"),
        # providers and hosters, by the registrable domain or below it, free mail and shared hosts
        ("gw.acme.verizon.net", "73.12.34.56", None),
        ("mail.t-online.de", "73.12.34.56", None),
        ("db.clients.your-server.de", "73.12.34.56", None),
        ("acme.blogspot.com", "73.12.34.56", None),
        # words of pools
        ("dhcp-12.acme.com", "73.12.34.56", None),
        ("x7.dynamic.acme.com", "73.12.34.56", None),
        # the address in the name
        ("host-73-12-34-56.acme.com", "73.12.34.56", None),
        ("56.34.12.73.acme.com", "73.12.34.56", None),
        ("h34-56.acme.com", "73.12.34.56", None),
        ("073012034056.acme.com", "73.12.34.56", None),
        ("p490c2238.acme.com", "73.12.34.56", None),
        ("x20010db8.acme.com", "2001:db8::1", None),
        # no names of hosts
        ("localhost", "73.12.34.56", None),
        ("com", "73.12.34.56", None),
        ("73.12.34.56", "73.12.34.56", None),
        ("bad name", "73.12.34.56", None),
    ],
)
def test_names_of_companies_tell_their_domain(name, address, domain):
    assert company_domain(name, ip_address(address)) == domain
