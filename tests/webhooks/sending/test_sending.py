import asyncio
import gzip
import time
from email.utils import formatdate

import pytest

from firmograph.kit.clock import SetClock
from firmograph.webhooks.sending.client import retry_after
from webhooks.receivers import SILENT, Answer, Receiver
from webhooks.senders import BODY, MALFORMED, PAYLOAD, again, sending, sent

pytestmark = pytest.mark.no_database

HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"
BROKEN = "The connection was closed before the answer was complete"


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


def test_a_delivery_is_a_post_of_the_exact_bytes(receiver):
    arrived = sent(receiver.url, clock=SetClock(1_790_000_000.9), brand="Acme")
    assert arrived.success
    assert arrived.status_code == 201
    (received,) = receiver.received
    assert (received.method, received.target, received.body) == ("POST", "/hook", BODY)
    headers = received.headers
    assert headers.pop("host") == f"127.0.0.1:{receiver.port}"
    assert len(headers.pop("x-acme-signature")) == 64
    assert headers.pop("webhook-signature").startswith("v1,")
    assert headers == {
        "accept": "application/json",
        "accept-encoding": "identity",
        "content-length": str(len(BODY)),
        "content-type": "application/json",
        "user-agent": "Acme-Webhooks/1.0",
        "x-acme-timestamp": "1790000000",
        "webhook-id": PAYLOAD,
        "webhook-timestamp": "1790000000",
    }


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (200, None),
        (201, None),
        (204, None),
        (299, None),
        (302, "The receiver answered 302; redirects are not followed"),
        (308, "The receiver answered 308; redirects are not followed"),
        (400, "The receiver answered 400"),
        (410, "The receiver answered 410"),
        (500, "The receiver answered 500"),
        (999, "The receiver answered 999"),
    ],
)
def test_only_a_status_from_200_to_299_is_success(receiver, status, error):
    receiver.script(Answer(status, b"" if status == 204 else b"said"))
    arrived = sent(receiver.url)
    assert (arrived.status_code, arrived.error, arrived.success) == (status, error, error is None)
    assert arrived.body == (b"" if status == 204 else b"said")


def test_a_redirect_leads_nowhere(receiver):
    with Receiver() as other:
        receiver.script(Answer(307, headers=(f"Location: {other.url}",)))
        assert not sent(receiver.url).success
        assert other.received == []


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"x" * 5_000_000),
        Answer(endless=b"x" * 5_000),
        Answer(
            raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", endless=b"5\r\nxxxxx\r\n" * 1000
        ),
    ],
    ids=["huge", "endless", "endless in chunks"],
)
def test_no_more_of_an_answer_is_read_than_20_000_bytes(receiver, answer):
    receiver.script(answer)
    arrived = sent(receiver.url)
    assert arrived.success
    assert arrived.body == b"x" * 20_000
    receiver.until(lambda: receiver.waiting == 0)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_an_answer_is_not_decompressed(receiver, encoding):
    bomb = gzip.compress(bytes(10_000_000))
    receiver.script(Answer(200, bomb, (f"Content-Encoding: {encoding}",)))
    arrived = sent(receiver.url)
    assert arrived.success
    assert arrived.body == bomb[:20_000]


@pytest.mark.parametrize(
    ("answer", "status", "body"),
    [
        (SILENT, None, b""),
        (Answer(raw=b"HTTP/1.1 200 OK\r\nContent-", silent=True), None, b""),
        (Answer(raw=b"HTTP/1.1 200 OK\r\n", endless=b"A: b\r\n", pause=0.05), None, b""),
        (
            Answer(raw=b"HTTP/1.1 100 Continue\r\n\r\n", endless=b"HTTP/1.1 102 Wait\r\n\r\n", pause=0.05),
            None,
            b"",
        ),
        (Answer(raw=HALF, silent=True), 200, b"12345"),
    ],
    ids=["nothing", "half a header", "header by header", "always the next answer", "half a body"],
)
def test_what_takes_too_long_has_failed_and_the_connection_ends(receiver, answer, status, body):
    receiver.answer = answer
    for seconds in (0.3, 3, 30):
        arrived = sent(receiver.url, seconds=seconds)
        assert arrived.error == f"No answer within {seconds} seconds"
        # as long as it was told, but for how finely a loop tells the time
        assert arrived.duration_ms >= seconds * 1000 - 10
        receiver.until(lambda: receiver.waiting == 0)
        if arrived.status_code == status:
            break
        # on a busy machine even what came at once may come too late
    assert (arrived.status_code, arrived.body) == (status, body)


@pytest.mark.parametrize(
    ("raw", "status", "error"),
    [
        (b"", None, BROKEN),
        (b"HTTP/1.1 200 OK\r\nContent-Le", None, BROKEN),
        (HALF, 200, BROKEN),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", None, MALFORMED),
        (b"nonsense\r\n\r\n", None, MALFORMED),
        (b"SSH-2.0-OpenSSH_9.2\r\n", None, MALFORMED),
        (b"HTTP/1.1 twohundred OK\r\n\r\n", None, MALFORMED),
        (b"HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", None, MALFORMED),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000 + b"\r\n\r\n", None, MALFORMED),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 10_000 + b"\r\n", None, MALFORMED),
        (b"\0\xff\xfe" * 100, None, MALFORMED),
    ],
)
def test_an_answer_that_breaks_off_or_is_none_has_failed(receiver, raw, status, error):
    receiver.script(Answer(raw=raw))
    arrived = sent(receiver.url)
    assert (arrived.status_code, arrived.error) == (status, error)
    assert len(receiver.received) == 1


def test_the_time_until_an_answer_began_is_told_beside_that_of_the_whole_attempt(receiver):
    receiver.script(Answer(200, b"a" * 10))
    arrived = sent(receiver.url)
    assert 0 <= arrived.response_ms <= arrived.duration_ms
    receiver.script(Answer(raw=HALF))
    broken = sent(receiver.url)
    assert (broken.error, broken.response_ms is not None) == (BROKEN, True)


def test_of_a_receiver_that_is_silent_no_time_of_an_answer_is_told(receiver):
    receiver.script(SILENT)
    assert sent(receiver.url, seconds=0.2).response_ms is None


NOW = 1_790_000_000.0


@pytest.mark.parametrize(
    ("field", "seconds"),
    [
        ("", None),
        ("0", 0),
        ("120", 120),
        ("007", 7),
        ("9" * 400, 1e9),
        (formatdate(NOW + 90, usegmt=True), 90),
        (formatdate(NOW - 90, usegmt=True), 0),
        (formatdate(NOW + 90), 90),
        ("Monday, 21-Sep-26 14:14:50 GMT", 90),
        ("-5", None),
        ("+5", None),
        ("1.5", None),
        ("٣", None),
        ("soon", None),
        ("Mon, 99 Xyz 2026 00:00:00 GMT", None),
        ("Mon, 01 Jan 999999 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(field, seconds):
    assert retry_after(field, NOW) == seconds


def test_what_the_receiver_asks_to_wait_is_told(receiver):
    receiver.script(Answer(503, headers=("Retry-After: 17",)))
    assert sent(receiver.url).retry_after == 17


def test_the_duration_is_measured_by_a_clock_that_nobody_sets(receiver):
    receiver.script(Answer(held=True))

    async def while_the_clock_jumps(sender):
        delivery = asyncio.create_task(again(receiver)(sender))
        began = time.monotonic()
        await asyncio.to_thread(receiver.wait, 1)
        clock.advance(-1_000_000)
        receiver.release()
        arrived = await delivery
        return arrived.duration_ms, (time.monotonic() - began) * 1000

    clock = SetClock()
    measured, most = sending(while_the_clock_jumps, clock=clock)
    assert 0 <= measured <= most + 1
