"""`/admin` over HTTP: accounts, users, keys, credits, usage, audit, and its errors."""

import pytest

from firmograph.admin.operator_keys import OperatorKeys


def keys_of(operator, account):
    return operator.data("GET", f"accounts/{account}/keys")


def key_of(operator, account, prefix):
    return next(key for key in keys_of(operator, account) if key["prefix"] == prefix)


def credits_of(operator, account):
    return operator.data("GET", f"accounts/{account}/credits")["remaining"]


def actions_on(operator, account):
    """Return operator and action of what was done, oldest first."""
    rows = operator.data("GET", f"audit?account={account}")
    return [(row["operator"], row["action"]) for row in rows][::-1]


def test_an_account_is_created_without_a_key_and_found_by_number_and_name(operator):
    created = operator.data("POST", "accounts", {"name": "Created", "plan": "pro"})
    assert (created["plan"], created["state"], created["canReveal"]) == ("pro", "active", "default")
    assert created["credits"] == {"total": 0, "used": 0, "held": 0, "remaining": 0}
    assert operator.data("GET", f"accounts/{created['id']}") == created
    assert operator.data("GET", "accounts?name=Created") == [created]
    assert operator.data("GET", "accounts?name=created") == []
    assert keys_of(operator, created["id"]) == []


def test_accounts_are_listed_by_page(operator):
    for number in range(3):
        operator.data("POST", "accounts", {"name": f"Paged {number}", "plan": "pro"})
    whole = operator.call("GET", "accounts?size=500").json()
    total = whole["pagination"]["total"]
    assert [row["id"] for row in whole["data"]] == sorted(row["id"] for row in whole["data"])
    assert len(whole["data"]) == total
    last = operator.call("GET", f"accounts?size=2&page={(total - 1) // 2}").json()
    assert last["data"] == whole["data"][(total - 1) // 2 * 2 :]
    assert last["pagination"] == {"page": (total - 1) // 2, "size": 2, "total": total}


def test_changes_of_an_account_are_one_transaction_and_recorded_under_the_key(operator, account):
    changed = operator.data(
        "PATCH",
        f"accounts/{account}",
        {"name": f"Renamed {account}", "plan": "scale", "canReveal": "priced", "state": "disabled"},
    )
    assert (changed["name"], changed["plan"]) == (f"Renamed {account}", "scale")
    assert (changed["canReveal"], changed["state"]) == ("priced", "disabled")
    prefix = operator.headers["operator_key"][:12]
    done = [action for who, action in actions_on(operator, account) if who == prefix]
    assert done == ["account rename", "account plan", "account can-reveal", "account disable"]

    refused = operator.call("PATCH", f"accounts/{account}", {"state": "active", "plan": "gold"})
    assert refused.status_code == 400
    assert operator.data("GET", f"accounts/{account}") == changed
    assert operator.data("PATCH", f"accounts/{account}", {"state": "disabled"}) == changed
    assert len(actions_on(operator, account)) == 2 + len(done)


def test_a_closed_account_is_shown_and_cannot_be_changed(operator, account):
    closed = operator.data("PATCH", f"accounts/{account}", {"state": "closed"})
    assert closed["state"] == "closed"
    assert closed["credits"]["remaining"] == 0
    assert operator.data("PATCH", f"accounts/{account}", {"state": "closed"}) == closed
    for method, path, body in (
        ("PATCH", "", {"state": "active"}),
        ("PATCH", "", {"name": "Open again"}),
        ("POST", "/keys", {}),
        ("POST", "/credits", {"credits": 1, "reason": "late"}),
        ("POST", "/users", {"email": "dana@acme.example"}),
    ):
        refused = operator.call(method, f"accounts/{account}{path}", body)
        assert refused.status_code == 409, refused.text
        assert "was closed at" in refused.json()["message"]


def test_a_key_is_shown_once_changed_and_revoked(admin_service, operator, account):
    terms = {"name": "crm", "expires": "2027-06-30", "dailyCredits": 5}
    created = operator.data("POST", f"accounts/{account}/keys", terms)
    api_key = created.pop("apiKey")
    assert created["expiresAt"] == "2027-07-01T00:00:00.000Z"
    assert key_of(operator, account, created["prefix"]) == created
    assert admin_service.get("/v3/account/usage", key=api_key).status_code == 200

    path = f"accounts/{account}/keys/{created['prefix']}"
    changed = operator.data("PATCH", path, {"name": "shop", "expires": "never", "dailyCredits": 7})
    assert (changed["name"], changed["dailyCredits"], changed.get("expiresAt")) == ("shop", 7, None)
    same = {"name": " shop ", "expires": "never", "dailyCredits": 7}
    assert operator.data("PATCH", path, same) == changed
    assert operator.data("PATCH", path, {"dailyCredits": "unlimited"}).get("dailyCredits") is None
    assert operator.data("PATCH", path, {}) == key_of(operator, account, created["prefix"])

    revoked = operator.data("DELETE", path)
    assert operator.data("DELETE", path) == revoked
    assert admin_service.get("/v3/account/usage", key=api_key).status_code == 401
    assert operator.call("PATCH", path, {"name": "again"}).status_code == 409
    assert [action for _, action in actions_on(operator, account)][-4:] == [
        "key create",
        "key change",
        "key change",
        "key revoke",
    ]


def test_an_end_that_has_passed_does_not_prevent_another_name(admin_service, operator, account):
    path = f"accounts/{account}/keys"
    created = operator.data("POST", path, {"expires": "2026-09-22T00:00:00Z"})
    admin_service.clock.advance(86_400)
    renamed = operator.data("PATCH", f"{path}/{created['prefix']}", {"name": "old"})
    assert (renamed["name"], renamed["expiresAt"]) == ("old", "2026-09-22T00:00:00.000Z")


def test_users_are_added_and_listed(operator, account):
    path = f"accounts/{account}/users"
    added = operator.data("POST", path, {"email": "Dana@Acme.example", "role": "admin"})
    assert (added["email"], added["role"]) == ("dana@acme.example", "admin")
    assert operator.data("GET", path) == [added]
    assert operator.call("POST", path, {"email": "dana@acme.example"}).status_code == 409


def test_credits_are_granted_and_taken_back_with_a_reason_in_the_audit(operator, account):
    path = f"accounts/{account}/credits"
    assert operator.data("POST", path, {"credits": 5, "reason": "order 7"})["remaining"] == 15
    assert operator.data("POST", path, {"credits": -15, "reason": "refund"})["remaining"] == 0
    refused = operator.call("POST", path, {"credits": -1, "reason": "again"})
    assert (refused.status_code, credits_of(operator, account)) == (409, 0)
    assert "Only 0 credits remain" in refused.json()["message"]
    newest, before = operator.data("GET", f"audit?account={account}&size=2")
    assert (newest["action"], newest["details"], newest["reason"]) == (
        "credits adjust",
        {"credits": 15},
        "refund",
    )
    assert (before["action"], before["reason"]) == ("credits grant", "order 7")


# --- repetitions ---


def test_a_repeated_grant_grants_once_and_names_the_first_call(operator, account):
    path, body = f"accounts/{account}/credits", {"credits": 5, "reason": "order 8"}
    first = operator.call("POST", path, body, "order-8")
    again = operator.call("POST", path, dict(reversed(body.items())), "order-8")
    assert again.json() == first.json()
    assert again.headers["x-original-request-id"] == first.json()["requestId"]
    assert "x-original-request-id" not in first.headers
    assert credits_of(operator, account) == 15
    other = operator.call("POST", path, {**body, "credits": 6}, "order-8")
    assert (other.status_code, credits_of(operator, account)) == (409, 15)
    assert operator.data("POST", path, body)["remaining"] == 20


def test_a_repeated_creation_of_a_key_makes_one_and_shows_it_without_its_text(operator, account):
    path = f"accounts/{account}/keys"
    first = operator.call("POST", path, {"name": "one"}, "key-1")
    again = operator.call("POST", path, {"name": "one"}, "key-1")
    assert (first.status_code, again.status_code) == (201, 201)
    shown = first.json()["data"]
    assert len(shown.pop("apiKey")) > 40
    assert again.json()["data"] == shown
    assert len(keys_of(operator, account)) == 2


def test_repeated_accounts_and_users_are_those_of_the_first_call_as_they_are_now(operator):
    body = {"name": "Repeated", "plan": "pro"}
    created = operator.data("POST", "accounts", body, "account-1")
    renamed = operator.data("PATCH", f"accounts/{created['id']}", {"name": "Renamed since"})
    assert operator.data("POST", "accounts", body, "account-1") == renamed
    path, body = f"accounts/{created['id']}/users", {"email": "eli@acme.example"}
    assert operator.data("POST", path, body, "user-1") == operator.data("POST", path, body, "user-1")


def test_a_refused_call_keeps_nothing_under_its_key(operator, account):
    path, body = f"accounts/{account}/credits", {"credits": -11, "reason": "refund"}
    assert operator.call("POST", path, body, "refund-1").status_code == 409
    operator.data("POST", path, {"credits": 1, "reason": "order"})
    assert operator.data("POST", path, body, "refund-1")["remaining"] == 0


def test_a_key_of_a_repetition_expires(admin_service, operator, account):
    path, body = f"accounts/{account}/credits", {"credits": 5, "reason": "order 9"}
    operator.data("POST", path, body, "order-9")
    admin_service.clock.advance(24 * 3_600)
    assert operator.data("POST", path, body, "order-9")["remaining"] == 20
    assert operator.data("POST", path, body, "order-9")["remaining"] == 20


# --- refusals ---


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "accounts/{}"),
        ("PATCH", "accounts/{}"),
        ("GET", "accounts/{}/users"),
        ("POST", "accounts/{}/users"),
        ("GET", "accounts/{}/keys"),
        ("POST", "accounts/{}/keys"),
        ("PATCH", "accounts/{}/keys/fg_12345678"),
        ("DELETE", "accounts/{}/keys/fg_12345678"),
        ("GET", "accounts/{}/credits"),
        ("POST", "accounts/{}/credits"),
    ],
)
def test_an_account_that_is_not_there_is_one_404(operator, method, path):
    body = {"email": "a@b.example"} if path.endswith("users") else {}
    body = {"credits": 1, "reason": "order"} if path.endswith("credits") else body
    answers = [
        operator.call(method, path.format(number), None if method == "GET" else body)
        for number in ("999999", "0", "-1", "01", "Acme", "%00", "9" * 40)
    ]
    assert {(each.status_code, each.text) for each in answers} == {
        (404, '{"statusCode":404,"message":"There is no such account"}')
    }


def test_a_key_of_another_account_is_the_404_of_an_unknown_one(operator, account):
    other = operator.data("POST", "accounts", {"name": f"Other of {account}", "plan": "pro"})["id"]
    foreign = operator.data("POST", f"accounts/{other}/keys", {})["prefix"]
    for method in ("PATCH", "DELETE"):
        answers = {
            operator.call(method, f"accounts/{account}/keys/{prefix}", {"name": "mine"}).text
            for prefix in (foreign, "fg_unknown1", "x")
        }
        assert answers == {'{"statusCode":404,"message":"The account has no such key"}'}
    assert "revokedAt" not in keys_of(operator, other)[0]


@pytest.mark.parametrize(
    ("method", "path", "body", "message"),
    [
        ("POST", "accounts", {"name": "No plan"}, "plan is required"),
        ("POST", "accounts", {"name": "Gold", "plan": "gold"}, "No plan 'gold'; choose one of free"),
        ("POST", "accounts", {"name": "123", "plan": "pro"}, "not digits only"),
        ("POST", "accounts", {"name": "x" * 201, "plan": "pro"}, "200 characters"),
        ("POST", "accounts", {"name": "a\u200bb", "plan": "pro"}, "printable characters"),
        ("POST", "accounts", {"name": "Free", "plan": "pro", "credits": 5}, "property credits should not"),
        ("PATCH", "accounts/{}", {"state": "gone"}, "state must be one of"),
        ("PATCH", "accounts/{}", {"plan": "gold"}, "No plan 'gold'"),
        ("POST", "accounts/{}/users", {"email": "dana"}, "email must be an e-mail address"),
        ("POST", "accounts/{}/keys", {"expires": "2020-01-01"}, "The key would have expired at 2020-01-02"),
        ("POST", "accounts/{}/keys", {"expires": "soon"}, "'soon' is neither a day nor a time"),
        ("POST", "accounts/{}/keys", {"dailyCredits": -1}, "dailyCredits must be at least 0"),
        ("POST", "accounts/{}/keys", {"name": "x" * 101}, "100 characters"),
        (
            "PATCH",
            "accounts/{}/keys/x",
            {"dailyCredits": "many"},
            "dailyCredits must be an integer or one of: unlimited",
        ),
        ("POST", "accounts/{}/credits", {"credits": 5}, "reason is required"),
        ("POST", "accounts/{}/credits", {"credits": 5, "reason": " "}, "reason is required"),
        (
            "POST",
            "accounts/{}/credits",
            {"credits": 5, "reason": "a\nb"},
            "reason must be 1 to 200 printable",
        ),
        ("POST", "accounts/{}/credits", {"credits": 0, "reason": "none"}, "must be 1 or more"),
        ("POST", "accounts/{}/credits", {"credits": 2**53, "reason": "all"}, "credits must be at most"),
        (
            "POST",
            "accounts/{}/credits",
            {"credits": 2**53 - 1, "reason": "all"},
            "more than 9007199254740991",
        ),
        (
            "POST",
            "accounts/{}/credits?dryRun=true",
            {"credits": 5, "reason": "none"},
            "property dryRun should not exist",
        ),
        ("GET", "usage", None, "month is required"),
        ("GET", "usage?month=2026-13", None, "month must be YYYY-MM, such as 2026-11"),
        ("GET", "usage?month=2026-11&acount=1", None, "property acount should not exist"),
        ("GET", "usage?month=2026-11&by=week", None, "by must be one of"),
        ("GET", "audit?account=acme", None, "account must be"),
        ("GET", "accounts?size=501", None, "size must be at most 500"),
    ],
)
def test_bad_input_is_refused_in_one_line_and_changes_nothing(operator, account, method, path, body, message):
    before = (
        operator.data("GET", f"accounts/{account}"),
        keys_of(operator, account),
        actions_on(operator, account),
    )
    refused = operator.call(method, path.format(account), body)
    assert refused.status_code == 400
    assert message in refused.json()["message"]
    assert "\n" not in refused.json()["message"]
    assert before == (
        operator.data("GET", f"accounts/{account}"),
        keys_of(operator, account),
        actions_on(operator, account),
    )


def test_a_name_that_is_in_use_is_409(operator, account):
    name = operator.data("GET", f"accounts/{account}")["name"]
    other = operator.data("POST", "accounts", {"name": f"Next to {account}", "plan": "pro"})["id"]
    for answer in (
        operator.call("POST", "accounts", {"name": name, "plan": "pro"}),
        operator.call("PATCH", f"accounts/{other}", {"name": name}),
    ):
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            f"An account named {name!r} already exists",
        )


def test_only_an_operators_key_opens_admin_and_it_opens_nothing_else(admin_service, operator):
    key = operator.headers["operator_key"]
    for headers in ({}, {"api_key": admin_service.key}, {"api_key": key}):
        refused = admin_service.client.get("/admin/accounts", headers=headers)
        assert (refused.status_code, "operator_key" in refused.json()["message"]) == (401, True)
    for wrong in (admin_service.key, "fgo_wrong", "\u00e9"):
        headers = {"operator_key": wrong.encode("latin-1")}
        assert admin_service.client.get("/admin/accounts", headers=headers).status_code == 401
    for headers in ({"api_key": key}, {"operator_key": key}):
        assert admin_service.client.get("/v3/account/usage", headers=headers).status_code == 401


def test_plain_http_and_long_bodies_are_refused_as_everywhere(admin_service, operator):
    plain = admin_service.client.get("http://firmograph.test/admin/accounts", headers=operator.headers)
    assert (plain.status_code, plain.json()["message"]) == (403, "Plain HTTP is refused; use https://")
    assert operator.call("POST", "accounts", {"name": "x" * 2**20, "plan": "pro"}).status_code == 413


def test_a_revoked_key_is_refused_at_the_next_request(admin_service, operator):
    assert operator.call("GET", "accounts").status_code == 200
    admin_service.installation.get(OperatorKeys).revoke(operator.headers["operator_key"][:12])
    assert operator.call("GET", "accounts").status_code == 401


def test_a_key_has_20_requests_a_second_and_600_a_minute(admin_service, operator):
    def statuses(number):
        return [operator.call("GET", "accounts?size=1").status_code for _ in range(number)]

    minute = 60 - admin_service.clock.seconds() % 60
    admin_service.clock.advance(minute)
    assert statuses(21) == [200] * 20 + [429]
    for _ in range(29):
        admin_service.clock.advance(1)
        statuses(20)
    admin_service.clock.advance(1)
    refused = operator.call("GET", "accounts")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "30")
    other = admin_service.installation.get(OperatorKeys).create().operator_key
    assert admin_service.client.get("/admin/accounts", headers={"operator_key": other}).status_code == 200


def test_the_document_needs_the_key_and_the_public_one_has_nothing_of_it(admin_service, operator):
    assert admin_service.client.get("/admin/openapi.json").status_code == 401
    document = operator.call("GET", "openapi.json").json()
    assert all(path.startswith("/admin/") for path in document["paths"])
    assert len(document["paths"]) == 8
    assert document["security"] == [{"OperatorKeyAuth": []}]
    public = admin_service.client.get("/openapi.json").text
    assert "/admin" not in public
    assert "operator_key" not in public


def test_an_answer_is_not_stored_and_has_no_limits_of_an_account(operator):
    headers = operator.call("GET", "accounts").headers
    assert headers["cache-control"] == "no-store"
    assert not [name for name in headers if "limit" in name or name == "x-credits-charged"]
