import asyncio
import gzip
import time
from email.utils import formatdate

import pytest

from firmograph.kit.clock import SetClock
from firmograph.outbound.retry_after import retry_after
from webhooks.receivers import SILENT, Answer, Receiver
from webhooks.senders import BODY, MALFORMED, PAYLOAD, delivery_to, run_with_sender, send_delivery

pytestmark = pytest.mark.no_database

HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"
BROKEN = "The connection was closed before the answer was complete"


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


def test_a_delivery_is_a_post_of_the_exact_bytes(receiver):
    result = send_delivery(receiver.url, clock=SetClock(1_790_000_000.9), brand="Acme")
    assert result.success
    assert result.status_code == 201
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
    result = send_delivery(receiver.url)
    assert (result.status_code, result.error, result.success) == (status, error, error is None)
    assert result.body == (b"" if status == 204 else b"said")


def test_redirects_are_not_followed(receiver):
    with Receiver() as other:
        receiver.script(Answer(307, headers=(f"Location: {other.url}",)))
        assert not send_delivery(receiver.url).success
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
def test_at_most_20_000_bytes_of_an_answer_are_read(receiver, answer):
    receiver.script(answer)
    result = send_delivery(receiver.url)
    assert result.success
    assert result.body == b"x" * 20_000
    receiver.until(lambda: receiver.waiting == 0)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_an_answer_is_not_decompressed(receiver, encoding):
    bomb = gzip.compress(bytes(10_000_000))
    receiver.script(Answer(200, bomb, (f"Content-Encoding: {encoding}",)))
    result = send_delivery(receiver.url)
    assert result.success
    assert result.body == bomb[:20_000]


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
def test_a_timeout_is_a_failure_and_closes_the_connection(receiver, answer, status, body):
    receiver.answer = answer
    for seconds in (0.3, 3, 30):
        result = send_delivery(receiver.url, seconds=seconds)
        assert result.error == f"No answer within {seconds} seconds"
        # the timers of an event loop may fire some milliseconds early
        assert result.duration_ms >= seconds * 1000 - 10
        receiver.until(lambda: receiver.waiting == 0)
        if result.status_code == status:
            break
        # on a busy machine even an immediate answer may come too late
    assert (result.status_code, result.body) == (status, body)


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
def test_an_incomplete_or_malformed_answer_is_a_failure(receiver, raw, status, error):
    receiver.script(Answer(raw=raw))
    result = send_delivery(receiver.url)
    assert (result.status_code, result.error) == (status, error)
    assert len(receiver.received) == 1


def test_a_result_has_the_time_to_the_answer_and_that_of_the_whole_attempt(receiver):
    receiver.script(Answer(200, b"a" * 10))
    result = send_delivery(receiver.url)
    assert 0 <= result.response_ms <= result.duration_ms
    receiver.script(Answer(raw=HALF))
    broken = send_delivery(receiver.url)
    assert (broken.error, broken.response_ms is not None) == (BROKEN, True)


def test_a_result_without_answer_has_no_response_time(receiver):
    receiver.script(SILENT)
    assert send_delivery(receiver.url, seconds=0.2).response_ms is None


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


def test_the_result_has_the_retry_after_of_the_answer(receiver):
    receiver.script(Answer(503, headers=("Retry-After: 17",)))
    assert send_delivery(receiver.url).retry_after == 17


def test_the_duration_does_not_depend_on_the_wall_clock(receiver):
    receiver.script(Answer(until_release=True))

    async def while_the_clock_jumps(sender):
        delivery = asyncio.create_task(delivery_to(receiver)(sender))
        began = time.monotonic()
        await asyncio.to_thread(receiver.wait, 1)
        clock.advance(-1_000_000)
        receiver.release()
        result = await delivery
        return result.duration_ms, (time.monotonic() - began) * 1000

    clock = SetClock()
    measured, maximum = run_with_sender(while_the_clock_jumps, clock=clock)
    assert 0 <= measured <= maximum + 1
