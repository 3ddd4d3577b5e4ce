"""`POST /api/subscriptions/{id}/test` with real receivers."""

import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partialmethod
from itertools import count

import pytest
import sqlalchemy as sa
from receivers import Answer, Receiver
from standardwebhooks.webhooks import Webhook

from firmograph.billing.idempotency import Idempotency
from firmograph.caller import ApiKeyCaller, CallKey, Request
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.clock import SystemClock
from firmograph.security.record_ids import Entity
from firmograph.webhooks.sending import signing
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.sending.secrets import make_secrets
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.store import NewSubscription
from firmograph.webhooks.tables import audit_logs, deliveries, subscriptions
from firmograph.webhooks.types import OPT_OUT

_AUDIT = sa.select(audit_logs).order_by(audit_logs.c.id)
_DELIVERIES = sa.select(deliveries.c.id)
_ALL = sa.select(subscriptions)
_serials = count(1)


@pytest.fixture(scope="module")
def insecure(make_shared_service, tmp_path_factory):
    """Return a service with plan `pro` without signals, and with a timeout that suits a busy machine."""
    plans = tmp_path_factory.mktemp("plans") / "plans.toml"
    plans.write_text("[plans.pro.features]\nsignals = false\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sender, "__init__", partialmethod(Sender.__init__, seconds=60))
        yield make_shared_service(allow_insecure_webhooks=True, plans_file=str(plans))


@pytest.fixture
def service(insecure):
    # receivers compare the time with the system clock
    insecure.clock.advance(SystemClock().seconds() - insecure.clock.seconds())
    return insecure.with_account()


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def subscribe(service, keyring):
    """Return a function that creates a subscription with its account's secret and returns its id."""

    def subscribe(url, *, of=service, types="allSignals", entity=Entity.COMPANY, partner="", secret=True):
        id = of.accounts.find(of.account).id
        serial = next(_serials)
        number = None if types == OPT_OUT else serial
        token = f"{serial:024x}"
        new = NewSubscription(
            token, entity, number, "v1.x", types, partner, "Mine", url, url, of.clock.seconds(), 0
        )
        with of.database.write(account_scope(id)) as session:
            if secret:
                make_secrets(keyring).regenerate(session, id, 0)
            subscription_store.add(AccountSession(session, id), [new])
        return token

    return subscribe


def send(service, id, query=""):
    return service.client.post(f"/api/subscriptions/{id}/test{query}", headers={"api_key": service.key})


def send_test(service, id, query=""):
    answer = send(service, id, query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def audit(service):
    """Return the rows of the service's account."""
    of_account = _AUDIT.where(audit_logs.c.account_id == service.accounts.find(service.account).id)
    with service.database.read() as session:
        return [dict(zip(audit_logs.c.keys(), row, strict=True)) for row in session.all(of_account)]


def secret(service):
    return service.get("/api/account/secret").json()["secret"]


def test_a_test_delivery_is_signed_like_any_other(service, subscribe, receiver):
    id = subscribe(receiver.url)
    answer = send_test(service, id)
    (received,) = receiver.received
    assert Webhook(secret(service)).verify(received.body, received.headers) == received.json
    seconds = int(received.headers["x-service-timestamp"])
    signature = signing.signature(secret(service), seconds, received.body)
    assert received.headers["x-service-signature"] == signature
    assert received.headers["webhook-id"] == received.json["id"]
    assert received.json["subscriptionId"] == id
    assert received.json["billing"] == {"creditsCharged": 0}
    assert answer.pop("flowCheck").items() >= {"success": True, "statusCode": 201}.items()
    assert answer == {
        "subscriptionId": id,
        "subscriptionName": "Mine",
        "url": receiver.url,
        "mode": "full",
        "testPayload": {
            "entityType": "company",
            "signalType": received.json["type"],
            "data": received.json["data"],
        },
        "isSuccess": True,
        "timestamp": answer["timestamp"],
    }


def test_a_test_delivery_is_audited_and_free(service, subscribe, receiver):
    id = subscribe(receiver.url)
    send_test(service, id, "?mode=direct")
    receiver.script(Answer(500, b"broken"))
    send_test(service, id, "?mode=direct")
    first, second = audit(service)
    assert (first["payload_id"], second["payload_id"]) == tuple(one.json["id"] for one in receiver.received)
    assert [(one["status"], one["status_code"], one["error"], one["credits"]) for one in (first, second)] == [
        (1, 201, None, 0),
        (2, 500, "The receiver answered 500", 0),
    ]
    assert second["acknowledgement"] == b"broken"
    assert service.accounts.find(service.account).used == 0


@pytest.mark.parametrize(
    ("answer", "subscription"),
    [
        (Answer(201), {}),
        (Answer(500, b"broken"), {}),
        (Answer(201), {"types": OPT_OUT, "entity": Entity.CONTACT, "partner": "p"}),
        (Answer(201), {"types": "riskNews"}),
    ],
    ids=["accepted", "refused", "opt-out", "mismatch"],
)
def test_a_repeated_test_sends_nothing_and_answers_the_first(
    service, subscribe, receiver, answer, subscription
):
    path = f"/api/subscriptions/{subscribe(receiver.url, **subscription)}/test"
    receiver.script(answer)
    headers = {"api_key": service.key, "idempotency-key": "k"}
    first = service.client.post(path, headers=headers)
    service.clock.advance(1)
    again = service.client.post(path, headers=headers)
    assert first.status_code == 200, first.text
    assert again.json() == first.json()
    assert again.headers["x-original-request-id"] == first.headers["x-request-id"]
    assert len(receiver.received) == len(audit(service)) == 1


def test_a_test_whose_key_is_in_use_sends_nothing(service, subscribe, receiver):
    path = f"/api/subscriptions/{subscribe(receiver.url)}/test"
    headers = {"api_key": service.key, "idempotency-key": "k"}
    idempotency = service.installation.get(Idempotency)
    caller = ApiKeyCaller(service.accounts.find(service.account).id, None, "names")
    with idempotency.running(Request("other", caller, 0.0, CallKey(f"POST {path}", "k", b""))):
        assert service.client.post(path, headers=headers).status_code == 409
    assert receiver.received == []
    assert service.client.post(path, headers=headers).status_code == 200


def test_mode_kafka_reports_whether_a_signal_would_be_delivered_without_sending(service, subscribe, receiver):
    answer = send_test(service, subscribe(receiver.url, types="surgeInHiring,riskNews"), "?mode=kafka")
    assert (answer["isSuccess"], answer["testPayload"]["signalType"]) == (True, "surgeInHiring")
    assert "flowCheck" not in answer
    assert receiver.received == []
    assert service.database.session().all(_DELIVERIES) == []


def test_each_mode_is_audited_as_a_test_and_excluded_from_the_statistics(service, subscribe, receiver):
    id = subscribe(receiver.url)
    for mode in ("direct", "kafka", "full"):
        send_test(service, id, f"?mode={mode}")
    rows = service.get("/api/audit-logs").json()["data"]
    assert [(row["isTest"], row["status"], row.get("statusCode")) for row in rows] == [
        (True, "success", 201),
        (True, "success", None),
        (True, "success", 201),
    ]
    assert ["responseTime" in row for row in rows] == [True, False, True]
    statistics = service.get("/api/audit-logs/stats").json()
    assert (statistics["total"], statistics["successRate"]) == (0, "0.00%")


def test_a_test_fails_if_the_plan_has_no_signals_any_more(service, subscribe, receiver):
    without = service.with_account(plan="pro")
    id = subscribe(receiver.url, of=without)
    answer = send(without, id).json()
    assert answer["flowCheck"]["success"] is True
    assert (answer["isSuccess"], answer["error"]) == (False, "signals is not part of the account's plan")
    assert send(without, id, "?mode=direct").json()["isSuccess"] is True


def test_a_failed_test_is_reported_and_does_not_change_the_subscription(service, subscribe):
    with Receiver(Answer(503)) as broken:
        id = subscribe(broken.url)
        before = service.database.session().all(_ALL)
        for _ in range(5):
            answer = send_test(service, id)
            assert answer["flowCheck"].items() >= {"success": False, "statusCode": 503}.items()
            assert (answer["isSuccess"], answer["error"]) == (False, "The receiver answered 503")
    assert service.database.session().all(_ALL) == before


def test_an_unreachable_receiver_has_status_code_0(service, subscribe):
    with socket.socket() as bound:
        # a bound port without a listener, which no other process can get
        bound.bind(("127.0.0.1", 0))
        answer = send_test(service, subscribe(f"http://127.0.0.1:{bound.getsockname()[1]}/"))
    assert answer["flowCheck"].items() >= {"success": False, "statusCode": 0}.items()
    assert answer["error"] == "The connection was refused"
    assert [(one["status"], one["status_code"]) for one in audit(service)] == [(2, None)]


def test_test_deliveries_have_the_address_checks_of_deliveries(make_service, subscribe, receiver):
    secure = make_service(allow_insecure_webhooks=False)
    answer = send_test(secure, subscribe(receiver.url.replace("http://", "https://"), of=secure))
    refused = "The URL's address was not found or is not allowed"
    assert (answer["isSuccess"], answer["error"]) == (False, refused)
    assert receiver.connections == 0


@pytest.mark.parametrize("blocked_at", [None, 5.0])
def test_a_disabled_subscription_can_be_tested_and_stays_disabled(service, subscribe, receiver, blocked_at):
    id = subscribe(receiver.url)
    with service.database.write(None) as session:
        session.execute(
            sa.text("UPDATE subscriptions SET active = 0, blocked_at = :at WHERE token = :id"),
            {"at": blocked_at, "id": id},
        )
    before = service.database.session().all(_ALL)
    assert send_test(service, id)["isSuccess"] is send_test(service, id, "?mode=kafka")["isSuccess"] is True
    assert service.database.session().all(_ALL) == before
    assert len(receiver.received) == 1


def test_an_opt_out_subscription_gets_a_sample_opt_out(service, subscribe, receiver):
    answer = send_test(service, subscribe(receiver.url, types=OPT_OUT, entity=Entity.CONTACT, partner="p-1"))
    (received,) = receiver.received
    assert received.json["partnerClientId"] == "p-1"
    assert {each["datapointType"] for each in received.json["datapoints"]} == {"email", "phone"}
    assert answer["testPayload"] == {"entityType": "contact", "signalType": OPT_OUT, "data": received.json}
    assert answer["isSuccess"] is True
    Webhook(secret(service)).verify(received.body, received.headers)


def test_a_contact_subscription_gets_a_job_move(service, subscribe, receiver):
    answer = send_test(service, subscribe(receiver.url, entity=Entity.CONTACT))
    assert (answer["testPayload"]["entityType"], answer["testPayload"]["signalType"]) == (
        "contact",
        "promotion",
    )


def test_another_accounts_subscription_is_a_404_like_an_unknown_one(service, subscribe, receiver):
    theirs = subscribe(receiver.url)
    other = service.with_account()
    answers = [send(other, id) for id in (theirs, "f" * 24)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json() == answers[1].json()
    assert receiver.received == audit(service) == []


@pytest.mark.parametrize(
    ("id", "query", "message"),
    [
        ("7", "", "id must have at least 24 characters"),
        ("f" * 24, "?mode=fast", "mode must be one of: direct, full, kafka"),
        ("f" * 24, "?mode=direct&mode=full", "mode should not be repeated"),
    ],
)
def test_invalid_parameters_are_refused(service, id, query, message):
    answer = send(service, id, query)
    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_an_account_without_secret_is_refused(service, subscribe, receiver):
    answer = send(service, subscribe(receiver.url, secret=False))
    assert answer.status_code == 403
    assert "POST /api/account/secret/regenerate" in answer.json()["message"]


def test_concurrent_tests_are_limited_per_account_and_do_not_block_other_accounts(
    service, subscribe, receiver
):
    slow, other = Receiver(Answer(until_release=True)), service.with_account()
    id, theirs = subscribe(slow.url), subscribe(receiver.url, of=other)
    with slow, ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(send, service, id) for _ in range(3)]
        slow.until(lambda: slow.waiting == 3)
        refused = send(service, id)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")
        assert send(service, id, "?mode=kafka").json()["isSuccess"] is True
        assert send(other, theirs).json()["isSuccess"] is True
        slow.release()
        assert [each.result(60).json()["isSuccess"] for each in waiting] == [True] * 3
        slow.script(Answer())
        assert send(service, id).json()["isSuccess"] is True
