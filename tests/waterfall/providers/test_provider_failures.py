"""Providers that misbehave: each end is a miss or a later try, bounded, and tells nothing of their text."""

import asyncio
import ssl
import time

import pytest

from firmograph.kit.clock import SetClock
from firmograph.waterfall.providers.types import Found, Miss, Trouble
from services.ports import free_port
from services.proxy import Certificate
from waterfall.providers.asking import ASK_ID, FIRMOGRAPH, HTTP, JANE, ask, load
from webhooks.receivers import SILENT, Answer, Receiver

pytestmark = pytest.mark.no_database

KINDS = {"http": HTTP, "firmograph": FIRMOGRAPH}
SPOKEN = "PROVIDER-SPOKE"


@pytest.fixture(scope="module")
def receiver():
    with Receiver(Answer()) as receiver:
        yield receiver


def answered(receiver, folder, kind, answer, seconds=5.0):
    receiver.answer = answer
    text = (
        KINDS[kind].format(url=receiver.origin).replace("timeout_seconds = 5", f"timeout_seconds = {seconds}")
    )
    return ask(folder, text, clock=SetClock(1_000_000_000.0))


def trouble(reason, wait=None, *, counts=True):
    return Trouble(reason, wait, counts)


HTML = f"<html>{SPOKEN}</html>".encode()
CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{"
LATER = "Sun, 09 Sep 2001 01:46:50 GMT"
ENDS = [
    ("silent", SILENT, trouble("no answer in time")),
    ("silent after the headers", Answer(silent=True, raw=CUT), trouble("no answer in time")),
    ("trickles", Answer(endless=b" ", pause=0.005), trouble("no answer in time")),
    ("breaks off", Answer(raw=CUT), trouble("answer broke off")),
    ("closes", Answer(raw=b""), trouble("answer broke off")),
    ("no HTTP", Answer(raw=f"{SPOKEN}\r\n\r\n".encode()), trouble("answer is not HTTP")),
    ("redirects", Answer(302, HTML, ("Location: https://example.com/",)), trouble("redirect")),
    ("429", Answer(429, HTML), trouble("too many requests")),
    ("429 with seconds", Answer(429, HTML, ("Retry-After: 7",)), trouble("too many requests", 7.0, counts=False)),
    ("429 with a date", Answer(429, HTML, (f"Retry-After: {LATER}",)),
     trouble("too many requests", 10.0, counts=False)),
    ("429 for years", Answer(429, HTML, ("Retry-After: 999999999999",)),
     trouble("too many requests", 86_400.0, counts=False)),
    ("429 with nonsense", Answer(429, HTML, (f"Retry-After: {SPOKEN}",)), trouble("too many requests")),
    ("401", Answer(401, HTML), trouble("key refused")),
    ("402", Answer(402, HTML), trouble("out of credits there")),
    ("405", Answer(405, HTML), trouble("request refused")),
    ("500", Answer(500, HTML), trouble("server error")),
    ("503 with seconds", Answer(503, HTML, ("Retry-After: 3",)), trouble("server error", 3.0)),
    ("400", Answer(400, HTML), Miss("refused the person")),
    ("451", Answer(451, HTML), Miss("restricted")),
    ("too long", Answer(200, b'"' + b"x" * 256_000 + b'"'), trouble("answer too long")),
    ("headers without end", Answer(raw=b"HTTP/1.1 200 OK\r\n", endless=b"X-A: aaaaaaaaaaaaaaaa\r\n" * 1_000),
     trouble("answer is not HTTP")),
    ("interim answers without end", Answer(raw=b"", endless=b"HTTP/1.1 102 Processing\r\n\r\n" * 1_000),
     trouble("answer is not HTTP")),
    ("without end", Answer(endless=b"x" * 65_536), trouble("answer too long")),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "end"), [each[1:] for each in ENDS], ids=[each[0] for each in ENDS])
@pytest.mark.parametrize("kind", KINDS)
def test_every_end_is_a_miss_or_a_later_try(receiver, tmp_path, capsys, kind, answer, end):
    waits = end.reason == "no answer in time"
    began = time.monotonic()
    found = answered(receiver, tmp_path, kind, answer, 0.1 if waits else 5.0)
    assert found == end
    assert time.monotonic() - began < 5
    assert SPOKEN not in f"{found}{capsys.readouterr()}"


BODIES = [
    ("HTML", HTML, trouble("answer is not JSON")),
    ("packed", b"\x1f\x8b\x08\x00garbage", trouble("answer is not JSON")),
    ("cut", b'{"phones": ["', trouble("answer is not JSON")),
    ("too deep", b"[" * 100_000, trouble("answer is not JSON")),
    ("nothing", b"", Miss("no value")),
    ("null", b"null", Miss("no value")),
    ("a number", b"7", Miss("no value")),
    ("an object for a list", b'{"phones": {"a": "PROVIDER-SPOKE"}}', Miss("no value")),
    ("lists of objects", b'{"phones": [{"number": "1"}, [["1"]], true, null, 1.5]}', Miss("no value")),
    ("blank texts", b'{"phones": ["", "  "]}', Miss("no value")),
    ("a text too long", b'{"phones": ["' + b"9" * 321 + b'"]}', Miss("no value")),
    ("a text", b'{"phones": " +1 415 555 0100 "}', Found(phones=("+1 415 555 0100",))),
    ("a whole number", b'{"phones": [14155550100]}', Found(phones=("14155550100",))),
    ("many", b'{"phones": [' + b",".join(b'"%d"' % n for n in range(10_000)) + b"]}",
     Found(phones=tuple(map(str, range(20))))),
    ("names of another type", b'{"phones": ["1"], "first": {}, "last": []}', Found(phones=("1",))),
]  # fmt: skip


@pytest.mark.parametrize(("body", "end"), [each[1:] for each in BODIES], ids=[each[0] for each in BODIES])
def test_a_body_of_any_form_is_read_within_bounds(receiver, tmp_path, body, end):
    assert answered(receiver, tmp_path, "http", Answer(200, body)) == end


RESULTS = [
    (b'{"results": [{"firstName": "Jane", "lastName": "Doe", "phones": [{"number": "+14155550100", "type": "work"}]}]}',
     Found(phones=("+14155550100",), first_name="Jane", last_name="Doe")),
    (b'{"results": [{"phones": [{"number": "+14155550100", "doNotCall": true}]}]}', Miss("no value")),
    (b'{"results": [{"phones": []}]}', Miss("no value")),
    (b'{"results": [{"error": {"code": "NOT_FOUND", "message": "PROVIDER-SPOKE"}}]}', Miss("not found")),
    (b'{"results": [{"error": {"code": "COMPLIANCE_RESTRICTED", "message": ""}}]}', Miss("restricted")),
    (b'{"results": [{"error": {"code": "PROVIDER-SPOKE", "message": ""}}]}', trouble("failed there")),
    (b'{"results": []}', trouble("answer of another form")),
    (b'{"results": [{}, {}]}', trouble("answer of another form")),
    (b'{"results": [{"phones": [7]}]}', trouble("answer of another form")),
    (b"[]", trouble("answer of another form")),
    (HTML, trouble("answer of another form")),
    (b"[" * 100_000, trouble("answer of another form")),
]  # fmt: skip


@pytest.mark.parametrize(("body", "end"), RESULTS)
def test_an_answer_of_another_server_is_understood(receiver, tmp_path, body, end):
    assert answered(receiver, tmp_path, "firmograph", Answer(200, body)) == end


def test_a_status_of_not_found_is_a_miss_but_a_wrong_address_of_another_server(receiver, tmp_path):
    assert answered(receiver, tmp_path, "http", Answer(404)) == Miss("not found")
    assert answered(receiver, tmp_path, "firmograph", Answer(404)) == trouble("request refused")


def test_another_server_is_asked_for_one_contact_and_one_data_point(receiver, tmp_path):
    answered(receiver, tmp_path, "firmograph", Answer(200, RESULTS[0][0]))
    sent = receiver.received[-1]
    assert (sent.method, sent.target) == ("POST", "/v3/contacts/search-and-enrich")
    assert (sent.headers["api_key"], sent.headers["idempotency-key"]) == ("s3cret-key", ASK_ID)
    assert sent.json == {
        "contacts": [
            {
                "email": "jane@acme.com",
                "linkedinUrl": "https://www.linkedin.com/in/jane-doe",
                "firstName": "Jane",
                "lastName": "Doe",
                "companyName": "Acme",
                "companyDomain": "acme.com",
            }
        ],
        "reveal": ["phones"],
    }


def test_a_provider_that_is_not_there_is_a_later_try(tmp_path):
    text = HTTP.format(url=f"http://127.0.0.1:{free_port()}")
    assert ask(tmp_path, text) == trouble("connection refused")


def test_a_name_that_does_not_exist_is_a_later_try(tmp_path):
    assert ask(tmp_path, HTTP.format(url="http://no-such-host.invalid")).reason in (
        "address not found",
        "no answer in time",
    )


def test_a_certificate_is_trusted_only_by_its_authority(tmp_path):
    certificate = Certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate.chain, certificate.key)
    with Receiver(Answer(200, b'{"phones": ["1"]}'), tls=tls) as receiver:
        text = HTTP.format(url=receiver.origin).replace("insecure = true\n", "")
        assert ask(tmp_path, text) == trouble("certificate not trusted")
        assert receiver.received == []
        own = text.replace("timeout_seconds", f'ca_file = "{certificate.chain}"\ntimeout_seconds')
        assert ask(tmp_path, own) == Found(phones=("1",))


def test_a_connection_that_the_provider_has_closed_is_opened_again(receiver, tmp_path):
    receiver.answer = Answer(200, b'{"phones": ["1"]}', cut=True)
    providers = load(tmp_path, HTTP.format(url=receiver.origin))

    async def twice():
        provider = providers.get("p")
        found = [await provider.ask(JANE, "phones", str(number)) for number in range(2)]
        await providers.close()
        return found

    assert asyncio.run(twice()) == [Found(phones=("1",))] * 2
