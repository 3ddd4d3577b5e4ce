"""`GET /api/audit-logs` and its statistics."""

import re

import pytest

from firmograph.database.connection import account_scope
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries.audit_store import AuditEntry
from firmograph.webhooks.types import Status

ONE, OTHER, GONE = (f"{n:024x}" for n in (1, 2, 3))
AT = 1_790_000_000.0
SUCCESS, FAILED, ENDED = Status


def entry(account, status=SUCCESS, subscription=ONE, **changed):
    default = AuditEntry(
        account, subscription, "p", status, 201, "https://hooks.example.com/in", AT, 31, None, b"", 0, 30
    )
    return default._replace(**changed)


@pytest.fixture
def service(shared_service):
    """Return the application that the tests share with an account of this one."""
    return shared_service.with_account()


@pytest.fixture
def account(service):
    return service.accounts.find(service.account).id


@pytest.fixture
def add_entries(service, account):
    """Return a function that adds audit entries."""

    def add_entries(*entries):
        with service.database.write(account_scope(account)) as session:
            audit_store.add(session, entries)

    return add_entries


def logs(service, query="", **given):
    answer = service.get(f"/api/audit-logs{query}", **given)
    assert answer.status_code == 200, answer.text
    return answer.json()


def stats(service, query=""):
    return service.get(f"/api/audit-logs/stats{query}").json()


def test_an_attempt_is_shown_with_its_result(service, account, add_entries):
    add_entries(entry(account, payload_id="0b0b", acknowledgement=b'{"received":true}', credits=2))
    (row,) = logs(service)["data"]
    assert re.fullmatch("[0-9a-f]{24}", row.pop("id"))
    assert row == {
        "subscriptionId": ONE,
        "payloadId": "0b0b",
        "status": "success",
        "statusCode": 201,
        "url": "https://hooks.example.com/in",
        "deliveredAt": "2026-09-21T14:13:20.000Z",
        "responseTime": 30,
        "durationMs": 31,
        "error": None,
        "acknowledgement": '{"received":true}',
        "isTest": False,
    }


def test_an_unanswered_attempt_has_neither_code_nor_acknowledgement(service, account, add_entries):
    unanswered = {"status_code": None, "duration_ms": None, "response_ms": None, "acknowledgement": None}
    add_entries(entry(account, FAILED, error="No", **unanswered))
    (row,) = logs(service)["data"]
    assert set(row) == {
        "id",
        "subscriptionId",
        "payloadId",
        "status",
        "url",
        "deliveredAt",
        "error",
        "isTest",
    }
    assert (row["status"], row["error"]) == ("failed", "No")


def test_a_long_or_binary_answer_is_shown_truncated(service, account, add_entries):
    add_entries(entry(account, acknowledgement=b"\xff\x00" + "é".encode() * 5_000))
    (row,) = logs(service)["data"]
    assert row["acknowledgement"] == "�\0" + "é" * 998


def test_pages_go_from_the_newest_to_the_oldest(service, account, add_entries):
    add_entries(*(entry(account, payload_id=f"{n}") for n in range(60)))
    first, last = logs(service), logs(service, "?offset=50&limit=100")
    assert first["pagination"] == {"total": 60, "limit": 50, "offset": 0, "hasMore": True}
    assert last["pagination"] == {"total": 60, "limit": 100, "offset": 50, "hasMore": False}
    assert [one["payloadId"] for one in first["data"] + last["data"]] == [f"{n}" for n in range(59, -1, -1)]
    assert len({one["id"] for one in first["data"] + last["data"]}) == 60
    assert logs(service, "?offset=60") == {
        "data": [],
        "pagination": {"total": 60, "limit": 50, "offset": 60, "hasMore": False},
    }


def test_rows_are_ordered_by_the_time_of_delivery_and_not_of_recording(service, account, add_entries):
    add_entries(entry(account, payload_id="late", at=AT + 2), entry(account, payload_id="first", at=AT))
    add_entries(
        entry(account, payload_id="twin 1", at=AT + 1), entry(account, payload_id="twin 2", at=AT + 1)
    )
    expected = ["late", "twin 2", "twin 1", "first"]
    for query in ("", "&status=success", f"&subscriptionId={ONE}"):
        pages = [logs(service, f"?limit=1&offset={offset}{query}")["data"] for offset in range(4)]
        assert [one["payloadId"] for (one,) in pages] == expected


def test_test_deliveries_are_listed_but_not_in_the_statistics(service, account, add_entries):
    add_entries(entry(account, credits=1), entry(account, is_test=1), entry(account, FAILED, is_test=1))
    assert [one["isTest"] for one in logs(service)["data"]] == [True, True, False]
    assert logs(service)["pagination"]["total"] == 3
    assert logs(service, "?status=failed")["pagination"]["total"] == 1
    statistics = stats(service)
    assert (statistics["total"], statistics["success"], statistics["failed"]) == (1, 1, 0)
    assert (statistics["successRate"], statistics["totalCreditsConsumed"]) == ("100.00%", 1)


@pytest.fixture
def mixed(account, add_entries):
    """Add entries of two subscriptions, one of them with a permanent failure."""
    add_entries(
        entry(account, SUCCESS, credits=1),
        entry(account, SUCCESS, credits=5),
        entry(account, FAILED),
        entry(account, SUCCESS, OTHER),
        entry(account, FAILED, OTHER),
        entry(account, ENDED, OTHER),
    )


def test_filters_by_subscription_and_status_apply_to_rows_and_totals(service, mixed):
    for query, expected in (
        ("", "ended failed success failed success success"),
        ("?status=success", "success success success"),
        ("?status=failed", "failed failed"),
        ("?status=permanent_failure", "ended"),
        (f"?subscriptionId={ONE}", "failed success success"),
        (f"?subscriptionId={OTHER}&status=failed", "failed"),
        (f"?subscriptionId={ONE}&status=permanent_failure", ""),
        (f"?subscriptionId={GONE}", ""),
    ):
        answer = logs(service, query)
        names = [one["status"].replace("permanent_failure", "ended") for one in answer["data"]]
        assert (query, " ".join(names)) == (query, expected)
        assert answer["pagination"]["total"] == len(names)


def test_the_statistics_count_statuses_and_sum_captured_credits(service, mixed):
    assert stats(service) == {
        "total": 6,
        "success": 3,
        "failed": 2,
        "successRate": "50.00%",
        "permanentFailure": 1,
        "dlq": 0,
        "totalCreditsConsumed": 6,
    }
    assert stats(service, f"?subscriptionId={ONE}")["successRate"] == "66.66%"
    nothing = {"total": 0, "success": 0, "failed": 0, "successRate": "0.00%", "permanentFailure": 0}
    assert stats(service, f"?subscriptionId={GONE}") == {**nothing, "dlq": 0, "totalCreditsConsumed": 0}


def test_the_success_rate_is_100_only_without_failures(service, account, add_entries):
    add_entries(*(entry(account) for _ in range(10_000)))
    assert stats(service)["successRate"] == "100.00%"
    add_entries(entry(account, FAILED))
    assert stats(service)["successRate"] == "99.99%"


def test_another_account_sees_no_rows(service, mixed):
    theirs = service.with_account().key
    for query in ("", f"?subscriptionId={ONE}"):
        assert logs(service, query, key=theirs)["pagination"]["total"] == 0
        assert logs(service, query, key=theirs)["data"] == []


def test_an_invalid_query_is_refused(service):
    for query, message in (
        (f"?subscriptionId={'x' * 24}", "subscriptionId must be 24 hexadecimal digits"),
        ("?status=ok", "status must be one of: failed, permanent_failure, success"),
        ("?limit=0", "limit must be at least 1"),
        ("?limit=101", "limit must be at most 100"),
        ("?offset=-1", "offset must be at least 0"),
        ("?offset=ten", "offset must be an integer"),
    ):
        answer = service.get(f"/api/audit-logs{query}")
        assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_audit_calls_share_the_rate_limit_of_the_webhook_calls(make_service):
    service = make_service()
    paths = ["/api/audit-logs", "/api/audit-logs/stats", "/api/subscriptions", f"/api/subscriptions/{ONE}"]
    for _ in range(5):
        assert [service.get(path).status_code for path in 5 * paths] == 5 * [200, 200, 200, 404]
        service.clock.advance(1)
    assert service.get("/api/audit-logs").status_code == 429
