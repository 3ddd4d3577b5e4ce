import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.normalise import domains
from firmograph.directory.normalise.domains import host_of, registrable_domain

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("example.com", "example.com"),
        (" WWW.Example.COM. ", "example.com"),
        ("https://www.example.com/about?x=1#top", "example.com"),
        ("http://jane:secret@shop.example.com:8080/", "shop.example.com"),
        ("//example.com/x", "example.com"),
        ("example.com:443", "example.com"),
        ("example.com?x=a.b", "example.com"),
        ("https://www.bücher.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("www.com", "www.com"),
        ("www.www.example.com", "example.com"),
        ("r3---sn.example.com", "r3---sn.example.com"),
    ],
)
def test_the_host_of_a_domain_or_url(text, host):
    assert host_of(text) == host


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost",
        "http://",
        "127.0.0.1",
        "http://127.0.0.1:80/",
        "http://[::1]/",
        "example..com",
        "-example.com",
        "exam ple.com",
        "exam_ple.com",
        "example.com:x",
        "a" * 64 + ".com",
        "a." * 127 + "com",
        "example.c",
        "\x00.com",
        "n/a",
        "é" * 300 + ".com",
        "\ud800.com",
        "example.com/" + "x" * 2048,
    ],
)
def test_a_text_without_a_host_is_none(text):
    assert host_of(text) is None


@given(st.from_regex(r"\A(https?://)?(www\.)?[a-zé0-9.-]{1,20}\.(com|co\.uk|test)(:80)?(/[a-z]*)?\Z"))
def test_the_host_of_a_host_is_itself(text):
    host = host_of(text)
    assert host is None or host_of(host) == host


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.com", "example.com"),
        ("eu.shop.example.co.uk", "example.co.uk"),
        ("acme.github.io", "acme.github.io"),
        ("shop.acme.uk.com", "acme.uk.com"),
        ("mail.acme.test", "acme.test"),
        ("acme.test", "acme.test"),
        ("co.uk", "co.uk"),
        ("a.xn--bcher-kva.de", "xn--bcher-kva.de"),
    ],
)
def test_the_registrable_domain_is_one_label_below_the_public_suffix(host, domain):
    assert registrable_domain(host) == domain


def test_normalisation_uses_no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    domains._registrable.cache_clear()
    assert registrable_domain("a.b.example.org") == "example.org"
