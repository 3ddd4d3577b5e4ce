import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.kit.errors import BadRequest
from firmograph.settings import Settings
from firmograph.webhooks.sending.urls import called_url, check_url, origin, request_url
from webhooks.receivers import Receiver
from webhooks.senders import send_delivery

pytestmark = pytest.mark.no_database

ADDRESS = "address is not allowed"
SCHEME = "must begin with https://"
UNREADABLE = "cannot be read"

GOOD = """
    https://example.com https://example.com/ https://example.com:8443/a/b?c=d&e=%20f HTTPS://EXAMPLE.COM/
    https://hooks.example.com./ https://a-b_c.example.com/ https://xn--bcher-kva.example/
    https://intranet/ https://1.example.com/ https://8.8.8.8/ https://8.8.8.8:8443/ https://[2606:4700:4700::1111]/
    https://[2606:4700:4700::1111]:8443/ https://[::ffff:8.8.8.8]/ https://example.com?a=b https://0x7f.example.com/
""".split()

BAD = [
    *(
        (url, SCHEME)
        for url in ("http://example.com/", "ftp://example.com/", "//example.com/", "example.com", "/a")
    ),
    *(
        (url, SCHEME)
        for url in ("https:example.com", "https:/example.com", "https:///a", "https://", "", "javascript:1")
    ),
    *(
        (url, "user name")
        for url in ("https://a:b@example.com/", "https://a@example.com/", "https://@example.com/")
    ),
    *(
        (url, "spaces")
        for url in ("https://example.com/a b", " https://example.com", "https://exam\tple.com/")
    ),
    *(
        (url, "spaces")
        for url in ("https://example.com/\n", "https://example.com/\0", "https://example.com\r\nA: b")
    ),
    ("https://example.com:0/", "port"),
    *(
        (url, UNREADABLE)
        for url in ("https://example.com:99999/", "https://example.com:a/", "https://[::1]a/")
    ),
    *((url, UNREADABLE) for url in ("https://[::1", "https://xn--/", "https://example.com\\@10.0.0.1/")),
    *(
        (f"https://{host}/", ADDRESS)
        for host in (
            *(
                "127.0.0.1",
                "127.1",
                "127.0.1",
                "2130706433",
                "0x7f.1",
                "0X7F000001",
                "0177.0.0.1",
                "127.0.0.1.",
            ),
            *(
                "１２７.０.０.１",
                "①②⑦.0.0.1",
                "127。0。0。1",
                "0",
                "0.0.0.0",
                "10.0.0.1",
                "172.16.0.1",
                "192.168.0.1",
            ),
            *("169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"),
            *("[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:A00:1]", "[fe80::1%25eth0]"),
            *(
                "[2606:4700:4700::1111%25eth0]",
                "[fd00::1]",
                "[fec0::1]",
                "[64:ff9b::10.0.0.1]",
                "[2002:a00:1::]",
            ),
            *("[2001:db8::1]", "[3fff::1]", "[5f00::1]", "[100::1]", "[ff02::1]", "[v1.a]"),
            *("134744072", "8.8.2056", "0x08.8.8.8", "256.1.1.1", "1.2.3.4.5", "1.2.3", "example.1", "a.0x"),
            *(
                "localhost",
                "LOCALHOST.",
                "a.localhost",
                "ⓛocalhost",
                "127.0.0.1%00.example.com",
                "%31%32%37.0.0.1",
            ),
            *(
                "a..b",
                "-a.example",
                "a*",
                "a$b",
                "a;b",
                "a,b",
                "a%2eb",
                "a" * 64,
                ".".join(["a" * 60] * 5),
                "...",
            ),
        )
    ),
]


@pytest.mark.parametrize("url", GOOD)
def test_an_allowed_url_is_returned_unchanged(url):
    assert check_url(url, Settings()) == url


@pytest.mark.parametrize(
    ("url", "called"),
    [
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://BÜCHER.example:8443/a?b", "https://xn--bcher-kva.example:8443/a?b"),
        ("https://例え.テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://example.com/straße", "https://example.com/stra%C3%9Fe"),
        ("https://example.com/%2d/ü?q=é&r=%20#ß", "https://example.com/%2d/%C3%BC?q=%C3%A9&r=%20"),
        ("https://[2606:4700:4700::1111]/ü", "https://[2606:4700:4700::1111]/%C3%BC"),
        ("https://example.com/a#b", "https://example.com/a"),
        ("https://example.com#b", "https://example.com"),
    ],
)
def test_a_url_is_shown_as_it_is_called(url, called):
    assert check_url(url, Settings()) == called
    assert check_url(called, Settings()) == called


@pytest.mark.parametrize(
    "target",
    [
        "/a%2Fb%2D%7e/../c?x=%2d+y&z=%41",
        "/?a=b;c=d&&e",
        "/%zz/100%?%",
        '/a//b/./c|d{e}^`?f="g"',
        "/%E4?%e4",
        "/hook?signature=a/b+c==",
    ],
)
def test_an_ascii_path_and_query_are_sent_byte_for_byte(target):
    with Receiver() as receiver:
        assert send_delivery(f"http://127.0.0.1:{receiver.port}{target}").success
        (received,) = receiver.received
    assert received.target == target


def test_other_letters_of_a_path_are_sent_as_percent_encoded_utf_8():
    with Receiver() as receiver:
        assert send_delivery(f"http://127.0.0.1:{receiver.port}/straße/%2d?q=é#x").success
        (received,) = receiver.received
    assert received.target == "/stra%C3%9Fe/%2d?q=%C3%A9"


@pytest.mark.parametrize(("url", "reason"), BAD)
def test_a_forbidden_url_is_refused_with_the_reason(url, reason):
    with pytest.raises(BadRequest, match=reason):
        check_url(url, Settings())


def test_the_insecure_setting_allows_http_to_this_machine():
    settings = Settings(allow_insecure_webhooks=True)
    for url in (
        "http://localhost:8080/",
        "http://127.0.0.1:8080/",
        "http://[::1]:8080/",
        "https://example.com/",
    ):
        assert check_url(url, settings) == url
    with pytest.raises(BadRequest, match=ADDRESS):
        check_url("http://10.0.0.1/", settings)
    with pytest.raises(BadRequest, match="must begin with https:// or http://"):
        check_url("ftp://example.com/", settings)


def test_allowed_networks_require_https():
    settings = Settings(webhook_allowed_networks="10.1.0.0/16,fd00::/8,127.0.0.0/8")
    for url in ("https://10.1.2.3/", "https://[fd00::1]/", "https://localhost/"):
        assert check_url(url, settings) == url
    for url in ("https://10.2.0.1/", "http://10.1.2.3/", "https://167837955/"):
        with pytest.raises(BadRequest):
            check_url(url, settings)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/a?b", "https://example.com:443"),
        ("HTTPS://Example.COM:443", "https://example.com:443"),
        ("https://example.com.:443/", "https://example.com:443"),
        ("https://example.com:8443/", "https://example.com:8443"),
        ("http://example.com/", "http://example.com:80"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example:443"),
        ("https://[2606:4700:4700:0::1111]/", "https://[2606:4700:4700::1111]:443"),
    ],
)
def test_urls_of_one_server_have_one_origin(url, expected):
    assert origin(url) == expected


@given(st.text(max_size=30).map("https://{}".format) | st.text(max_size=40))
def test_any_text_is_either_a_url_with_an_origin_or_refused(url):
    try:
        check_url(url, Settings())
    except BadRequest:
        return
    assert origin(url).startswith("https://")
    called = called_url(url)
    assert called.isascii()
    assert request_url(called) == request_url(url)
