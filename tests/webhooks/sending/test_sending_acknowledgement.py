"""Acknowledgements in the answers of receivers."""

import pytest

from webhooks.receivers import Answer, Receiver
from webhooks.senders import PAYLOAD, send_delivery

pytestmark = pytest.mark.no_database


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


ACKNOWLEDGED = b'{"received":true,"timestamp":"2026-01-01T00:00:00Z","webhookId":"%s"}' % PAYLOAD.encode()


@pytest.mark.parametrize(
    ("answer", "acknowledged"),
    [
        (ACKNOWLEDGED, True),
        (ACKNOWLEDGED.replace(b",", b" ,\n"), True),
        (ACKNOWLEDGED.replace(b"true", b'"true"'), False),
        (ACKNOWLEDGED.replace(b"8f14", b"0000"), False),
        (b'{"received":true}', False),
        (b'{"webhookId":"%s"}' % PAYLOAD.encode(), False),
        (b"OK", False),
        (b"", False),
        (b"[]", False),
        (b"\xff\xfe", False),
        (b'{"received":true,"webhookId":"\xff"}', False),
        (ACKNOWLEDGED + b" " * 20_000, True),
        (ACKNOWLEDGED[:-1] + b',"more":"' + b"x" * 20_000 + b'"}', False),
    ],
)
def test_an_acknowledgement_is_recorded_and_required_only_by_the_setting(receiver, answer, acknowledged):
    receiver.answer = Answer(200, answer)
    assert send_delivery(receiver.url).success
    result = send_delivery(receiver.url, webhook_require_acknowledgement=True)
    assert result.error == (None if acknowledged else "The answer did not acknowledge the delivery")
    assert (result.status_code, result.body) == (200, answer[:20_000])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b'{"received":false}', True),
        (ACKNOWLEDGED.replace(b"true", b" false"), True),
        (b'{"received":"false"}', False),
        (b'{"received":null}', False),
        (b'[{"received":false}]', False),
        (b"false", False),
        (b'{"received":' + b"[" * 19_000, False),
        (b'{"other":' + b"[" * 19_000, False),
        (b'{"received":false,"more":"' + b"x" * 20_000 + b'"}', False),
    ],
)
def test_an_answer_with_received_false_is_a_failure_despite_its_status(receiver, answer, error):
    receiver.answer = Answer(200, answer)
    result = send_delivery(receiver.url)
    assert result.success is not error
    assert result.error == ("The receiver answered that it has not received the delivery" if error else None)


def test_a_body_without_id_is_acknowledged_without_id(receiver):
    receiver.answer = Answer(200, b'{"received":true}')
    opt_out = b'{"contactId":"v1.abc"}'
    assert send_delivery(receiver.url, body=opt_out, webhook_require_acknowledgement=True).success
